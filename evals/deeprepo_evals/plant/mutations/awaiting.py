"""A call that nobody waits for any more.

Not equivalent: the callee is an asynchronous function of this tree. In Python a coroutine that is not awaited never runs; in
JavaScript the code goes on before it has, and holds a promise where it expects the value.
"""

from collections.abc import Iterator

from tree_sitter import Node

from bot.languages.syntax import text
from deeprepo_evals.plant.grammar import GO, PYTHON, own
from deeprepo_evals.plant.mutations.site import Mutation, Site, Spot

CLASS = "dropped-await"
AWAITS = {"await", "await_expression"}
HOLDERS = {"expression_statement", "assignment", "variable_declarator"}


def propose(site: Site) -> Iterator[Mutation]:
    """Every awaited call of a function that is defined once, asynchronous, in this tree."""
    if site.kind is GO:
        return
    for node in own(site.node, site.kind):
        if node.type not in AWAITS or node.parent is None or node.parent.type not in HOLDERS:
            continue
        call = node.named_children[0] if node.named_children else None
        callee = _asynchronous(site, call) if call is not None else None
        if call is not None and callee is not None:
            path, definition, name = callee
            yield site.mutation(
                CLASS,
                site.replace(node, text(call)),
                node,
                f"{name}() is asynchronous and is no longer awaited: "
                + ("it never runs" if site.kind is PYTHON else "the code goes on before it has run"),
                f"any call of {site.name}() that reaches the line",
                (Spot(path, definition.start_byte),),
            )


def _asynchronous(site: Site, call: Node) -> tuple[str, Node, str] | None:
    callee = site.scene.callee(site.path, call, site.kind)
    return callee if callee is not None and text(callee[1]).startswith("async") else None
