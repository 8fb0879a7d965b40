"""Objects of Swift whose type their place tells: `let cart: Cart = .init(n: 1)`, `[.init(n: 1)]`, a value that a function returns; and `Self(n: 1)`."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from tree_sitter import Node, Query, QueryCursor

from bot.languages.constructions import Construction, destination_of
from bot.languages.swift.outline import TYPES
from bot.languages.swift.uses import arguments
from bot.languages.syntax import DEPTH, ancestors, grammar_of, text
from bot.text.filetypes import SWIFT
from bot.values import Call

MADE = '(call_expression . (prefix_expression target: (simple_identifier) @_init) (#eq? @_init "init")) @made'
OWN = '(call_expression . (simple_identifier) @_own (#eq? @_own "Self")) @own'
# What hands a value on to what stands around it, as it is.
THROUGH = frozenset({
    "ternary_expression", "nil_coalescing_expression", "try_expression", "await_expression", "statements", "computed_property",
    "computed_getter", "function_body",
})  # fmt: skip
LITERALS = frozenset({"array_literal", "dictionary_literal"})
STATEMENTS = frozenset({
    "if_statement", "guard_statement", "for_statement", "while_statement", "do_statement", "catch_block", "switch_statement",
    "switch_entry", "repeat_while_statement",
})  # fmt: skip
ASKS = frozenset({"property_declaration", "function_declaration"})


def targets(root: Node) -> Iterator[Construction]:
    """The objects that are made without the name of their type, each with the name in the declaration that asks for it."""
    captures = QueryCursor(_query()).captures(root)
    for creation in captures.get("made", ()):
        yield _asked(creation), creation.named_children[0].child_by_field_name("target"), _given(creation)
    for creation in captures.get("own", ()):
        holder = next((above for above in islice(ancestors(creation), DEPTH) if above.type in TYPES), None)
        name = holder.child_by_field_name("name") if holder is not None else None
        yield _name(name, 0) if name is not None and name.type == "user_type" else name, creation, _given(creation)


@lru_cache(maxsize=1)
def _query() -> Query:
    grammar = grammar_of(SWIFT)
    if grammar is None:
        raise RuntimeError("a file of Swift was parsed without its grammar")
    return Query(grammar, f"{MADE}\n{OWN}")


def _given(creation: Node) -> Call:
    suffix = next((part for part in creation.children if part.type == "call_suffix"), None)
    return (arguments(suffix) if suffix is not None else None) or Call(spread=True)


def _asked(creation: Node) -> Node | None:
    """The name of the type that the place of a new object asks for; None if it is an argument, or is assigned."""
    destination = destination_of(creation, ASKS, _returns, _levels)
    if destination is None:
        return None
    return _name(_declared(destination.holder, destination.value), destination.depth)


def _returns(above: Node) -> bool:
    return above.type == "control_transfer_statement" and text(above).startswith("return")


def _levels(above: Node, _inner: Node, *, is_returned: bool) -> int | None:
    """How many collections a node puts around the value that it hands on; None if it hands none on."""
    if above.type in LITERALS:
        return 1
    is_alone = above.type != "statements" or is_returned or above.named_child_count == 1
    is_known = above.type in THROUGH or (is_returned and above.type in {*STATEMENTS, "control_transfer_statement"})
    return 0 if is_known and is_alone else None


def _declared(holder: Node, value: Node) -> Node | None:
    """The type that a declaration gives to a value in it: of a variable, of a parameter with a default, of what a function returns."""
    if holder.type == "property_declaration":
        note = next((part for part in holder.named_children if part.type == "type_annotation"), None)
        return note.child_by_field_name("name") if note is not None else None
    if value.type == "function_body":
        types = holder.children_by_field_name("name")[1:]
        return types[-1] if types else None
    parameter = value.prev_named_sibling
    types = parameter.children_by_field_name("name") if parameter is not None and parameter.type == "parameter" else []
    return types[-1] if types else None


def _name(type_node: Node | None, depth: int) -> Node | None:
    """The name of a type, or of what is so many levels inside it: `Cart` of `[Cart]`, `[String: Cart]` and `Set<Cart>`."""
    node = type_node
    while node is not None and node.type != "user_type":
        if node.type == "optional_type":
            node = node.child_by_field_name("wrapped")
        elif node.type in ("array_type", "dictionary_type") and depth:
            node, depth = node.children_by_field_name("name")[-1], depth - 1
        else:
            return None
    if node is None:
        return None
    if depth:
        inner = next((part for part in node.named_children if part.type == "type_arguments"), None)
        return _name(inner.named_children[-1], depth - 1) if inner is not None and inner.named_children else None
    return next((part for part in reversed(node.named_children) if part.type == "type_identifier"), None)
