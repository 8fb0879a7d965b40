"""Elixir: its files are searched for users of what changed. Which file a module is in, no line that names it says."""

from tree_sitter import Node

from impact.nodes import text
from impact.values import Arguments


def passed(call: Node) -> Arguments:
    """Return what a call passes: a pipe and a block give one more, and of `&total/2` the number is written."""
    above = call.parent
    outer = above.parent if above is not None else None
    if above is not None and _operator(outer) == "&" and _operator(above) == "/":
        return Arguments(int(text(above.child_by_field_name("right"))))
    parts = [one for child in call.named_children if child.type == "arguments" for one in child.named_children]
    written = [one for one in parts if one.type != "comment"]
    is_piped = above is not None and _operator(above) == "|>" and above.child_by_field_name("right") == call
    has_block = any(one.type == "do_block" for one in call.named_children)
    has_keywords = bool(written) and written[-1].type == "keywords"  # which a block joins
    spread = any("unquote_splicing" in text(one) for one in written)
    return Arguments(len(written) + is_piped + (has_block and not has_keywords), spread=spread)


def _operator(node: Node | None) -> str:
    return text(node.child_by_field_name("operator")) if node is not None else ""
