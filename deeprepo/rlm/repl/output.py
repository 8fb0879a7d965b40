"""What a block prints, and how much of it goes to the model: of a longer output both ends."""

KEEP = 400_000  # characters that one block prints at most; what follows is only counted
MARK = "\n[... {count:,} characters cut here{how} ...]\n"
NOT_KEPT = "\n[... {count:,} more characters were not kept ...]"
MARK_CHARS = 90  # that the mark takes at most


class PrintBuffer:
    """The sink of one block."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._held: list[str] = []
        self._room, self._lost = KEEP, 0

    def __call__(self, text: str) -> None:
        """Take what was printed; what is beyond the room of a block is counted."""
        kept_text = text[: self._room]
        self._held.append(kept_text)
        self._room -= len(kept_text)
        self._lost += len(text) - len(kept_text)

    def finish(self, number: int | None) -> tuple[str, int, str]:
        """Return what the model sees, never more than `size` characters; how many it does not see; and what `more(number)` returns of them.

        Without a number nothing can be asked for: what a limit ended differs from run to run.
        """
        text, lost = "".join(self._held), self._lost
        if len(text) + lost <= self._size:
            return text, 0, ""
        head, tail = _ends(text, max(0, self._size - MARK_CHARS))
        tail = "" if lost else tail  # of a flood that was not kept whole, nobody knows the end
        cut = text[len(head) : len(text) - len(tail)]
        omitted = len(cut) + lost
        mark = MARK.format(count=omitted, how=f": more({number}) returns them" if number else "")
        kept = cut + (NOT_KEPT.format(count=lost) if lost else "")
        return (head + mark + tail)[: self._size], omitted, kept if number else ""


def _ends(text: str, room: int) -> tuple[str, str]:
    """Return the head and the tail of a text, together at most so long, of whole lines where lines are short."""
    half = room // 2
    head, tail = text[:half], text[len(text) - half :] if half else ""
    at = head.rfind("\n") + 1
    head = head[:at] if at > half // 2 else head
    at = tail.find("\n") + 1
    return head, tail[at:] if 0 < at < half // 2 else tail
