"""A sum in place of a difference, `or` in place of `and`.

Not equivalent: `a + b` is `a - b` only if b is 0, and b is not; `and` and `or` part wherever exactly one side
holds, and by them hangs a way out of the function.
"""

from collections.abc import Iterator

from tree_sitter import Node

from bot.languages.syntax import ancestors, text
from deeprepo_evals.plant.grammar import own
from deeprepo_evals.plant.mutations.branches import after, branch, decides, same
from deeprepo_evals.plant.mutations.site import Mutation, Site

CLASS = "wrong-operator"
SUMS = {"binary_operator", "binary_expression"}
INDEX = {"subscript", "subscript_expression", "index_expression", "slice", "slice_expression"}


def propose(site: Site) -> Iterator[Mutation]:
    """Differences and junctions."""
    for node in own(site.node, site.kind):
        operator = node.child_by_field_name("operator")
        right = node.child_by_field_name("right")
        if operator is None or right is None:
            continue
        if node.type in SUMS and operator.type == "-" and text(right) != "0" and not _within_index(node):
            yield site.mutation(
                CLASS,
                site.replace(operator, "+"),
                node,
                f"`{text(node)}` adds now what it took away",
                f"{site.name}() where {text(right)} is not 0",
            )
        if node.type in site.kind.junctions and operator.type in site.kind.words and _leaves(site, node):
            new = site.kind.words[operator.type]
            yield site.mutation(
                CLASS,
                site.replace(operator, new),
                node,
                f"`{operator.type}` became `{new}` in `{text(node)}`",
                f"{site.name}() where exactly one side of `{text(node)}` holds",
            )


def _within_index(node: Node) -> bool:
    return any(above.type in INDEX for above in ancestors(node))


def _leaves(site: Site, node: Node) -> bool:
    """Whether one way out of the function hangs on the junction, and both its sides are more than the same words."""
    statement = decides(node)
    if statement is None or same(node.child_by_field_name("left"), node.child_by_field_name("right")):
        return False
    found = branch(statement, site.kind)
    return statement.type == "return_statement" or (
        found is not None and found.exits and not same(found.last, after(statement))
    )
