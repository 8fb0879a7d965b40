"""Count the results of a function."""

from tree_sitter import Node


def count(result: Node) -> int:
    """Return the number of declared results."""
    if result.type != "parameter_list":
        return 1
    return sum(max(1, len(one.children_by_field_name("name"))) for one in result.named_children)
