"""Long texts in pieces that leave nothing out: chunks with overlap that reach the last character. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from deeprepo.rlm.values import CHARS_PER_TOKEN

CHUNK_TOKENS = 4_000
OVERLAP = 0.1  # of a chunk: what two neighbours share, so that nothing is cut in two for both
LEAST_TOKENS, MOST_CHUNKS = 50, 2_000


@dataclass(frozen=True, slots=True)
class Chunk:
    """Characters `start` to `end` of a text (end not included), which are its lines `first` to `last`."""

    text: str
    start: int
    end: int
    first: int
    last: int


def chunks(text: str, tokens: int = CHUNK_TOKENS, overlap: float = OVERLAP) -> Iterator[Chunk]:
    """Yield pieces of about this many tokens, cut at line ends where there are any. Together they are the whole text.

    Each piece begins in the one before; the first begins at 0, the last one ends at the text's last character.
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
    """Where a piece ends: after the last line break between these places, else at the limit."""
    if end >= len(text):
        return len(text)
    break_at = text.rfind("\n", least, end)
    return break_at + 1 if break_at >= 0 else end


def _line_start(text: str, at: int, least: int) -> int:
    """The beginning of the line of `at`, or `at` itself where that lies too far back."""
    break_at = text.rfind("\n", least, at)
    return break_at + 1 if break_at >= 0 else at
