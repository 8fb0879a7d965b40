"""Units in prompts' worth: those of one file together, files of one folder together, gaps filled from elsewhere. Pure.

Every prompt pays for the instructions and the schema once more, so half-empty prompts cost a large review a tenth of its tokens.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from bot.values import Unit

PROMPT_TOKENS = 6_000  # of units in one prompt; small units share one
LARGE, LARGE_PROMPT = 150_000, 9_000  # above this many tokens of units a prompt takes more


def packed(units: Sequence[Unit], limit: int = 0) -> list[list[Unit]]:
    """Groups of units, none above the limit but a lone unit. The group with the riskiest unit comes first."""
    most = limit or (LARGE_PROMPT if _size(units) > LARGE else PROMPT_TOKENS)
    groups: list[list[Unit]] = []
    ordered = sorted(units, key=lambda unit: (_folder(unit), unit.path, unit.start))
    for _, of_folder in groupby(ordered, key=_folder):
        mine: list[list[Unit]] = []
        for chunk in sorted(_chunks(list(of_folder), most), key=_size, reverse=True):
            if not _first_fit(chunk, mine, most):
                mine.append(chunk)
        groups += [group for group in mine if not _first_fit(group, groups, most)]
    for group in groups:
        group.sort(key=lambda unit: (unit.path, unit.start))
    return sorted(groups, key=lambda group: -max(unit.risk for unit in group))


def _chunks(units: Sequence[Unit], most: int) -> Iterator[list[Unit]]:
    """The units of each file in the order of its lines, cut where the limit is reached."""
    for _, of_file in groupby(units, key=lambda unit: unit.path):
        chunk: list[Unit] = []
        for unit in of_file:
            if chunk and _size(chunk) + unit.tokens > most:
                yield chunk
                chunk = []
            chunk.append(unit)
        yield chunk


def _first_fit(chunk: list[Unit], groups: Sequence[list[Unit]], most: int) -> bool:
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
