"""Collect what a block prints, and cut a long output to its beginning and end."""

KEEP = 400_000  # characters of a block's output that are kept; the rest is only counted
MARK = "\n[... {count:,} characters cut here{how} ...]\n"
NOT_KEPT = "\n[... {count:,} more characters were not kept ...]"
MARK_CHARS = 90  # maximum length of MARK


class PrintBuffer:
    """Collects the output of one block."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._held: list[str] = []
        self._room, self._lost = KEEP, 0

    def __call__(self, text: str) -> None:
        """Add printed text. What exceeds the limit is only counted."""
        kept_text = text[: self._room]
        self._held.append(kept_text)
        self._room -= len(kept_text)
        self._lost += len(text) - len(kept_text)

    def finish(self, number: int | None) -> tuple[str, int, str]:
        """Return the text for the model (at most `size` characters), the characters left out, and the text for `more(number)`.

        Without a number, `more` has nothing, because the output of a block that was stopped differs between runs.
        """
        text, lost = "".join(self._held), self._lost
        if len(text) + lost <= self._size:
            return text, 0, ""
        head, tail = _ends(text, max(0, self._size - MARK_CHARS))
        tail = "" if lost else tail  # the end of an output that was not fully kept is unknown
        cut = text[len(head) : len(text) - len(tail)]
        omitted = len(cut) + lost
        mark = MARK.format(count=omitted, how=f": more({number}) returns them" if number else "")
        kept = cut + (NOT_KEPT.format(count=lost) if lost else "")
        return (head + mark + tail)[: self._size], omitted, kept if number else ""


def _ends(text: str, room: int) -> tuple[str, str]:
    """Return the beginning and end of a text, together `room` characters at most, as whole lines if lines are short."""
    half = room // 2
    head, tail = text[:half], text[len(text) - half :] if half else ""
    at = head.rfind("\n") + 1
    head = head[:at] if at > half // 2 else head
    at = tail.find("\n") + 1
    return head, tail[at:] if 0 < at < half // 2 else tail
