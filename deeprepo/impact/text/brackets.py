"""Find where a bracket closes that was opened before a text."""

from collections.abc import Mapping

BRACKETS: Mapping[str, int] = {"(": 1, ")": -1, "[": 1, "]": -1, "{": 1, "}": -1}  # change of depth


def before_close(text: str) -> str:
    """Return the text before the bracket that closes one opened earlier, or the whole text."""
    return text[: _close(text)[0]]


def _close(text: str) -> tuple[int, int]:
    """Return the position and depth of the first unmatched closing bracket, or of the end."""
    depth = 0
    for at, letter in enumerate(text):
        if step := BRACKETS.get(letter):
            depth += step
            if depth < 0:
                return at, depth
    return len(text), depth
