"""C#: what a file defines, and what an identifier does where it stands."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from tree_sitter import Node

from bot.languages import syntax, typed_receivers
from bot.languages.constructions import with_constructions
from bot.languages.csharp import uses as csharp_uses
from bot.languages.csharp.namespaces import Namespaces
from bot.languages.csharp.targets import targets
from bot.languages.syntax import first_line, head, last_line, text
from bot.languages.typed_receivers import TypedWalk, has
from bot.languages.unreadable import Unreadable, finds, outlines
from bot.ports import LanguageTraits
from bot.text.filetypes import CSHARP
from bot.values import Outline, Parameter, Side, Signature, Symbol, Use, Visibility
from impact.parsing import has_open_angles

TRAITS = LanguageTraits(
    capital_members=True,
)
project = Namespaces
AMBIENT = frozenset({
    "Clone", "CompareTo", "Deconstruct", "Dispose", "Equals", "Finalize", "GetEnumerator", "GetHashCode", "GetType", "HasFlag",
    "MemberwiseClone", "PrintMembers", "ReferenceEquals", "ToString",
})  # fmt: skip
TYPES = csharp_uses.CLASSES | {"delegate_declaration"}
NESTS = frozenset({
    "namespace_declaration", "declaration_list", "file_scoped_namespace_declaration", "preproc_if", "preproc_elif", "preproc_else",
    "preproc_region",
})  # fmt: skip
CHOICES = frozenset({"preproc_if", "preproc_elif", "preproc_else"})
VARIABLES = frozenset({"field_declaration", "event_field_declaration"})
MEMBERS = frozenset({"property_declaration", "event_declaration"})
BESIDE = frozenset(
    {
        "modifier",
        "attribute_list",
        "accessor_list",
        "arrow_expression_clause",
        "block",
        ";",
        "comment",
    }
)  # what of an operator its users do not rely on
REF_PARTIAL = re.compile(rb"\bref(?=[ \t]++partial[ \t]++struct\b)")  # which the grammar does not know
PARTIAL = re.compile(rb"\bpartial\s+(class|struct|interface|record)\b|^[ \t]*+#[ \t]*+if\b", re.MULTILINE)


@dataclass(slots=True)
class _CSharpWalk(TypedWalk):
    required: list[tuple[str, str]] = field(default_factory=list)  # (class, member that its initialiser has to set)


@dataclass(frozen=True, slots=True)
class _Class:
    """The type that members are taken from."""

    name: str
    kind: str
    is_closed: bool  # nothing but what is written here belongs to it


def _root(source: bytes) -> Node:
    """Parse a file. Raises Unreadable when the parser would try each `<` as the beginning of type arguments, to the end of the file."""
    if has_open_angles(source):
        raise Unreadable("it opens type arguments that it never closes")
    return typed_receivers.root(CSHARP, REF_PARTIAL.sub(b"   ", source))


@outlines
@lru_cache(maxsize=64)
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file. A part of a partial class, and code under a condition, is never the whole."""
    root = _root(source)
    walk = _CSharpWalk(path, side)
    _walk(root, "", 0, walk)
    complete = not root.has_error and not PARTIAL.search(source)
    return walk.outline(complete, overloads=True)


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The identifiers of a file that are spelt like one of the names."""

    def bare(name: str, classes: Sequence[str]) -> tuple[str, ...]:
        owners = _owners(path, source).get(name, ())
        having = next((one for one in classes if one in owners), "")
        return (having,) if having else syntax.UNKNOWN if classes else ()

    root = _root(source)
    own_uses = typed_receivers.uses(root, source, names, csharp_uses.READING, bare)
    return with_constructions(root, own_uses, csharp_uses.CLASSES, csharp_uses.constructions, targets)


@lru_cache(maxsize=64)
def _owners(path: str, source: bytes) -> dict[str, set[str]]:
    """Member -> the classes of the file that define it."""
    owners: dict[str, set[str]] = {}
    for symbol in outline(path, source, "head").symbols:
        owners.setdefault(symbol.short, set()).add(symbol.name.rpartition(".")[0].rpartition(".")[2])
    return owners


def _walk(node: Node, inside: str, depth: int, walk: _CSharpWalk) -> None:
    for child in node.named_children if depth < typed_receivers.NESTED else ():
        if child.type in TYPES:
            _type(child, inside, walk)
        elif child.type in NESTS:
            _walk(child, inside, depth + 1, walk)


def _type(node: Node, inside: str, walk: _CSharpWalk) -> None:
    short = text(node.child_by_field_name("name"))
    name = f"{inside}.{short}" if inside else short
    kind = "type" if node.type in ("interface_declaration", "delegate_declaration") else "class"
    walk.define(name, kind, node)
    walk.exports[short] = name
    bases = tuple(
        re.sub(r"<.*", "", text(base), flags=re.DOTALL)
        for part in node.named_children
        if part.type == "base_list"
        for base in part.named_children
        if base.type != "argument_list"
    )
    is_closed = node.type == "enum_declaration" or has(node, "static")
    marks = tuple(_marks(node)) if has(node, "partial") else ()
    walk.inherit(short, ((*bases, "object") if not is_closed else ()) + marks)
    parameter_list = next((part for part in node.named_children if part.type == "parameter_list"), None)
    if parameter_list is not None and node.type != "delegate_declaration":
        own_signature = _signature(node, parameter_list, opaque=has(node, "partial"))
        end = last_line(parameter_list)
        walk.symbols.append(
            Symbol(walk.path, f"{name}.constructor", "method", first_line(node), end, walk.side, own_signature)
        )
    own = _Class(name, node.type, not bases and not has(node, "partial"))
    if parameter_list is not None and node.type.startswith("record"):
        walk.components(name, parameter_list, "parameter", _members(node))
    for member in _members(node) if name.count(".") < typed_receivers.NESTED else ():
        _member(member, own, walk)


def _members(node: Node) -> Iterator[Node]:
    for body in node.named_children:
        if body.type in ("declaration_list", "enum_member_declaration_list"):
            for member in body.named_children:
                if member.type in NESTS:
                    yield from (part for part in member.named_children if part.type not in NESTS)
                    yield from (
                        deep for part in member.named_children if part.type in CHOICES for deep in part.named_children
                    )
                else:
                    yield member


def _marks(node: Node) -> Iterator[str]:
    """The attributes of a partial type and of its members, with what bears each: a generator may make members of it, in a file that no tree has."""
    for one in (node, *_members(node)):
        for part in one.named_children:
            if part.type == "attribute_list":
                yield " ".join(f"{text(part)} {_head(one)}".split())


def _head(node: Node) -> str:
    """What names a definition: its code without its attributes and its body."""
    parts = [text(part) for part in node.children if part.type not in BESIDE and part.type != "declaration_list"]
    return " ".join(parts)


def _member(node: Node, own: _Class, walk: _CSharpWalk) -> None:
    kind = node.type
    if kind in TYPES:
        _type(node, own.name, walk)
    elif kind == "constructor_declaration" and not has(node, "static"):
        own_signature = _signature(node, node.child_by_field_name("parameters"), opaque=has(node, "partial"))
        _add(node, f"{own.name}.constructor", "method", walk, own_signature)
    elif kind == "method_declaration":
        _method(node, own, walk)
    elif kind in VARIABLES or kind in MEMBERS or kind == "enum_member_declaration":
        names = [node.child_by_field_name("name")]
        if kind in VARIABLES:
            declarations = [part for part in node.named_children if part.type == "variable_declaration"]
            names = [
                part.child_by_field_name("name")
                for one in declarations
                for part in one.named_children
                if part.type == "variable_declarator"
            ]
        for name in names:
            _add(node, f"{own.name}.{text(name)}", "variable", walk, None)
            if has(node, "required"):
                walk.required.append((own.name, text(name)))
            if kind == "enum_member_declaration" or has(node, "static") or has(node, "const"):
                walk.exports.setdefault(text(name), f"{own.name}.{text(name)}")


def _method(node: Node, own: _Class, walk: _CSharpWalk) -> None:
    name, parameter_list = text(node.child_by_field_name("name")), node.child_by_field_name("parameters")
    if node.child_by_field_name("explicit_interface_specifier") is not None or any(
        part.type == "explicit_interface_specifier" for part in node.named_children
    ):
        return
    static = has(node, "static")
    vague = name in AMBIENT or not (own.is_closed or (static and own.kind != "interface_declaration"))
    own_signature = _signature(node, parameter_list, opaque=vague or has(node, "override") or has(node, "partial"))
    _add(node, f"{own.name}.{name}", "function" if static else "method", walk, own_signature)
    if static:
        walk.exports.setdefault(name, f"{own.name}.{name}")


def _add(node: Node, name: str, kind: str, walk: _CSharpWalk, own_signature: Signature | None) -> None:
    visibility: Visibility = "file" if _is_private(node) else "anywhere"
    walk.define(name, kind, node, own_signature, visibility=visibility)


def _is_private(node: Node) -> bool:
    """Whether only its class can name a member; the other files of a partial class can, too."""
    body = node.parent
    while body is not None and body.type not in TYPES:
        body = body.parent
    if body is None or has(body, "partial") or body.type in ("interface_declaration", "enum_declaration"):
        return False
    has_visibility = any(has(node, word) for word in ("public", "protected", "internal"))
    return not has_visibility and node.type in (*VARIABLES, *MEMBERS, "method_declaration", "constructor_declaration")


def _signature(node: Node, parameter_list: Node | None, *, opaque: bool) -> Signature:
    """What a caller has to know. The receiver of an extension is left out; so is what the caller's compiler fills in."""
    parameters: list[Parameter] = []
    many = False
    for part in parameter_list.children if parameter_list is not None else ():
        many = many or part.type == "params"
        if part.type == "parameter":
            modifiers = {text(item) for item in part.named_children if item.type == "modifier"}
            has_default = any(item.type == "=" for item in part.children) or b"[Caller" in (part.text or b"")
            if "this" not in modifiers:
                kind: typed_receivers.Kind = "varargs" if "params" in modifiers else "positional"
                is_required = not has_default and kind == "positional"
                parameters.append(Parameter(text(part.child_by_field_name("name")), kind, is_required))
    if many:
        parameters.append(Parameter("params", "varargs", is_required=False))
    end = parameter_list.end_byte if parameter_list is not None else node.end_byte
    is_broken = (
        parameter_list is None
        or parameter_list.has_error
        or any("preproc" in part.type for part in parameter_list.children)
    )
    written = head(node, end=end, after=("attribute_list", "modifier"))
    return Signature(tuple(parameters), written, opaque or is_broken)
