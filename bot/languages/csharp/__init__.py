"""C#: what a file defines, and what an identifier does where it stands."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Language as Grammar
from tree_sitter import Node

from bot.languages import misread, syntax, typed
from bot.languages.conditions import Conditions, conditioned
from bot.languages.csharp import uses as csharp_uses
from bot.languages.csharp.namespaces import Namespaces
from bot.languages.jvm.java import JavaWalk
from bot.languages.syntax import first_line, last_line, text
from bot.languages.unreadable import Unreadable, finds, outlines
from bot.ports import LanguageTraits
from bot.text.filetypes import configs_of
from bot.values import Outline, Parameter, Side, Signature, Symbol, Use, Visibility

NAME = "csharp"
TRAITS = LanguageTraits()
CONFIGS = configs_of(NAME)
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
ANGLES = re.compile(rb"(?:<[^<>;(){}]{0,200}+){100}")  # none of them closed
PARTIAL = re.compile(rb"\bpartial\s+(class|struct|interface|record)\b|^[ \t]*+#[ \t]*+if\b", re.MULTILINE)


CONDITIONS = Conditions(
    around={
        "preproc_if": ("condition",), "preproc_elif": ("condition",), "preproc_else": (), "namespace_declaration": ("name",),
    },
    whole=frozenset({"file_scoped_namespace_declaration"}),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Class:
    """The type that members are taken from."""

    name: str
    kind: str
    closed: bool  # nothing but what is written here belongs to it


@lru_cache(maxsize=1)
def _grammar() -> Grammar:
    import tree_sitter_c_sharp

    return Grammar(tree_sitter_c_sharp.language())


def project(paths: Collection[str], configs: Mapping[str, bytes]) -> Namespaces:
    """The resolver of one side's tree."""
    return Namespaces(paths, configs)


def _readable(source: bytes) -> bytes:
    """The source. Raises Unreadable when the parser would try each `<` as the beginning of type arguments, to the end of the file."""
    if ANGLES.search(source):
        raise Unreadable("it opens type arguments that it never closes")
    return typed.readable(source)


@outlines
@lru_cache(maxsize=64)
def outline(path: str, source: bytes, side: Side) -> Outline:
    """The definitions of a file. A part of a partial class, and code under a condition, is never the whole."""
    misread.check(source)
    misread.check_breaks(source)
    root = syntax.parse(_grammar(), _readable(source))
    found = JavaWalk(path, side)
    _walk(root, "", 0, found)
    complete = not root.has_error and not PARTIAL.search(source)
    told = Outline(
        typed.overloaded(found.symbols), tuple(found.exports.items()), complete, bases=tuple(found.bases.items())
    )
    return conditioned(told, root, source, CONDITIONS)


@finds
def uses(path: str, source: bytes, names: Collection[str]) -> tuple[Use, ...]:
    """The identifiers of a file that are spelt like one of the names."""

    def bare(name: str, classes: Sequence[str]) -> tuple[str, ...]:
        owners = _owners(path, source).get(name, ())
        having = next((one for one in classes if one in owners), "")
        return (having,) if having else typed.UNKNOWN if classes else ()

    return typed.uses(syntax.parse(_grammar(), _readable(source)), source, names, csharp_uses.READING, bare)


@lru_cache(maxsize=64)
def _owners(path: str, source: bytes) -> dict[str, set[str]]:
    """Member -> the classes of the file that define it."""
    owners: dict[str, set[str]] = {}
    for symbol in outline(path, source, "head").symbols:
        owners.setdefault(symbol.short, set()).add(symbol.name.rpartition(".")[0].rpartition(".")[2])
    return owners


def _walk(node: Node, inside: str, depth: int, found: JavaWalk) -> None:
    for child in node.named_children if depth < typed.NESTED else ():
        if child.type in TYPES:
            _type(child, inside, found)
        elif child.type in NESTS:
            _walk(child, inside, depth + 1, found)


def _type(node: Node, inside: str, found: JavaWalk) -> None:
    short = text(node.child_by_field_name("name"))
    name = f"{inside}.{short}" if inside else short
    kind = "type" if node.type in ("interface_declaration", "delegate_declaration") else "class"
    found.symbols.append(Symbol(found.path, name, kind, first_line(node), last_line(node), found.side))
    found.exports[short] = name
    bases = tuple(
        re.sub(r"<.*", "", text(base), flags=re.DOTALL)
        for part in node.named_children
        if part.type == "base_list"
        for base in part.named_children
        if base.type != "argument_list"
    )
    closed = node.type == "enum_declaration" or _has(node, "static")
    found.bases[short] = found.bases.get(short, ()) + (() if closed else (*bases, "object"))
    listed = next((part for part in node.named_children if part.type == "parameter_list"), None)
    if listed is not None and node.type != "delegate_declaration":
        told = _signature(node, listed, opaque=_has(node, "partial"))
        end = last_line(listed)
        found.symbols.append(
            Symbol(found.path, f"{name}.constructor", "method", first_line(node), end, found.side, told)
        )
    own = _Class(name, node.type, not bases and not _has(node, "partial"))
    for member in _members(node) if name.count(".") < typed.NESTED else ():
        _member(member, own, found)


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


