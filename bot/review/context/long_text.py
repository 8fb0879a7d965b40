"""Split long texts into overlapping chunks that cover everything. Pure functions."""

from collections.abc import Iterator
from dataclasses import dataclass

from deeprepo.rlm.values import CHARS_PER_TOKEN

# Share of a chunk that repeats the end of the previous one, so that nothing is cut apart in both
OVERLAP = 0.1


@dataclass(frozen=True, slots=True)
class Chunk:
    """Characters `start` to `end` (exclusive) of a text, which are its lines `first` to `last`."""

    text: str
    start: int
    end: int
    first: int
    last: int


def chunks(text: str, tokens: int, overlap: float = OVERLAP) -> Iterator[Chunk]:
    """Yield chunks of about this many tokens that together cover the whole text.

    Chunks end at line ends if possible. Each chunk begins inside the previous one.
    """
    size = max(int(tokens * CHARS_PER_TOKEN), 1)
    overlap_size = min(int(size * overlap), size - 1)
    start, line, end = 0, 1, 0
    while True:
        end = _cut(text, max(start + size // 2, end + 1), start + size)
        piece = text[start:end]
        yield Chunk(piece, start, end, line, line + piece.count("\n", 0, -1))
        if end >= len(text):
            return
        following = max(start + 1, _line_start(text, end - overlap_size, start + 1))
        line += text.count("\n", start, following)
        start = following


def _cut(text: str, least: int, end: int) -> int:
    """Return the end of a chunk: after the last line break in this range, else at the limit."""
    if end >= len(text):
        return len(text)
    break_at = text.rfind("\n", least, end)
    return break_at + 1 if break_at >= 0 else end


def _line_start(text: str, at: int, least: int) -> int:
    """Return the beginning of the line at `at`, or `at` itself if that is too far back."""
    break_at = text.rfind("\n", least, at)
    return break_at + 1 if break_at >= 0 else at
