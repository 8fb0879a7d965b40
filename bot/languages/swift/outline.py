"""What a Swift file defines. The members of an extension are members of its type, which another file may declare."""

import re
from collections.abc import Iterator
from functools import lru_cache, partial

from tree_sitter import Node

from bot.languages import typed_receivers
from bot.languages.syntax import first_line, head, last_line, text
from bot.languages.typed_receivers import TypedWalk, members
from bot.languages.unreadable import check_nesting
from bot.text.filetypes import SWIFT
from bot.values import Outline, Parameter, Side, Signature, Symbol, Visibility

TYPES = frozenset({"class_declaration", "protocol_declaration"})
OPEN = ("public", "open", "internal", "package")  # what a member can be although its extension is private
FUNCTIONS = frozenset({"function_declaration", "protocol_function_declaration"})
PROPERTIES = frozenset({"property_declaration", "protocol_property_declaration"})
ALIASES = frozenset({"typealias_declaration", "associatedtype_declaration"})
BODIES = frozenset({"class_body", "enum_class_body", "protocol_body"})
UNKNOWN_BASE = "?"  # an extension may give a type more members than are written in its file
# Protocols and raw types that give a type no method that its own could overload.
PLAIN = (
    "AnyObject CaseIterable Codable CodingKey Comparable CustomStringConvertible Decodable Double Encodable Equatable Error "
    "Hashable Identifiable Int LocalizedError NSObject Sendable String"
)
PLAIN_BASES = frozenset(PLAIN.split())
ACTORS = frozenset({"MainActor"})  # attributes with a capital that add no member
DYNAMIC = re.compile(rb"@dynamicMemberLookup\b")
root = partial(typed_receivers.root, SWIFT)


@lru_cache(maxsize=64)
def outline_of(path: str, source: bytes, side: Side) -> Outline:
    """The outline of a file."""
    check_nesting(source)
    tree, walk = root(source), TypedWalk(path, side)
    for node in tree.named_children:
        _take(node, "", walk, is_vague=False, is_private=False)
    return walk.outline(not tree.has_error and not DYNAMIC.search(source), overloads=True)


def type_name(node: Node) -> str:
    """What a type is called; of an extension the type that it extends, with the types around it."""
    name = node.child_by_field_name("name")
    if name is None or name.type != "user_type":
        return text(name)
    return ".".join(text(part) for part in name.named_children if part.type == "type_identifier")


def is_extension(node: Node) -> bool:
    """Whether a declaration adds to a type that stands elsewhere."""
    return text(node.child_by_field_name("declaration_kind")) == "extension"


def _take(node: Node, inside: str, walk: TypedWalk, *, is_vague: bool, is_private: bool) -> None:
    """One definition with its members. `is_vague`: whether a base may overload its methods."""
    kind = node.type
    is_hidden = _is_private(node) or (is_private and not any(_has(node, word) for word in OPEN))
    if kind in TYPES:
        _type(node, inside, walk, is_hidden=is_hidden)
    elif kind in FUNCTIONS or kind == "init_declaration":
        name = node.child_by_field_name("name")
        is_operator = name is not None and kind != "init_declaration" and name.type != "simple_identifier"
        if name is None or (is_operator and not inside):
            return  # an operator of nobody
        is_static = _has(node, "static") or _has(node, "class")
        own = "method" if inside and not is_static else "function"
        is_opaque = (is_vague and kind != "init_declaration") or _has(node, "override") or is_operator
        _add(node, inside, text(name), own, walk, _signature(node, opaque=is_opaque), is_hidden=is_hidden)
    elif kind in PROPERTIES:
        for name in _bound(node):
            _add(node, inside, text(name), "variable", walk, None, is_hidden=is_hidden)
    elif kind in ALIASES:
        _add(node, inside, text(node.child_by_field_name("name")), "type", walk, None, is_hidden=is_hidden)
    elif kind == "enum_entry":
        for name in node.children_by_field_name("name"):
            if name.type == "simple_identifier":
                _add(node, inside, text(name), "variable", walk, None, is_hidden=is_hidden)