def _member(node: Node, own: _Class, found: JavaWalk) -> None:
    kind = node.type
    if kind in TYPES:
        _type(node, own.name, found)
    elif kind == "constructor_declaration" and not _has(node, "static"):
        told = _signature(node, node.child_by_field_name("parameters"), opaque=_has(node, "partial"))
        _add(node, f"{own.name}.constructor", "method", found, told)
    elif kind == "method_declaration":
        _method(node, own, found)
    elif kind in VARIABLES or kind in MEMBERS or kind == "enum_member_declaration":
        names = [node.child_by_field_name("name")]
        if kind in VARIABLES:
            held = [part for part in node.named_children if part.type == "variable_declaration"]
            names = [
                part.child_by_field_name("name")
                for one in held
                for part in one.named_children
                if part.type == "variable_declarator"
            ]
        for name in names:
            _add(node, f"{own.name}.{text(name)}", "variable", found, None)
            if kind == "enum_member_declaration" or _has(node, "static") or _has(node, "const"):
                found.exports.setdefault(text(name), f"{own.name}.{text(name)}")


def _method(node: Node, own: _Class, found: JavaWalk) -> None:
    name, listed = text(node.child_by_field_name("name")), node.child_by_field_name("parameters")
    if node.child_by_field_name("explicit_interface_specifier") is not None or any(
        part.type == "explicit_interface_specifier" for part in node.named_children
    ):
        return
    static = _has(node, "static")
    vague = name in AMBIENT or not (own.closed or (static and own.kind != "interface_declaration"))
    told = _signature(node, listed, opaque=vague or _has(node, "override") or _has(node, "partial"))
    _add(node, f"{own.name}.{name}", "function" if static else "method", found, told)
    if static:
        found.exports.setdefault(name, f"{own.name}.{name}")


def _add(node: Node, name: str, kind: str, found: JavaWalk, told: Signature | None) -> None:
    visibility: Visibility = "file" if _hidden(node) else "anywhere"
    found.symbols.append(
        Symbol(found.path, name, kind, first_line(node), last_line(node), found.side, told, visibility=visibility)
    )


def _hidden(node: Node) -> bool:
    """Whether only its class can name a member; the other files of a partial class can, too."""
    body = node.parent
    while body is not None and body.type not in TYPES:
        body = body.parent
    if body is None or _has(body, "partial") or body.type in ("interface_declaration", "enum_declaration"):
        return False
    named = any(_has(node, word) for word in ("public", "protected", "internal"))
    return not named and node.type in (*VARIABLES, *MEMBERS, "method_declaration", "constructor_declaration")


def _has(node: Node, modifier: str) -> bool:
    return any(part.type == "modifier" and text(part) == modifier for part in node.named_children)


def _signature(node: Node, listed: Node | None, *, opaque: bool) -> Signature:
    """What a caller has to know. The receiver of an extension is left out; so is what the caller's compiler fills in."""
    parameters: list[Parameter] = []
    many = False
    for part in listed.children if listed is not None else ():
        many = many or part.type == "params"
        if part.type == "parameter":
            modifiers = {text(item) for item in part.named_children if item.type == "modifier"}
            filled = any(item.type == "=" for item in part.children) or b"[Caller" in (part.text or b"")
            if "this" not in modifiers:
                kind: typed.Kind = "varargs" if "params" in modifiers else "positional"
                required = not filled and kind == "positional"
                parameters.append(Parameter(text(part.child_by_field_name("name")), kind, required))
    if many:
        parameters.append(Parameter("params", "varargs", required=False))
    end = listed.end_byte if listed is not None else node.end_byte
    attributes = [part.end_byte for part in node.named_children if part.type in ("attribute_list", "modifier")]
    start = max(attributes, default=node.start_byte)
    head = (node.text or b"")[start - node.start_byte : end - node.start_byte].decode("utf-8", "replace")
    broken = listed is None or listed.has_error or any("preproc" in part.type for part in listed.children)
    return Signature(tuple(parameters), " ".join(head.split()), opaque or broken)
