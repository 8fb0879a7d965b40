"""Nothing is returned where an empty collection was; an unchanged caller goes through it as before."""

from collections.abc import Iterator

from tree_sitter import Node

from bot.languages.syntax import text
from deeprepo_evals.plant.grammar import GO, PYTHON, Family, own
from deeprepo_evals.plant.mutations import Edit, Site, Spot
from deeprepo_evals.plant.twins.pair import Proposal, User, callers, given_to, outer

MECHANISM = "nothing is returned where an empty collection was"
EMPTY = {"[]", "{}", "()"}
LOOPS = {"for_statement": "right", "for_in_clause": "right", "for_in_statement": "right"}
TOUCHES = {"attribute": "object", "member_expression": "object", "subscript": "value", "subscript_expression": "object"}


def propose(site: Site) -> Iterator[Proposal]:
    """Every early empty answer of a function whose callers all go through what they get."""
    if site.kind is GO:  # an empty slice may be nil there
        return
    for node in own(site.node, site.kind):
        value = node.named_children[0] if node.type == "return_statement" and node.named_children else None
        if value is None or text(value) not in EMPTY:
            continue
        calls = callers(site)
        if calls is None or not all(_needs(outer(call), site.kind) for _, call in calls):
            return
        none = "None" if site.kind is PYTHON else "null"
        users = tuple(
            User(Spot(path, call.start_byte), _tolerant(path, outer(call), text(value), site.kind))
            for path, call in calls
        )
        yield Proposal(
            MECHANISM,
            f"Tell an empty answer of {site.name} from no answer",
            f"`{text(value)}` said both. Where there is no answer, {site.name} says so now.",
            site.replace(value, none),
            Spot(site.path, value.start_byte),
            users,
            f"{site.name}() returns {none} where it returned {text(value)}, and an unchanged caller goes through the result",
            "the caller fails as soon as there is no answer",
            f"every caller takes {none} for an empty answer",
        )
        return


def _needs(value: Node, kind: Family) -> bool:
    """Whether the value, or the variable that it is given to, is gone through, indexed or asked for something."""
    return _touches(value) or any(map(_touches, given_to(value, kind)))


def _touches(node: Node) -> bool:
    above = node.parent
    if above is None:
        return False
    field = LOOPS.get(above.type) or TOUCHES.get(above.type, "")
    counted = above.type == "argument_list" and above.parent is not None and text(above.parent).startswith("len(")
    return counted or above.type == "spread_element" or bool(field and above.child_by_field_name(field) == node)


def _tolerant(path: str, value: Node, empty: str, kind: Family) -> tuple[Edit, ...]:
    said = f"({text(value)} or {empty})" if kind is PYTHON else f"({text(value)} ?? {empty})"
    return (Edit(path, value.start_byte, value.end_byte, said.encode()),)
