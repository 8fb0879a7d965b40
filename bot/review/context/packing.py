"""Pack code regions into prompts.

Regions of one file stay together, and so do the files of a folder. Every prompt repeats the instructions and
the schema, so a larger change is read in larger prompts, and gaps are filled. Pure functions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from bot.values import Unit

# Tokens of regions in a change that one prompt shows with all unchanged lines of its definitions
ONE_PROMPT = 6_000
LARGE = 150_000  # tokens of regions; above this, prompts have less of everything else
Chunk = list[Unit]


@dataclass(frozen=True, slots=True)
class Scale:
    """Defines how prompts are filled for a change of a certain size."""

    most: int  # tokens of regions per prompt
    around: int | None  # unchanged lines shown around a change; None shows those of the region
    # Number of findings requested per prompt. A dense small part can have as many as a large one.
    candidates: int


SMALL_SCALE, PARTS_SCALE, LARGE_SCALE = Scale(ONE_PROMPT, None, 12), Scale(24_000, 3, 12), Scale(54_000, 1, 28)


def large(units: Sequence[Unit]) -> bool:
    """Return whether a change is so large that its prompts have less of everything else."""
    return _size(units) > LARGE


def scale(units: Sequence[Unit]) -> Scale:
    """Return the scale for a change of these regions."""
    if large(units):
        return LARGE_SCALE
    return PARTS_SCALE if _size(units) > ONE_PROMPT else SMALL_SCALE


def pack(units: Sequence[Unit], limit: int = 0) -> list[Chunk]:
    """Return groups of regions within the limit.

    Only a single region may exceed it. The group with the riskiest region comes first.
    """
    most = scale(units).most
    most = min(limit, most) if limit else most
    sorted_units = sorted(units, key=lambda unit: (_folder(unit), unit.path, unit.start))
    groups: list[Chunk] = []
    for _, of_folder in groupby(_chunks(sorted_units, most), key=lambda chunk: _folder(chunk[0])):
        mine: list[Chunk] = []
        for chunk in sorted(of_folder, key=_size, reverse=True):
            if not _first_fit(chunk, mine, most):
                mine.append(chunk)
        groups += [group for group in mine if not _first_fit(group, groups, most)]
    for group in groups:
        group.sort(key=lambda unit: (unit.path, unit.start))
    return sorted(groups, key=lambda group: -max(unit.risk for unit in group))


def _chunks(units: Sequence[Unit], most: int) -> Iterator[Chunk]:
    for _, of_file in groupby(units, key=lambda unit: unit.path):
        chunk: Chunk = []
        for unit in of_file:
            if chunk and _size(chunk) + unit.tokens > most:
                yield chunk
                chunk = []
            chunk.append(unit)
        yield chunk


def _first_fit(chunk: Chunk, groups: Sequence[Chunk], most: int) -> bool:
    """Add the chunk to the first group with room, and return whether there was one."""
    for group in groups:
        if _size(group) + _size(chunk) <= most:
            group.extend(chunk)
            return True
    return False


def _size(units: Sequence[Unit]) -> int:
    return sum(unit.tokens for unit in units)


def _folder(unit: Unit) -> str:
    return unit.path.rpartition("/")[0]
