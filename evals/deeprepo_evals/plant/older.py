"""How a function was written before: the same behaviour with another name for one local variable.

So a change shows more than the planted line, and most of what it shows is right.
"""

from collections.abc import Iterator

from tree_sitter import Node

from bot.languages.syntax import text
from deeprepo_evals.plant.grammar import GO, JAVASCRIPT, PYTHON, Family, own, parameters, walk
from deeprepo_evals.plant.mutations import Edit

BINDS = {"assignment": "left", "variable_declarator": "name", "short_var_declaration": "left"}
NEVER = {"err", "_", "self", "this"}


def older(path: str, function: Node, kind: Family) -> tuple[Edit, ...]:
    """The edits that give one local variable the name it had before; none if there is no such edit."""
    given = set(parameters(function, kind) or ()) | NEVER
    for name in _bound(function, kind):
        places = _places(function, name, kind) if name not in given else None
        if places and not any(text(node) == _before(name, kind) for node in walk(function)):
            return tuple(Edit(path, node.start_byte, node.end_byte, _before(name, kind).encode()) for node in places)
    return ()


def _before(name: str, kind: Family) -> str:
    return f"the_{name}" if kind is PYTHON else f"the{name[0].upper()}{name[1:]}"


def _bound(function: Node, kind: Family) -> Iterator[str]:
    """Names that the function itself gives to a value."""
    for node in own(function, kind):
        left = node.child_by_field_name(BINDS[node.type]) if node.type in BINDS else None
        if left is not None and left.type == "expression_list":
            left = left.named_children[0]
        if left is not None and left.type == "identifier":
            yield text(left)


def _places(function: Node, name: str, kind: Family) -> list[Node] | None:
    """Every place of the variable; None where the name also stands for another thing."""
    found = []
    for node in walk(function):
        if not node.type.endswith("identifier") or text(node) != name:
            continue
        above = node.parent
        if node.type != "identifier" or above is None or above.type in {"global_statement", "nonlocal_statement"}:
            return None
        if above.type in kind.members and above.child_by_field_name(kind.members[above.type][1]) == node:
            continue
        if above.type == "keyword_argument" and above.child_by_field_name("name") == node:
            continue
        if kind in (JAVASCRIPT, GO) and above.type in {"keyed_element", "literal_element", "pair"}:
            return None
        found.append(node)
    return found
