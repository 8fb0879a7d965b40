"""Two arguments in each other's place.

Not equivalent: the callee is defined in this tree, and its body, with the two parameters exchanged, is another text; parameters
that only meet as the two sides of a sum, a product or an equality are left out.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from bot.languages.syntax import text
from deeprepo_evals.plant.grammar import Family, own, parameters, positional, types
from deeprepo_evals.plant.mutations.site import Mutation, Site, Spot

CLASS = "swapped-arguments"
COMMUTE = {"+", "*", "==", "!=", "===", "!==", "and", "or", "&&", "||"}


def propose(site: Site) -> Iterator[Mutation]:
    """Every call with two plain arguments side by side whose order matters."""
    for node in own(site.node, site.kind):
        if node.type not in site.kind.calls:
            continue
        given = positional(node, site.kind) or []
        callee = site.scene.callee(site.path, node, site.kind)
        if callee is None or callee[1] == site.node:
            continue
        path, definition, name = callee
        names, declared = parameters(definition, site.kind) or [], types(definition, site.kind)
        for number, (one, two) in enumerate(pairwise(given if len(given) <= len(names) else ())):
            pair = names[number : number + 2]
            if len(pair) < len((one, two)) or len(set(declared[number : number + 2])) > 1:
                continue  # a compiler would see that
            if _plain(site, one, two) and _tells_apart(definition, site.kind, *pair):
                yield site.mutation(
                    CLASS,
                    (*site.replace(one, text(two)), *site.replace(two, text(one))),
                    one,
                    f"{name}() takes {pair[0]} before {pair[1]}, and is given {text(two)} before {text(one)}",
                    f"any call of {site.name}() where {text(one)} and {text(two)} differ",
                    (Spot(path, definition.start_byte),),
                )


def _plain(site: Site, one: Node, two: Node) -> bool:
    kinds = {*site.kind.identifiers, *site.kind.members}
    return one.type in kinds and two.type in kinds and text(one) != text(two)


def _tells_apart(definition: Node, kind: Family, one: str, two: str) -> bool:
    """Whether the callee treats the two differently."""
    body = text(definition.child_by_field_name("body"))
    swapped = re.sub(
        rf"(?<![\w.])({re.escape(one)}|{re.escape(two)})(?!\w)", lambda m: two if m[1] == one else one, body
    )
    uses = [node for node in own(definition, kind) if node.type == "identifier" and text(node) in {one, two}]
    return swapped != body and {text(node) for node in uses} == {one, two} and not all(map(_commutes, uses))


def _commutes(node: Node) -> bool:
    above = node.parent
    operator = above.child_by_field_name("operator") if above is not None else None
    if operator is None and above is not None and above.type == "comparison_operator":
        operator = above.children[1]
    return operator is not None and operator.type in COMMUTE
