"""Group the uses of changed contracts that are still open into prompts, within limits.

Each prompt shows changed definitions and the lines around their uses, those closest to breaking first. Uses
that don't fit or get no answer stay open, and the review lists them.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.review.context import snippets
from bot.review.coverage import ObligedUse
from bot.values import Excerpt, Unit
from deeprepo.impact.text.lines import file_lines
from deeprepo.rlm.values import tokens

if TYPE_CHECKING:
    from deeprepo.impact.ports import Tree

PROMPT_TOKENS = 20_000  # tokens of uses in one prompt
EXCERPT_TOKENS = 5_000  # tokens of the lines around one use
REVIEW_TOKENS = 60_000  # tokens of uses in all such prompts of a review
AROUND_USE = 4  # lines before and after a use
TOO_MANY = "more references than one review covers"
# The changed regions, their uses, and the lines around the uses
Group = tuple[tuple[Unit, ...], tuple[ObligedUse, ...], tuple[Excerpt, ...]]


async def group(
    tree: "Tree", units: Mapping[str, Unit], uses: Sequence[ObligedUse], limit: int = PROMPT_TOKENS
) -> tuple[list[Group], list[ObligedUse]]:
    """Return the uses per prompt, and those left out. `limit`: tokens of one prompt."""
    texts = await tree.read_many(list(dict.fromkeys(use.path for use in uses)))
    by_symbol: dict[str, list[ObligedUse]] = defaultdict(list)
    for use in uses:
        by_symbol[use.symbol].append(use)
    left_over, groups, left = REVIEW_TOKENS, [], []
    for symbol, mine in by_symbol.items():
        unit_known = _unit(symbol, units)
        unit = (unit_known,) if unit_known is not None else ()
        part: list[ObligedUse] = []
        shown_excerpts: list[Excerpt] = []
        size = 0
        for use in mine:
            excerpt = _around(use, file_lines(texts.get(use.path, b"")))
            if excerpt is None or excerpt.size > left_over:
                left.append(use)
                continue
            if size + excerpt.size > limit and part:
                groups.append((unit, tuple(part), tuple(snippets.join(shown_excerpts))))
                part, shown_excerpts, size = [], [], 0
            left_over -= excerpt.size
            size += excerpt.size
            part.append(use)
            shown_excerpts.append(excerpt)
        if part:
            groups.append((unit, tuple(part), tuple(snippets.join(shown_excerpts))))
    return _join(groups, limit), left


def _join(groups: Sequence[Group], most: int) -> list[Group]:
    """Join small groups into the first prompt with room, since every prompt repeats the instructions."""
    joined_groups: list[Group] = []
    room: list[int] = []
    for units, uses, excerpts in groups:
        size = sum(excerpt.size for excerpt in excerpts)
        at = next(
            (index for index, free in enumerate(room) if size + _size(units, joined_groups[index][0]) <= free),
            len(joined_groups),
        )
        if at == len(joined_groups):
            joined_groups.append(((), (), ()))
            room.append(most)
        group_held = joined_groups[at]
        room[at] -= size + _size(units, group_held[0])
        joined_groups[at] = (
            tuple(dict.fromkeys((*group_held[0], *units))),
            (*group_held[1], *uses),
            (*group_held[2], *excerpts),
        )
    return joined_groups


def _size(units: Sequence[Unit], units_held: Sequence[Unit]) -> int:
    """Return the tokens of the changed lines that these regions add to a prompt with other regions."""
    rows = ((*unit.heads, *unit.changed_rows) for unit in units if unit not in units_held)
    return sum(tokens("\n".join(map(str, mine))) for mine in rows)


def _unit(symbol: str, units: Mapping[str, Unit]) -> Unit | None:
    """Return the code region that shows the changed definition, or one that refers to it."""
    unit_known = units.get(symbol)
    if unit_known is not None:
        return unit_known
    namesake = next(
        (unit for unit in units.values() if any(reference.symbol == symbol for reference in unit.references)), None
    )
    path, _, name = symbol.rpartition(":")
    word = name.rpartition(".")[2]
    return namesake or next((unit for unit in units.values() if unit.path == path and word in unit.diff), None)


def _around(use: ObligedUse, lines: Sequence[str]) -> Excerpt | None:
    """Return the lines around a use; None if they are too long."""
    first, last = max(1, use.line - AROUND_USE), min(len(lines), use.line + AROUND_USE)
    if first > last or tokens("\n".join(lines[first - 1 : last])) > EXCERPT_TOKENS:
        return None
    excerpt = snippets.cut(use.path, lines, range(first, last + 1), f"uses {use.reference.name}")
    return replace(excerpt, title=f"{use.reference.function} · {excerpt.title}") if use.reference.function else excerpt
