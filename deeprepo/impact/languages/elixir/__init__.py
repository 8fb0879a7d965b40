"""Support Elixir, whose files are searched for references only, since no import names a module's file."""

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from tree_sitter import Node

from deeprepo.impact.languages.elixir.importers import rows_of
from deeprepo.impact.reading.nodes import ancestors, text
from deeprepo.impact.values import Arguments

MATCHES = ("=", "<-")  # operators after a pattern
TAKES_PATTERN = ("match?", "assert_receive", "assert_received", "refute_receive", "refute_received")


def type_name(node: Node) -> str:
    """Return the full name of a module, resolving aliases and `__MODULE__`; "" if it is ambiguous."""
    written = text(node)
    if written == "__MODULE__":
        around = (one for one in ancestors(node) if text(one.child_by_field_name("target")) == "defmodule")
        names = [text(name) for one in around for name in one.named_children[1].named_children[:1]]
        return ".".join(reversed(names))
    *_, root = ancestors(node)
    first, dot, rest = written.partition(".")
    known = _aliases(root.text or b"").get(first, {first})
    return f"{next(iter(known))}{dot}{rest}" if len(known) == 1 else ""


@lru_cache(maxsize=4)
def _aliases(source: bytes) -> Mapping[str, set[str]]:
    """Return short name -> modules, from aliases and nested modules."""
    found: dict[str, set[str]] = defaultdict(set)
    rows = rows_of(source)
    for module in rows.own:
        if any(module.startswith(f"{one}.") for one in rows.own):
            found[module.rpartition(".")[2]].add(module)
    for statement in rows.under_names:
        for module, here in statement.names:
            found[here].add(module)
    return found


def is_pattern(node: Node) -> bool:
    """Return whether a value is a pattern: in a function head, or before `=`, `<-` or `->`."""
    inner = node
    for above in ancestors(node):
        is_left = above.child_by_field_name("left") == inner
        if is_left and (above.type == "stab_clause" or _operator(above) in MATCHES):
            return True
        called = text(above.child_by_field_name("target")) if inner.type == "arguments" else ""
        if called in TAKES_PATTERN or (called[:3] == "def" and inner.named_children[0].end_byte >= node.end_byte):
            return True
        inner = above
    return False


def passed(call: Node) -> Arguments:
    """Return the arguments of a call. A pipe and a block add one each, and `&total/2` states the number."""
    above = call.parent
    outer = above.parent if above is not None else None
    if above is not None and _operator(outer) == "&" and _operator(above) == "/":
        return Arguments(int(text(above.child_by_field_name("right"))))
    parts = [one for child in call.named_children if child.type == "arguments" for one in child.named_children]
    written = [one for one in parts if one.type != "comment"]
    is_piped = above is not None and _operator(above) == "|>" and above.child_by_field_name("right") == call
    has_block = any(one.type == "do_block" for one in call.named_children)
    has_keywords = bool(written) and written[-1].type == "keywords"  # a block joins the keywords
    spread = any("unquote_splicing" in text(one) for one in written)
    return Arguments(len(written) + is_piped + (has_block and not has_keywords), spread=spread)


def _operator(node: Node | None) -> str:
    return text(node.child_by_field_name("operator")) if node is not None else ""
