"""Collect what a block prints, and end a long output after a whole line."""

KEEP = 400_000  # characters of a block's output that are kept
FIRST = "[This block prints {count:,} characters, which is too much: the first {size:,} follow.]\n"
MARK = "[... {lines:,} more lines, {count:,} characters{how}]\n"
NOT_KEPT = "\n[... {count:,} more characters were not kept]\n"
MARK_CHARS = 90  # maximum length of MARK


class PrintBuffer:
    """Collects the output of one block."""

    def __init__(self, size: int) -> None:
        self._size, self._room = size, max(KEEP, size)
        self._parts, self._lost = list[str](), 0

    def __call__(self, text: str) -> None:
        """Add printed text. What exceeds the limit is only counted."""
        self._parts.append(text[: self._room])
        self._room -= len(self._parts[-1])
        self._lost += len(text) - len(self._parts[-1])

    def finish(self, number: int | None) -> tuple[str, int, str]:
        """Return the text for the model (at most `size` characters), the characters left out, and the text for `more(number)`.

        Without a number, `more` has nothing, because the output of a block that was stopped differs between runs.
        """
        text = "".join(self._parts)
        if len(text) + self._lost <= self._size:
            return text, 0, ""
        first = FIRST.format(count=len(text) + self._lost, size=self._size)
        room = max(0, self._size - len(first) - MARK_CHARS)
        end = text.rfind("\n", room // 2, room) + 1 or room  # within a line only if that line is very long
        rest, omitted = text[end:], len(text) - end + self._lost
        how = f": print(more({number})) shows {'most of them' if self._lost else 'them'}" if number else ""
        mark = MARK.format(lines=rest.count("\n"), count=omitted, how=how)
        rest += NOT_KEPT.format(count=self._lost) if self._lost else ""
        return f"{first}{text[:end]}{mark}"[: self._size], omitted, rest if number else ""
