"""Where C# names a member or a class without a dot: patterns, `with`, arguments of attributes."""

import re

from tree_sitter import Node

from bot.languages.dotless_rows import NAMELESS, dotless


def _is_called(node: Node, pattern: Node) -> bool:
    """Whether brackets follow in a pattern: the grammar reads `Point(1, 2)` as a call."""
    return re.match(r"\s*+\(", _behind(pattern, node)) is not None


def _has_parts(node: Node, pattern: Node) -> bool:
    """Whether a pattern names its class and takes it apart by places."""
    is_class = pattern.child_by_field_name("type") == node
    return is_class and any(part.type == "positional_pattern_clause" for part in pattern.named_children)


def _behind(above: Node, node: Node) -> str:
    """The text behind a node, also where the grammar closes the node around it too early."""
    outer = above.parent
    while outer is not None and outer.end_byte == node.end_byte:
        outer = outer.parent
    return (
        (outer.text or b"")[node.end_byte - outer.start_byte :][:8].decode("utf-8", "replace")
        if outer is not None
        else ""
    )


DOTLESS = {
    "subpattern": (dotless("first", "recursive_pattern", "type"),),
    "with_initializer": (dotless("first", "with_expression", "first", value=True),),
    "attribute_argument": (dotless("name", "attribute", "name"),),
    "constant_pattern": (dotless("", "constant_pattern", "first", kind="pattern", is_member=_is_called),),
    "recursive_pattern": (dotless("type", "recursive_pattern", "type", kind="pattern", is_member=_has_parts),),
    NAMELESS: (dotless("", "tuple_pattern tuple_expression"),),
}
