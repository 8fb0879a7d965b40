"""Collect what a block prints, and cut a long output to its beginning and end."""

KEEP = 400_000  # characters of a block's output that are kept: its beginning and its end
MARK = "\n[... {count:,} characters cut here{how} ...]\n"
NOT_KEPT = "\n[... {count:,} more characters were not kept ...]\n"
MARK_CHARS = 90  # maximum length of MARK


class PrintBuffer:
    """Collects the output of one block."""

    def __init__(self, size: int) -> None:
        self._size, self._half = size, max(KEEP, size) // 2
        self._head, self._tail = list[str](), ""
        self._room, self._lost = self._half, 0

    def __call__(self, text: str) -> None:
        """Add printed text. What exceeds the limit between beginning and end is only counted."""
        self._head.append(text[: self._room])
        tail = self._tail + text[self._room :]
        self._room -= len(self._head[-1])
        self._lost += max(0, len(tail) - self._half)
        self._tail = tail[-self._half :]

    def finish(self, number: int | None) -> tuple[str, int, str]:
        """Return the text for the model (at most `size` characters), the characters left out, and the text for `more(number)`.

        Without a number, `more` has nothing, because the output of a block that was stopped differs between runs.
        """
        first, last, lost = "".join(self._head), self._tail, self._lost
        if len(first) + len(last) <= self._size:
            return first + last, 0, ""
        half, text = max(0, self._size - MARK_CHARS) // 2, first + last
        head, tail = text[:half], text[len(text) - half :]
        kept = (first + (NOT_KEPT.format(count=lost) if lost else "") + last)[len(head) :]
        kept = kept[: len(kept) - len(tail)]
        omitted = len(text) + lost - 2 * half
        how = f": more({number}) returns {'most of them' if lost else 'them'}" if number else ""
        return (head + MARK.format(count=omitted, how=how) + tail)[: self._size], omitted, kept if number else ""
