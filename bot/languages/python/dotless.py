"""Where Python names a member without a dot: keyword arguments and the patterns of `match`."""

from tree_sitter import Node

from bot.languages.dotless_rows import NAMELESS, dotless


def _is_class(node: Node, dotted_name: Node) -> bool:
    """Whether it is the class of a pattern."""
    del node
    return dotted_name.parent is not None and dotted_name.parent.type == "class_pattern"


DOTLESS = {
    "keyword_pattern": (dotless("first", "class_pattern", "first"),),
    "keyword_argument": (dotless("name", "call", "function", plain=True),),
    "dotted_name": (dotless("", "class_pattern", "first", kind="pattern", is_member=_is_class),),
    NAMELESS: (dotless("", "pattern_list tuple_pattern"),),
}
