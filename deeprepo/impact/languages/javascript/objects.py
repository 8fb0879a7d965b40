"""Find the members of named objects."""

from collections.abc import Iterator

from tree_sitter import Node

from deeprepo.impact.defaults import Member
from deeprepo.impact.reading.marks import CASTS, bare

FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function", "method_definition"})
KEYS = ("property_identifier", "private_property_identifier", "shorthand_property_identifier")


def members(value: Node) -> Iterator[Member]:
    """Yield the members of an object; none of any other value."""
    made = bare(value, CASTS)
    for part in made.named_children if made.type == "object" else ():
        key = part.child_by_field_name("key") or part.child_by_field_name("name") or part
        if key.type == "string" and key.named_child_count == 1:
            key = key.named_children[0]
        elif key.type not in KEYS:
            continue
        function = bare(part.child_by_field_name("value") or part, CASTS)
        is_accessor = part.type == "method_definition" and part.children[0].type in ("get", "set")
        yield Member(key, part, function if function.type in FUNCTIONS and not is_accessor else None)
