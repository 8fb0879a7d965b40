"""Join patterns that are written in two halves.

A query keeps a match open until its last node arrives. If a pattern says "a decorator, and later the class",
then n decorators keep n matches open, and each further node is compared with all of them: a row of a few
thousand takes minutes. So such a pattern is written as two patterns, each of which ends where it begins. The
first captures `@first.NAME`, the second captures `@then.NAME`, and their rows are joined here in linear time.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from tree_sitter import Node

Captures = Mapping[str, Sequence[Node]]
Row = tuple[int, Captures]  # the index of the pattern, and what it captured
Halves = Mapping[int, tuple[str, ...]]  # index of a pattern -> its captures that make it a half
FIRST, THEN = "first.", "then."
HALF = re.compile(r"@((?:first|then)\.[\w.]+)")


def halves(pattern: str) -> tuple[str, ...]:
    """Return the captures that make a pattern a half; () for a whole pattern."""
    return tuple(HALF.findall(pattern))


def join(rows: Sequence[Row], parts: Halves, stacked: Collection[str]) -> Iterator[Row]:
    """Yield rows in which halves are joined.

    A first half and a second half belong together if they captured the same node. If the first half captured a
    node of a kind in `stacked`, such as a decorator, then the node below its row of decorators counts instead.
    If no pattern is the second half, that node is added to the row as `@NAME`. A first half that captures nothing
    else is a condition, so it counts once per node. Captures whose names begin with "_" don't matter for this.
    """
    seconds = _seconds(rows, parts)
    below: dict[int, Node | None] = {}
    met: set[tuple[str, int]] = set()
    for pattern, captures in rows:
        if pattern not in parts:
            yield pattern, captures
        firsts = [name for name in parts.get(pattern, ()) if name.startswith(FIRST)]
        is_condition = all(key in firsts or key.startswith("_") for key in captures)
        for first in firsts:
            node, name = _below(captures[first][0], stacked, below), first.removeprefix(FIRST)
            if node is None or (is_condition and (first, node.id) in met):
                continue
            met.add((first, node.id))
            others = seconds[name].get(node.id, ()) if name in seconds else [{name: [node]}]
            yield from ((pattern, {**captures, **other}) for other in others)


def _seconds(rows: Sequence[Row], parts: Halves) -> Mapping[str, Mapping[int, Sequence[Captures]]]:
    names = {name for captures in parts.values() for name in captures if name.startswith(THEN)}
    found: dict[str, dict[int, list[Captures]]] = {name.removeprefix(THEN): defaultdict(list) for name in names}
    met: set[tuple[object, ...]] = set()
    for pattern, captures in rows:
        for name in names.intersection(parts.get(pattern, ())):
            shown = {key: nodes for key, nodes in captures.items() if not key.startswith("_")}
            row = (pattern, name, *((key, *(node.id for node in nodes)) for key, nodes in shown.items()))
            if row not in met:
                found[name.removeprefix(THEN)][captures[name][0].id].append(shown)
            met.add(row)
    return found


def _below(node: Node, stacked: Collection[str], below: dict[int, Node | None]) -> Node | None:
    """Return the sibling below a row of decorators or the like; the node itself if it forms no rows."""
    if node.type not in stacked:
        return node
    if node.id not in below and node.parent is not None:  # found for the whole row, so that each is walked once
        following: Node | None = None
        for sibling in reversed(node.parent.named_children):
            if sibling.type in stacked:
                below[sibling.id] = following
            else:
                following = sibling
    return below.get(node.id)
