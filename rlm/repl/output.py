"""What a block prints, and how much of it goes to the model: of a longer output both ends."""

from dataclasses import dataclass

KEEP = 400_000  # characters that one block prints at most; what follows is only counted
MARK = "\n[... {count:,} characters cut here: more({number}) returns them ...]\n"
LOST_MARK = "\n[... {count:,} characters cut here ...]\n"
NOT_KEPT = "\n[... {count:,} more characters were not kept ...]"
MARK_CHARS = 90  # that the mark takes at most


@dataclass(frozen=True, slots=True)
class PrintedOutput:
    """The output of one block, as the model sees it."""

    text: str
    omitted: int = 0  # characters that the model does not see
    cut: str = ""  # what `more` returns


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

    def finish(self, number: int, *, can_return: bool) -> PrintedOutput:
        """Return what the model sees, never more than `size` characters, and what was cut out, which has this number.

        What a limit ended cannot be asked for again: it differs from run to run.
        """
        text, lost = "".join(self._held), self._lost
        if len(text) + lost <= self._size:
            return PrintedOutput(text)
        head, tail = _ends(text, max(0, self._size - MARK_CHARS))
        tail = "" if lost else tail  # of a flood that was not kept whole, nobody knows the end
        cut = text[len(head) : len(text) - len(tail)]
        omitted = len(cut) + lost
        mark = (MARK if can_return else LOST_MARK).format(count=omitted, number=number)
        kept = cut + (NOT_KEPT.format(count=lost) if lost else "")
        return PrintedOutput((head + mark + tail)[: self._size], omitted, kept if can_return else "")


def _ends(text: str, room: int) -> tuple[str, str]:
    """Return the head and the tail of a text, together at most so long, of whole lines where lines are short."""
    half = room // 2
    head, tail = text[:half], text[len(text) - half :] if half else ""
    at = head.rfind("\n") + 1
    head = head[:at] if at > half // 2 else head
    at = tail.find("\n") + 1
    return head, tail[at:] if 0 < at < half // 2 else tail
