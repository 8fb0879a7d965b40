"""A condition that means its opposite.

Not equivalent: execution that reaches the line takes the other way, and the two ways differ: one of them leaves the function, the loop
or the turn and the other goes on, or they are two blocks that are not written alike.
"""

from collections.abc import Iterator

from tree_sitter import Node

from bot.languages.syntax import text
from deeprepo_evals.plant.grammar import PYTHON, own
from deeprepo_evals.plant.mutations.branches import after, branch, same
from deeprepo_evals.plant.mutations.site import Mutation, Site

CLASS = "inverted-condition"
OPPOSITE = {
    "==": "!=", "!=": "==", "===": "!==", "!==": "===", "in": "not in", "not in": "in", "is": "is not", "is not": "is",
}  # fmt: skip
NEGATIONS = {"not_operator", "unary_expression"}
LONG = 80  # characters: a longer condition would not be negated by hand
SIDES = 3


def propose(site: Site) -> Iterator[Mutation]:
    """Every plain if whose two ways differ."""
    for node in own(site.node, site.kind):
        found = branch(node, site.kind)
        if found is None or len(text(found.condition)) > LONG or not (found.exits or found.other):
            continue
        if same(found.block, found.other) or same(found.last, after(node)) or node.child_by_field_name("initializer"):
            continue
        new = _negate(site, found.condition)
        if new is not None:
            yield site.mutation(
                CLASS,
                site.replace(found.condition, new),
                found.condition,
                f"the condition `{text(found.condition)}` became `{new}`: the two ways are exchanged",
                f"any call of {site.name}() that reaches the condition",
            )


def _negate(site: Site, node: Node) -> str | None:
    """The opposite, as a person would write it."""
    if node.type in NEGATIONS and not text(node).startswith(("-", "+", "~", "*", "&", "<-", "typeof", "void")):
        inner = node.child_by_field_name("argument") or node.child_by_field_name("operand")
        return text(inner) if inner is not None else None
    if node.type in site.kind.comparisons and node.child_count == SIDES:
        left, operator, right = node.children
        if right.type in site.kind.nothing:
            return None  # a check for nothing is another class
        if operator.type in OPPOSITE:
            return f"{text(left)} {OPPOSITE[operator.type]} {text(right)}"
        return None
    if node.type in {*site.kind.identifiers, *site.kind.members, *site.kind.calls}:
        return f"not {text(node)}" if site.kind is PYTHON else f"!{text(node)}"
    return None
