"""How a language says where its syntax names a member without a dot: rows by the kind of the node around the name, `DOTLESS` of its module."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tree_sitter import Node

Kind = Literal["member", "attribute", "pattern"]
NAMELESS = ""  # the row of the nodes that take an object apart by places, with no word for its class; the order tells the value


@dataclass(frozen=True, slots=True)
class DotlessRow:
    """How one kind of node holds a member's name."""

    child: str  # the field that the name is in; "first": of no field, and in front; "": anywhere
    holders: frozenset[str]  # nodes around it that say whose it is
    owner: str = ""  # their field for that; "first": the first node in them
    is_plain: bool = False
    is_value: bool = False  # the owner is a value, whose declaration tells
    kind: Kind = "member"
    is_member: Callable[[Node, Node], bool] | None = (
        None  # whether the node in the one around it is such a name, if `child` does not tell
    )


def dotless(
    child: str,
    holders: str,
    owner: str = "",
    *,
    plain: bool = False,
    value: bool = False,
    kind: Kind = "member",
    is_member: Callable[[Node, Node], bool] | None = None,
) -> DotlessRow:
    """Return a row; `holders`: kinds of nodes with blanks between them."""
    return DotlessRow(child, frozenset(holders.split()), owner, plain, value, kind, is_member)
