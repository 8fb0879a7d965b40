"""Where Go names a member without a dot: keys of literals."""

from tree_sitter import Node

from bot.languages.dotless_rows import dotless


def _is_key(node: Node, element: Node) -> bool:
    """Whether it is the key of a pair in a literal."""
    del node
    outer = element.parent
    return outer is not None and outer.type == "keyed_element" and outer.child_by_field_name("key") == element


DOTLESS = {
    "literal_element": (dotless("", "composite_literal", "type", is_member=_is_key),),
}
