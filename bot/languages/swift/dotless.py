"""Where Swift names a member without its type: labels of arguments, `case .slow:`, `.slow`."""

from tree_sitter import Node

from bot.languages.dotless_rows import NAMELESS, dotless
from bot.languages.syntax import text


def _follows_dot(node: Node, above: Node) -> bool:
    """Whether it is a member whose type the place tells: `.slow`."""
    del above
    return node.type == "simple_identifier" and text(node.prev_sibling) == "."


DOTLESS = {
    "value_argument_label": (dotless("", "call_expression", "first", plain=True),),
    "pattern": (dotless("first", "switch_statement", "expr", value=True, is_member=_follows_dot),),  # `case .slow:`
    "prefix_expression": (dotless("target", "prefix_expression", is_member=_follows_dot),),  # `.slow`
    NAMELESS: (dotless("", "tuple_expression"),),
}
