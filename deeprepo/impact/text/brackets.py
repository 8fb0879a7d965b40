"""Where a bracket closes that was open before a text. Pure."""

from collections.abc import Mapping

BRACKETS: Mapping[str, int] = {"(": 1, ")": -1, "[": 1, "]": -1, "{": 1, "}": -1}  # what each does to the depth


def before_close(text: str) -> str:
    """Return what is before the bracket that closes one which was open before a text; the whole text if none does."""
    return text[: _close(text)[0]]


def open_count(text: str) -> int:
    """Return how many brackets of a text stay open; -1 if one of them closes what was open before."""
    return _close(text)[1]


def _close(text: str) -> tuple[int, int]:
    """The position of the first bracket that closes more than was opened, or the end of the text, and the depth at that position."""
    depth = 0
    for at, letter in enumerate(text):
        if step := BRACKETS.get(letter):
            depth += step
            if depth < 0:
                return at, depth
    return len(text), depth
