"""One definition of a JavaScript or TypeScript file with its members: a function, a class, an object, a type."""

import re
from dataclasses import dataclass, field

from tree_sitter import Node

from bot.languages.javascript.signature import FUNCTIONS, signature
from bot.languages.syntax import first_line, last_line, text
from bot.values import Side, Symbol, Visibility

CLASSES = frozenset({"class_declaration", "abstract_class_declaration", "class"})
TYPES = frozenset({"interface_declaration", "type_alias_declaration", "enum_declaration", "internal_module", "module"})
FIELDS = frozenset({"public_field_definition", "field_definition"})


@dataclass(slots=True)
class MemberWalk:
    """What the walk has met so far."""

    path: str
    side: Side
    symbols: list[Symbol] = field(default_factory=list)
    exports: dict[str, str] = field(default_factory=dict)
    bases: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    stars: int = 0
    dynamic: bool = False
    whole: str = ""  # the name of this file whose value is `module.exports`
    aliases: set[str] = field(default_factory=set)  # names of this file for the object that is exported
    objects: dict[str, Node] = field(default_factory=dict)  # definition -> the object that it is written as
    read: list[tuple[int, int]] = field(default_factory=list)  # bytes: where exports are handed to a call that was read
    assignments: list[tuple[str, str]] = field(
        default_factory=list
    )  # (owner, name) of every `owner.name = ...` at the top
    import_names: list[str] = field(
        default_factory=list
    )  # names that ES imports bind, and those handed on by `export ... from`
    loose: set[str] = field(default_factory=set)  # of these, the ones that are types alone
    modern: bool = False  # it exports by `export`: then CommonJS's ways to add more do not matter


def take(node: Node, outer: Node, name: str, walk: MemberWalk) -> None:
    """One definition with its members."""
    node = _unwrap(node)
    function, is_class = node.type in FUNCTIONS, node.type in CLASSES
    kind = "class" if is_class else "type" if node.type in TYPES else "variable"
    if function:
        kind = "method" if "." in name else "function"
    own_signature = signature(node) if function else None
    walk.symbols.append(Symbol(walk.path, name, kind, first_line(outer), last_line(outer), walk.side, own_signature))
    body = node.child_by_field_name("body")
    if is_class or node.type == "interface_declaration":
        walk.bases.append((name, _heritage(node)))
        for member in body.named_children if body is not None else ():
            _member(member, name, walk)
    elif node.type == "object":
        walk.objects[name] = node
        for member in node.named_children:
            _member(member, name, walk)
    elif node.type == "enum_declaration" and body is not None:
        walk.bases.append((name, ()))
        for member in body.named_children:
            key = member.child_by_field_name("name") or member
            if key.type == "property_identifier":
                span = first_line(member), last_line(member)
                walk.symbols.append(Symbol(walk.path, f"{name}.{text(key)}", "variable", *span, walk.side))


def _unwrap(node: Node) -> Node:
    """`x as const`, `x satisfies T` and `(x)` are x."""
    while node.type in ("as_expression", "satisfies_expression", "parenthesized_expression") and node.named_children:
        node = node.named_children[0]
    return node


def _heritage(node: Node) -> tuple[str, ...]:
    """What a class inherits from, as written."""
    for part in node.named_children:
        if part.type == "class_heritage":
            heritage = re.sub(r"<[^<>]*>", "", re.sub(r"\bimplements\b.*", "", text(part), flags=re.DOTALL))
            return tuple(base.strip() for base in heritage.replace("extends", " ").split(",") if base.strip())
        if part.type == "extends_type_clause":
            return tuple(base.strip() for base in text(part).replace("extends", " ").split(",") if base.strip())
    return ()


def _member(node: Node, inside: str, walk: MemberWalk) -> None:
    key = node.child_by_field_name("name") or node.child_by_field_name("key") or node.child_by_field_name("property")
    if key is None or key.type not in ("property_identifier", "identifier", "private_property_identifier"):
        return
    value = node.child_by_field_name("value")
    name, target = f"{inside}.{text(key)}", node
    if node.type in FIELDS or node.type == "pair":
        target = _unwrap(value) if value is not None else node
    has_decorator = any(part.type == "decorator" for part in node.named_children)
    function = target.type in FUNCTIONS
    accessor = node.type == "method_definition" and re.match(r"(static\s+)?[gs]et\s", text(node)) is not None
    kind = "method" if function and not accessor else "variable"
    own_signature = signature(target, has_decorator) if kind == "method" else None
    private = key.type == "private_property_identifier" or any(
        part.type == "accessibility_modifier" and text(part) == "private" for part in node.named_children
    )
    visibility: Visibility = "file" if private else "anywhere"
    walk.symbols.append(
        Symbol(
            walk.path, name, kind, first_line(node), last_line(node), walk.side, own_signature, visibility=visibility
        )
    )