def _type(node: Node, inside: str, walk: TypedWalk, *, is_hidden: bool) -> None:
    short = type_name(node)
    name = f"{inside}.{short}" if inside else short
    if not short:
        return
    bases = [
        re.split(r"[<(\s{]", text(part), maxsplit=1)[0]
        for part in node.named_children
        if part.type == "inheritance_specifier"
    ]
    if not is_extension(node):
        kind = "type" if node.type == "protocol_declaration" else "class"
        _add(node, inside, short, kind, walk, None, is_hidden=is_hidden)
    last = short.rpartition(".")[2]
    walk.inherit(last, (*bases, *_macros(node), UNKNOWN_BASE))
    is_vague = not set(bases) <= PLAIN_BASES
    for member in members(node, BODIES) if name.count(".") < typed_receivers.NESTED else ():
        _take(member, name, walk, is_vague=is_vague, is_private=is_extension(node) and is_hidden)


def _macros(node: Node) -> Iterator[str]:
    """The attributes of a type that may be macros, which add members: `@Observable`."""
    for part in node.named_children:
        for one in part.named_children if part.type == "modifiers" else ():
            words = text(one).removeprefix("@").split("(")[0]
            if one.type == "attribute" and words[:1].isupper() and words not in ACTORS:
                yield f"@{words}"


def _add(
    node: Node, inside: str, short: str, kind: str, walk: TypedWalk, own_signature: Signature | None, *, is_hidden: bool
) -> None:
    short = short.strip("`")
    if not short:
        return
    name = f"{inside}.{short}" if inside else short
    visibility: Visibility = "file" if is_hidden else "anywhere"
    span = first_line(node), last_line(node)
    walk.symbols.append(Symbol(walk.path, name, kind, *span, walk.side, own_signature, not is_hidden, visibility))
    if not inside and not is_hidden:
        walk.exports.setdefault(short, name)


def _bound(node: Node) -> Iterator[Node]:
    """The names that a property declares: `let a = 1, b = 2`, `let (a, b) = pair`."""
    for pattern in node.children_by_field_name("name"):
        parts = [pattern, *(part for part in pattern.named_children if part.type == "pattern")]
        for part in parts:
            yield from (one for one in part.named_children if one.type == "simple_identifier")


def _modifiers(node: Node) -> Iterator[str]:
    for part in node.named_children:
        if part.type == "modifiers":
            yield from (text(one) for one in part.named_children if one.type != "attribute")


def _has(node: Node, modifier: str) -> bool:
    """Whether a definition has a modifier. The grammar keeps `class` of a method out of its modifiers."""
    return modifier in _modifiers(node) or any(part.type == modifier for part in node.children[:2])


def _is_private(node: Node) -> bool:
    return any(_has(node, word) for word in ("private", "fileprivate"))


def _signature(node: Node, *, opaque: bool) -> Signature:
    """What a caller has to know: labels, which a call has to write, and which parameters have defaults."""
    parameters: list[Parameter] = []
    end, is_vague = node.start_byte, False
    for part in node.children:
        if part.type == "parameter":
            many = any(one.type in ("...", "three_dot_operator") for one in part.children) or text(part).endswith("...")
            is_vague = is_vague or (many and _label(part) != "_") or part.has_error
            parameters.append(_parameter(part, many=many))
        elif part.type == "=" and parameters:
            last = parameters[-1]
            parameters[-1] = Parameter(last.name, last.kind, is_required=False)
        elif part.type == ")":
            end = part.end_byte
            break
    return Signature(tuple(parameters), head(node, end=end, after=("modifiers",)), opaque or is_vague)


def _label(node: Node) -> str:
    """What a call writes before an argument; "_" if nothing."""
    label = node.child_by_field_name("external_name")
    return text(label if label is not None else node.child_by_field_name("name")).strip("`")


def _parameter(node: Node, *, many: bool) -> Parameter:
    label, name = _label(node), text(node.child_by_field_name("name"))
    if many:
        return Parameter(name, "varargs", is_required=False)
    return Parameter(name, "positional-only") if label == "_" else Parameter(label, "keyword-only")
