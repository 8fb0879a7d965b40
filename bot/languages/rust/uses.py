"""What an identifier does where it is in a Rust file, and which type a receiver is known to have."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial

from tree_sitter import Node

from bot.languages.rust.outline import bare
from bot.languages.rust.signature import conditions
from bot.languages.syntax import UNKNOWN, Form, Shape, ancestors, arguments, local_type, text
from bot.values import Use
from impact.language import languages

SCOPES = frozenset({"function_item", "function_signature_item", "impl_item", "trait_item", "mod_item"})
ITEMS = SCOPES | {
    "struct_item", "enum_item", "union_item", "type_item", "const_item", "static_item", "use_declaration",
    "macro_invocation", "field_declaration", "enum_variant", "let_declaration", "expression_statement", "block",
}  # fmt: skip
NAMED = frozenset({
    "function_item", "function_signature_item", "struct_item", "enum_item", "union_item", "trait_item", "type_item",
    "const_item", "static_item", "mod_item", "type_parameter", "const_parameter", "extern_crate_declaration",
    "associated_type",
})  # fmt: skip
KEYS = frozenset({"field_declaration", "enum_variant", "macro_definition"})
PATTERNS = frozenset({
    "tuple_pattern", "slice_pattern", "ref_pattern", "mut_pattern", "reference_pattern", "captured_pattern", "or_pattern",
    "tuple_struct_pattern", "field_pattern", "match_pattern", "remaining_field_pattern",
})  # fmt: skip
BINDERS = frozenset({"let_declaration", "parameter", "for_expression", "let_condition"})
MAKERS = frozenset({"new", "default"})  # functions of a type that return it
PATH_TOKENS = frozenset({"identifier", "type_identifier", "crate", "self", "super", "metavariable", "primitive_type"})
DEEPEST = 20  # names of a path
# The macros whose arguments are expressions.
STANDARD = re.compile(
    r"(?:std::|core::)?(?:e?print(?:ln)?|format(?:_args)?|write(?:ln)?|panic|(?:debug_)?assert(?:_eq|_ne)?|vec|dbg|todo|unreachable|unimplemented)$"
)
TESTED = re.compile(r"#!?\[\s*cfg\s*\(\s*test\s*\)\s*\]")


def _form(node: Node) -> Form:
    above = node.parent
    if above is None:
        return "name"
    if above.type == "token_tree":
        return _in_macro(node)
    if above.type == "field_initializer":
        return "key" if above.child_by_field_name("field") == node else "name"
    if node.type == "shorthand_field_identifier" or (above.type in KEYS and above.child_by_field_name("name") == node):
        return "key"
    if above.type in NAMED and above.child_by_field_name("name") == node:
        return "key" if _is_member(above) else "definition"
    return "definition" if _binds(node) else "key" if above.type == "field_pattern" else "name"


def _is_member(node: Node) -> bool:
    holder = node.parent.parent if node.parent is not None and node.parent.type == "declaration_list" else None
    return holder is not None and holder.type in ("impl_item", "trait_item")


def _binds(node: Node) -> bool:
    """Whether an identifier of a pattern is a new variable. A capital letter makes it a constant or a variant."""
    if node.type != "identifier" or text(node)[:1].isupper():
        return False
    child, above = node, node.parent
    while above is not None and above.type in PATTERNS:
        if child in (above.child_by_field_name("type"), above.child_by_field_name("condition")):
            return False
        if above.type == "field_pattern" and above.child_by_field_name("name") == child:
            return False
        child, above = above, above.parent
    if above is None:
        return False
    if above.type in BINDERS:
        return above.child_by_field_name("pattern") == child
    return above.type == "closure_parameters" or (above.type == "match_arm" and child.type == "match_pattern")


def _in_macro(node: Node) -> Form:
    """A word among the tokens of a macro: what stands beside it says what it is, so far as anything can."""
    before, after = text(node.prev_sibling), text(node.next_sibling)
    if before in (".", "::") or after == "!":
        return "member"
    if before in ("fn", "struct", "enum", "let", "mod", "const", "static", "ref", "mut", "|", "type", "$", "'"):
        return "definition"
    return "key" if after in ("=", ":", "::", "=>", "|") or before == "|" else "name"


def in_macro(use: Use, root: Node) -> Use:
    """The use, with the path or the receiver that is written before it among the tokens of a macro.

    Only the macros of the standard library are known to take their tokens for the code that they look like.
    """
    node = root.descendant_for_byte_range(use.at, use.at + len(use.name.encode()))
    tokens = node.parent if node is not None and node.parent is not None and node.parent.type == "token_tree" else None
    if node is None or tokens is None:
        return use
    sign = text(node.prev_sibling)
    owner = node.prev_sibling.prev_sibling if node.prev_sibling is not None else None
    parts: list[str] = []
    last = owner
    while last is not None and last.type in PATH_TOKENS and len(parts) < DEEPEST and sign in (".", "::"):
        parts.append(text(last).lstrip("$"))
        before = last.prev_sibling
        if text(before) != sign:
            break
        last = before.prev_sibling if before is not None else None
    types = _types(owner) if len(parts) == 1 and owner is not None else UNKNOWN
    macro = next((above for above in ancestors(tokens) if above.type != "token_tree"), None)
    is_code = macro is not None and STANDARD.match(text(macro.child_by_field_name("macro")))
    receiver = sign.join(reversed(parts))
    return replace(use, receiver=receiver, types=types, is_guarded=use.is_guarded or not is_code)


def _is_guarded(node: Node, around: list[Node]) -> bool:
    """Whether the code exists only under a condition other than being tested, or as the text of a macro."""
    del node
    for above in around:
        if above.type == "macro_definition":
            return True
        if above.type in ITEMS and any(_condition(condition) for condition in conditions(above)):
            return True
    return bool(around) and _whole_file(around[-1])


@lru_cache(maxsize=8)
def _whole_file(root: Node) -> bool:
    """Whether a condition stands over the whole file."""
    return any(_condition(text(part)) for part in root.named_children if part.type == "inner_attribute_item")


def _condition(condition: str) -> bool:
    return bool(re.match(r"#!?\[\s*cfg\b", condition)) and not TESTED.match(condition)


def _types(receiver: Node) -> tuple[str, ...]:
    """The type of a receiver as written in this file."""
    while receiver.type in ("parenthesized_expression", "reference_expression") and receiver.named_children:
        receiver = receiver.named_children[-1]
    receiver_text = text(receiver)
    if receiver_text in ("self", "Self"):
        return _own(receiver)
    if receiver.type == "struct_expression":
        return _type_names(receiver.child_by_field_name("name"))
    if receiver.type == "field_expression" and re.fullmatch(r"self\.\w+", receiver_text):
        return _field(receiver, receiver_text[5:])
    function = next((above for above in ancestors(receiver) if above.type == "function_item"), None)
    if receiver.type != "identifier" or function is None:
        return UNKNOWN
    return local_type(receiver, function, b".:", _binds, _bound)


def _bound(node: Node) -> tuple[str, ...]:
    """The type that a `let` or a parameter gives to its name."""
    above = node.parent
    above = above.parent if above is not None and above.type == "mut_pattern" else above
    if above is None or above.type not in ("let_declaration", "parameter"):
        return UNKNOWN
    type_node = above.child_by_field_name("type")
    value = above.child_by_field_name("value")
    if type_node is None and value is not None and value.type == "struct_expression":
        type_node = value.child_by_field_name("name")
    function = value.child_by_field_name("function") if value is not None and value.type == "call_expression" else None
    if type_node is None and function is not None and text(function.child_by_field_name("name")) in MAKERS:
        type_node = function.child_by_field_name("path")
    return _type_names(type_node)


def _type_names(node: Node | None) -> tuple[str, ...]:
    name = bare(text(node))
    return (name,) if name else UNKNOWN


def _own(node: Node) -> tuple[str, ...]:
    """The type around a node: of its `impl` block, or the trait."""
    holder = next((above for above in ancestors(node) if above.type in ("impl_item", "trait_item")), None)
    return _type_names(holder.child_by_field_name("type") or holder.child_by_field_name("name")) if holder else UNKNOWN


def _field(node: Node, name: str) -> tuple[str, ...]:
    """The type of a field of `self`, where the struct is declared in this file."""
    return _fields(list(ancestors(node))[-1]).get((*_own(node), name), UNKNOWN)


@lru_cache(maxsize=8)
def _fields(root: Node) -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """(struct, field) -> its type, for the structs of a file."""
    types_by_field: dict[tuple[str, ...], tuple[str, ...]] = {}
    for item in root.named_children:
        body = item.child_by_field_name("body") if item.type == "struct_item" else None
        for part in body.named_children if body is not None else ():
            key = text(item.child_by_field_name("name")), text(part.child_by_field_name("name"))
            types_by_field.setdefault(key, _type_names(part.child_by_field_name("type")))
    return types_by_field


def _scope_name(node: Node) -> str:
    if node.type == "impl_item":
        return bare(text(node.child_by_field_name("type"))).rpartition(".")[2]
    if node.type == "mod_item" and node.child_by_field_name("body") is None:
        return ""
    return text(node.child_by_field_name("name"))


SHAPE = Shape(
    identifiers=frozenset({"identifier", "type_identifier", "field_identifier", "shorthand_field_identifier"}),
    members={
        "field_expression": ("value", "field"), "scoped_identifier": ("path", "name"),
        "scoped_type_identifier": ("path", "name"), "macro_invocation": ("macro", "macro"),
    },
    calls={"call_expression": ("function", "arguments")},
    imports=frozenset({"use_declaration"}),
    scopes=SCOPES,
    arguments=partial(arguments, languages()[".rs"].calls), is_guarded=_is_guarded, form=_form, types=_types, scope_name=_scope_name,
)  # fmt: skip
