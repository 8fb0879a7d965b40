"""Units in prompts' worth: those of one file together, and where one part of a change uses what another one brings, both. Pure.

Every prompt pays for the instructions and the schema once more: a larger change is read in larger prompts, and gaps are filled.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from bot.review.context.cross_unit import meetings
from bot.values import Unit

ONE_PROMPT = 6_000  # tokens of units that one reader sees with all the unchanged lines of their definitions
LARGE = 150_000  # tokens of units above which prompts have less of everything else
Chunk = list[Unit]


@dataclass(frozen=True, slots=True)
class Scale:
    """How the prompts of a change of some size are filled."""

    most: int  # tokens of units in one of them
    around: int | None  # unchanged lines beside a change of code that they show; None: those of the unit
    candidates: (
        int  # things that the reader of one of them is asked for: a dense small part holds as many as a larger one
    )


SMALL_SCALE, PARTS_SCALE, LARGE_SCALE = Scale(ONE_PROMPT, None, 12), Scale(24_000, 3, 12), Scale(54_000, 1, 20)


def large(units: Sequence[Unit]) -> bool:
    """Return whether a change is so large that its prompts hold less of everything else."""
    return _size(units) > LARGE


def scale(units: Sequence[Unit]) -> Scale:
    """Return the scale of a change of these units."""
    if large(units):
        return LARGE_SCALE
    return PARTS_SCALE if _size(units) > ONE_PROMPT else SMALL_SCALE


def pack(units: Sequence[Unit], limit: int = 0) -> list[Chunk]:
    """Return groups of units, none above the limit but a lone unit. The group with the riskiest unit comes first."""
    most = scale(units).most
    most = min(limit, most) if limit else most
    sorted_units = sorted(units, key=lambda unit: (_folder(unit), unit.path, unit.start))
    groups: list[Chunk] = []
    for _, of_folder in groupby(
        _join_related(list(_chunks(sorted_units, most)), most), key=lambda chunk: _folder(chunk[0])
    ):
        mine: list[Chunk] = []
        for chunk in sorted(of_folder, key=_size, reverse=True):
            if not _first_fit(chunk, mine, most):
                mine.append(chunk)
        groups += [group for group in mine if not _first_fit(group, groups, most)]
    for group in groups:
        group.sort(key=lambda unit: (unit.path, unit.start))
    return sorted(groups, key=lambda group: -max(unit.risk for unit in group))


def _chunks(units: Sequence[Unit], most: int) -> Iterator[Chunk]:
    """The units of each file in the order of its lines, cut where the limit is reached."""
    for _, of_file in groupby(units, key=lambda unit: unit.path):
        chunk: Chunk = []
        for unit in of_file:
            if chunk and _size(chunk) + unit.tokens > most:
                yield chunk
                chunk = []
            chunk.append(unit)
        yield chunk


def _join_related(chunks: Sequence[Chunk], most: int) -> list[Chunk]:
    """The chunks, those joined whose names meet: the closest first, as long as both fit into one prompt."""
    place = {unit.id: index for index, chunk in enumerate(chunks) for unit in chunk}
    weights: dict[tuple[int, int], float] = defaultdict(float)
    for (one, other), weight in meetings([unit for chunk in chunks for unit in chunk]).items():
        first, second = sorted((place[one], place[other]))
        if first != second:
            weights[first, second] += weight
    return _join(chunks, weights, most)


def _join(chunks: Sequence[Chunk], weights: Mapping[tuple[int, int], float], most: int) -> list[Chunk]:
    members = {index: [index] for index in range(len(chunks))}
    whose = {at: at for at in range(len(chunks))}
    sizes = {at: _size(chunk) for at, chunk in enumerate(chunks)}
    for first, second in sorted(weights, key=lambda pair: (-weights[pair], pair)):
        one, other = sorted((whose[first], whose[second]))
        if one != other and sizes[one] + sizes[other] <= most:
            members[one] += members.pop(other)
            sizes[one] += sizes.pop(other)
            whose.update(dict.fromkeys(members[one], one))
    return [[unit for at in mine for unit in chunks[at]] for mine in members.values()]


def _first_fit(chunk: Chunk, groups: Sequence[Chunk], most: int) -> bool:
    """Put the chunk into the first group that has room for it; False where none has."""
    for group in groups:
        if _size(group) + _size(chunk) <= most:
            group.extend(chunk)
            return True
    return False


def _size(units: Sequence[Unit]) -> int:
    return sum(unit.tokens for unit in units)


def _folder(unit: Unit) -> str:
    return unit.path.rpartition("/")[0]
