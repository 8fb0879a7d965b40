"""A boundary that is taken in where it was left out, or the other way round.

Not equivalent: for operands that are equal, which a caller can choose, the comparison answers the opposite, and by it hangs a
value that is returned, an item of a list, a turn of a loop or the way out of the function. Forms in which equality makes no
difference are left out: a clamp (the block speaks of an operand), an empty answer (what follows often gives the same), and
operands that are compared again below.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from bot.languages.syntax import text
from deeprepo_evals.plant.grammar import own, parameters
from deeprepo_evals.plant.mutations.branches import after, branch, decides, same, words
from deeprepo_evals.plant.mutations.site import Mutation, Site

CLASS = "off-by-one"
FLIPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
CUTS = {"subscript", "slice", "slice_expression", "subscript_expression", "index_expression"}
SIDES = 3  # left, operator, right


def propose(site: Site) -> Iterator[Mutation]:
    """Every comparison whose boundary can be moved."""
    given = set(parameters(site.node, site.kind) or ()) | {"self", "this"}
    for node in own(site.node, site.kind):
        if node.type not in site.kind.comparisons or node.child_count != SIDES:
            continue
        left, operator, right = node.children
        if operator.type in FLIPPED and given & words(node) and _countable(left, right) and _shows(site, node):
            new = FLIPPED[operator.type]
            yield site.mutation(
                CLASS,
                site.replace(operator, new),
                node,
                f"`{text(left)} {operator.type} {text(right)}` became `{text(left)} {new} {text(right)}`: the boundary itself is "
                "now judged the other way",
                f"{site.name}() where {text(left)} is exactly {text(right)}",
            )


def _countable(left: Node, right: Node) -> bool:
    """Whether the two sides can be equal: numbers, lengths and counts, no texts and no fractions."""
    return not any("string" in side.type or side.type in {"float", "float_literal"} for side in (left, right))


def _shows(site: Site, node: Node) -> bool:
    statement = decides(node)
    if statement is None:
        return False
    found = branch(statement, site.kind)
    if found is None:
        return statement.type != "if_statement"
    if not found.exits or found.raises:
        return found.raises
    spoken = words(node) - {"self", "this"}
    if found.last.type == "return_statement" and (_empty(found.last) or _asked_again(site, statement, spoken)):
        return False
    return not spoken & words(found.block) and not same(found.last, after(statement))


def _empty(leaves: Node) -> bool:
    """Whether nothing, or as good as nothing, is returned: what follows often gives the same for a boundary."""
    value = text(leaves).removeprefix("return").strip(" ;")
    return not re.search(r"[1-9A-Za-z]", value) or value in {"None", "null", "nil", "undefined", "0"}


def _asked_again(site: Site, statement: Node, operands: set[str]) -> bool:
    """Whether what follows compares the operands once more, or cuts by them."""
    return any(
        node.start_byte >= statement.end_byte
        and (node.type in site.kind.comparisons or node.type in CUTS)
        and words(node) & operands
        for node in own(site.node, site.kind)
    )
