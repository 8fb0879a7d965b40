"""Where a bracket closes that was open before a text. Pure."""

from collections.abc import Mapping

EVERY: Mapping[str, int] = {"(": 1, ")": -1, "[": 1, "]": -1, "{": 1, "}": -1}  # what each does to the depth
WITHOUT_BRACES: Mapping[str, int] = {"(": 1, ")": -1, "[": 1, "]": -1}


def before_close(text: str, brackets: Mapping[str, int] = EVERY) -> str:
    """Return what is before the bracket that closes one which was open before a text; the whole text if none does."""
    return text[: _close(text, brackets)[0]]


def open_count(text: str) -> int:
    """Return how many brackets of a text stay open; -1 if one of them closes what was open before."""
    return _close(text, EVERY)[1]


def _close(text: str, brackets: Mapping[str, int]) -> tuple[int, int]:
    """The position of the first bracket that closes more than was opened, or the end of the text, and the depth at that position."""
    depth = 0
    for at, letter in enumerate(text):
        if step := brackets.get(letter):
            depth += step
            if depth < 0:
                return at, depth
    return len(text), depth
