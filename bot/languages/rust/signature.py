"""The parameters of a Rust function, and the attributes that leave them as they are written."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from bot.languages.syntax import head, text
from bot.values import Parameter, Signature

HARMLESS = frozenset({
    "inline", "must_use", "allow", "deny", "warn", "forbid", "expect", "doc", "deprecated", "cold", "track_caller", "cfg",
    "test", "no_mangle", "instrument", "target_feature", "rustfmt", "clippy", "export_name", "link_section", "tokio",
    "ignore", "should_panic", "bench", "stable", "unstable", "unsafe", "automatically_derived",
})  # fmt: skip


def signature(node: Node) -> Signature:
    """The signature of a function without `self`. Every parameter must be given."""
    parameter_list = node.child_by_field_name("parameters")
    parameters: list[Parameter] = []
    opaque = any(name not in HARMLESS for name in attributes(node))
    for part in parameter_list.named_children if parameter_list is not None else ():
        pattern = part.child_by_field_name("pattern")
        if part.type == "variadic_parameter":
            parameters.append(Parameter("...", "varargs", is_required=False))
        elif part.type == "parameter" and not _is_self(part):
            name = text(pattern) if pattern is not None and pattern.type == "identifier" else "_"
            parameters.append(Parameter(name, "positional-only"))
        elif part.type in ("attribute_item", "ERROR"):
            opaque = True  # a parameter that exists under a condition
    return Signature(tuple(parameters), head(node, trailing=" ;"), opaque)


def receives(node: Node) -> bool:
    """Whether a function has a `self`."""
    parameter_list = node.child_by_field_name("parameters")
    parts = parameter_list.named_children if parameter_list is not None else []
    return any(part.type == "self_parameter" or _is_self(part) for part in parts)


def _is_self(part: Node) -> bool:
    pattern = part.child_by_field_name("pattern") if part.type == "parameter" else None
    return pattern is not None and pattern.type == "self"


def attributes(node: Node) -> Iterator[str]:
    """The first words of the attributes of an item."""
    for condition in conditions(node):
        first = re.match(r"#!?\[\s*(\w+)", condition)
        yield first[1] if first else ""


MOST_CONDITIONS = 50  # attributes and comments in front of an item


def conditions(node: Node) -> Iterator[str]:
    """The attributes of an item as written."""
    before = node.prev_named_sibling
    for _ in range(MOST_CONDITIONS):  # each step back is looked for among all siblings
        if before is None or before.type not in ("attribute_item", "line_comment", "block_comment"):
            return
        if before.type == "attribute_item":
            yield text(before)
        before = before.prev_named_sibling
