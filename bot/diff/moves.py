"""Find the lines that a change moves, so that prompts can say where they were before. Pure functions."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from bot.values import ChangedFile

LEAST_LINES = 5  # lines with a word in the shortest move that is reported
MOST_ALIKE = 8  # a move cannot start with a text that occurs on more removed lines than this


@dataclass(frozen=True, slots=True)
class Move:
    """Added lines that the change removes elsewhere. Only their indentation may differ."""

    path: str
    start: int
    end: int
    old_path: str
    old_start: int
    old_end: int


def find(files: Sequence[ChangedFile]) -> list[Move]:
    """Return the moves in a change, the longest if lines may have come from several locations."""
    removed = [
        (file.old_path or file.path, line.old, line.text.strip())
        for file in files
        for hunk in file.hunks
        for line in hunk.lines
        if line.kind == "-" and line.old is not None
    ]
    positions: dict[str, list[int]] = defaultdict(list)
    for at, (_, _, text) in enumerate(removed):
        positions[text].append(at)
    return [move for file in files for move in _of_file(file, removed, positions)] if removed else []


def _of_file(file: ChangedFile, removed: Sequence[tuple[str, int, str]], positions: dict[str, list[int]]) -> list[Move]:
    lines = [
        (line.new, line.text.strip()) for hunk in file.hunks for line in hunk.lines if line.kind == "+" and line.new
    ]
    moves: list[Move] = []
    at = 0
    while at < len(lines):
        starts = positions.get(lines[at][1], ()) if _has_word(lines[at][1]) else ()
        runs = [(_length(lines, at, removed, start), start) for start in starts] if len(starts) <= MOST_ALIKE else []
        length, start = max(runs, default=(0, 0), key=lambda run: run[0])
        if sum(_has_word(text) for _, text in lines[at : at + length]) < LEAST_LINES:
            at += 1
            continue
        old_path, first, _ = removed[start]
        moves.append(Move(file.path, lines[at][0], lines[at + length - 1][0], old_path, first, first + length - 1))
        at += length
    return moves


def _length(lines: Sequence[tuple[int, str]], at: int, removed: Sequence[tuple[str, int, str]], start: int) -> int:
    """Return how many consecutive lines from here on are equal on both sides."""
    path, first, _ = removed[start]
    most = min(len(lines) - at, len(removed) - start)
    for length in range(most):
        number, text = lines[at + length]
        if number != lines[at][0] + length or removed[start + length] != (path, first + length, text):
            return length
    return most


def _has_word(text: str) -> bool:
    """Return whether a line has a word, unlike a bracket."""
    return sum(character.isalnum() for character in text) > 2  # noqa: PLR2004
