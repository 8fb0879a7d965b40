"""What a block prints: the head and the tail go to the model, the middle is kept for `more()`, the rest is only counted.

A callable sink never stops the block; Monty's own collectors do, and lose all of its output, once their cap is reached.
"""

KEEP = 400_000  # characters of one block's output that are held at all


class PrintBuffer:
    """The sink of one block."""

    def __init__(self, size: int) -> None:
        self.total = 0
        self._half = max(1, size // 2)
        self._kept: list[str] = []
        self._room = KEEP
        self._tail = ""

    def __call__(self, _: str, text: str) -> None:
        """Take what was printed; the first argument names the stream."""
        self.total += len(text)
        if self._room > 0:
            self._kept.append(text[: self._room])
            self._room -= len(self._kept[-1])
        self._tail = (self._tail + text[-self._half :])[-self._half :]

    @property
    def omitted(self) -> int:
        """How many characters the model does not see."""
        return max(0, self.total - 2 * self._half)

    @property
    def text(self) -> str:
        """What the model sees."""
        kept = "".join(self._kept)
        if not self.omitted:
            return kept
        mark = f"\n[... {self.omitted:,} characters cut out of the middle; more() returns them as one string ...]\n"
        return kept[: self._half] + mark + self._tail

    @property
    def middle(self) -> str:
        """What was cut out, as far as it was held."""
        held = "".join(self._kept)[self._half :]
        lost = self.omitted - len(held[: self.omitted])
        return held[: self.omitted] + (f"\n[... {lost:,} more characters were not kept ...]" if lost else "")
