"""Find the types that a change brings in: names in annotations, returned values and constructors of changed code."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from bot.analyzers.type_checkers.layout import Contents
from bot.values import Side
from deeprepo.impact.changes import ChangedSymbol
from deeprepo.impact.reading.nodes import first_line, text
from deeprepo.impact.reading.syntax import tree_of

TYPED = frozenset({"type", "type_annotation", "return_statement", "new_expression"})
NAMES = frozenset({"identifier", "type_identifier", "predefined_type"})


def brought_in(symbols: Iterable[ChangedSymbol], changed: Mapping[Side, Contents]) -> dict[str, frozenset[str]]:
    """Return the key of each changed definition -> the names that give a type in its code on the head only."""
    found: dict[str, frozenset[str]] = {}
    for symbol in symbols:
        names = [
            {
                name
                for line, name in _typing(side.path, changed[side.side].get(side.path, b""))
                if side.start <= line <= side.end
            }
            for side in symbol.sides
        ]
        if len(names) > 1 and not names[1] <= names[0]:
            found[symbol.key] = frozenset(names[1] - names[0]) | found.get(symbol.key, frozenset())
    return found


@lru_cache(maxsize=64)
def _typing(path: str, source: bytes) -> frozenset[tuple[int, str]]:
    """Return the line and name of each identifier that may give a type to what code returns, is or has."""
    root = tree_of(path, source)
    nodes, found = [(root, False)] if root is not None else [], set()
    while nodes:
        node, is_typed = nodes.pop()
        if is_typed and node.type in NAMES:
            found.add((first_line(node), text(node)))
        left = node.child_by_field_name("left") if node.type == "assignment" else None  # `self.box = Crate()`
        is_typed = is_typed or node.type in TYPED or (left is not None and left.type == "attribute")
        nodes += [(child, is_typed) for child in node.named_children]
    return frozenset(found)
