"""Find breaks in GraphQL schemas. The parser, graphql-core, is imported for the first schema.

A type that only unchanged files define is the same on both sides.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, cast

from graphql import GraphQLError, Source, parse, print_ast
from graphql.language import ast

from deeprepo.impact.schemas import breaks
from deeprepo.impact.structs import Struct, field, replace
from deeprepo.impact.values import Side

_Node = Any  # a graphql-core node; no common base class declares the attributes
_COMMENT = re.compile(r"#[^\n]*+")
_TOKEN = re.compile(  # tokens that may contain a brace, or are one
    r'"{3}(?:[^"\\]++|\\(?:"{3})?+|"(?!""))*+"{3}|"(?:[^"\\\n]++|\\.)*+"|[{}]|' + _COMMENT.pattern
)
_NULL = re.compile(r"[\w\]](!?)(?=\]|$)")  # the end of each level of a type, and whether it excludes null
MOST_BYTES = 2 << 20  # of one file: the parser recurses, and takes seconds for 1 MB
_KINDS = {
    "scalar": "a Scalar type", "object": "an Object type", "interface": "an Interface type",
    "union": "a Union type", "enum": "an Enum type", "input_object": "an Input type",
}  # fmt: skip
_LAWS = {
    "type-removed": "Queries and variables that name the type are refused.",
    "type-changed": "Clients wrote their queries for the other kind.",
    "member-removed": "A fragment on it is refused.",
    "value-removed": "A variable or a literal of this value is refused.",
    "interface-removed": "A fragment on the interface selects nothing of this type any more.",
    "field-removed": "A query that selects it, or variables that set it, are refused as a whole.",
    "field-type-changed": "Code that reads the answer, or writes the input, expects the other type.",
    "field-required": "A client that does not send it is refused.",
    "argument-removed": "A query that passes the argument is refused.",
    "argument-type-changed": "Values that queries passed before are refused.",
    "argument-required": "A query without the argument is refused.",
}
_ELEMENTS: Mapping[str, breaks.Kind] = {"member": "type", "interface": "type", "argument": "parameter"}
# The parts of types and fields, and the attributes of nodes that contain them.
_PARTS = {"field": "fields", "value": "values", "member": "types", "interface": "interfaces", "argument": "arguments"}


class _Element(Struct):
    """A type, or a part of one."""

    kind: str  # "type", "field", "argument", "value", "member" of a union, "interface" of a type
    name: str
    path: str
    line: int
    type: str = ""  # for a type, its kind
    is_required: bool = False
    is_deprecated: bool = False
    is_input: bool = False
    is_extension: bool = False  # of a type that another file defines
    parts: dict[tuple[str, str], "_Element"] = field(default_factory=dict)  # by kind and name


class _Change(NamedTuple):
    rule: str
    clause: str
    names: tuple[str, ...]  # the element's, after those of what contains it
    place: _Element
    side: Side = "head"
    is_planned: bool = False


def compared(sides: breaks.SchemaSides) -> list[breaks.SchemaBreak]:
    """Return the breaks between all changed files of both sides, read as one schema."""
    common = _parts(sides.before) & _parts(sides.after)
    old, new = (_types(_without(common, side)) for side in sides)
    removed, others = list[_Change](), list[_Change]()
    for name, was in old.items():
        now = new.get(name)
        if now is None and not was.is_extension:
            removed.append(_Change("type-removed", "was removed", (name,), was, "base"))
        elif now is not None and now.type != was.type:
            clause = f"changed from {_KINDS[was.type]} to {_KINDS[now.type]}"
            others.append(_Change("type-changed", clause, (name,), now))
        else:
            others += _of_parts((name,), was, now or replace(was, parts={}))
    return [_break(change) for change in (*removed, *others)]


def _of_parts(names: tuple[str, ...], was: _Element, now: _Element) -> Iterator[_Change]:
    """Yield the changes between the parts of an element, whose names come first."""
    for key, part in was.parts.items():
        other, mine = now.parts.get(key), (*names, part.name)
        if other is None and part.kind == "interface":
            yield _Change("interface-removed", f"no longer implements interface {part.name}", names, now)
        elif other is None:
            clause = "was removed from the union" if part.kind == "member" else "was removed"
            yield _Change(f"{part.kind}-removed", clause, mine, part, "base", part.is_deprecated)
        else:
            before, after = (part, other) if part.is_input else (other, part)
            if not _fits(before.type, after.type):
                verb = "has changed" if part.kind == "argument" else "changed"
                clause = f"{verb} type from {part.type} to {other.type}"
                yield _Change(f"{part.kind}-type-changed", clause, mine, other, "head", part.is_deprecated)
            yield from _of_parts(mine, part, other)
    for key, part in now.parts.items():
        if part.is_required and key not in was.parts:
            yield _Change(f"{part.kind}-required", "is new and required", (*names, part.name), part)


def _fits(given: str, taken: str) -> bool:
    """Return whether every value of a type is one of another type, which may also allow null."""
    levels = zip(_NULL.findall(given), _NULL.findall(taken), strict=False)
    return given.replace("!", "") == taken.replace("!", "") and all(one or not other for one, other in levels)


def _parts(documents: Iterable[breaks.Document]) -> set[str]:
    return {part for document in documents for part in _apart(document.text)}


@lru_cache(maxsize=8)
def _apart(text: str) -> list[str]:
    """Cut a schema after each closing brace of a definition; with unbalanced braces, it stays whole."""
    ends, depth = [0], 0
    for match in _TOKEN.finditer(text):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if not depth and match[0] == "}":
            ends.append(match.end())
    return [text[start:end] for start, end in pairwise([*ends, len(text)])] if not depth else [text]


def _without(common: Collection[str], documents: Iterable[breaks.Document]) -> Iterator[breaks.Document]:
    """Yield the files with common parts blanked out, since parsing a large schema takes seconds."""
    for document in documents:
        parts = [
            "\n" * part.count("\n") if part in common or not _COMMENT.sub("", part).strip() else part
            for part in _apart(document.text)
        ]
        if any(part.strip() for part in parts):
            yield replace(document, text="".join(parts))


def _definitions(document: breaks.Document) -> Iterator[_Node]:
    """Return the types that a file defines or extends, without queries and directives."""
    path, text = document.path, document.text
    if len(text) > MOST_BYTES:
        raise breaks.UnreadableSchemaError(path, f"it has more than {MOST_BYTES >> 20} MB")
    try:
        root = parse(Source(text, path))
    except GraphQLError as error:
        raise breaks.UnreadableSchemaError(path, f"it cannot be parsed: {error.message[:200]}") from error
    except RecursionError as error:
        raise breaks.UnreadableSchemaError(path, "its parts are nested too deep") from error
    return (node for node in root.definitions if isinstance(node, ast.TypeDefinitionNode | ast.TypeExtensionNode))


def _types(documents: Iterable[breaks.Document]) -> dict[str, _Element]:
    """Return the types of files with their parts. Of equal ones, the first counts."""
    types: dict[str, _Element] = {}
    for document in documents:
        for node in _definitions(document):
            is_extension = isinstance(node, ast.TypeExtensionNode)
            kind = node.kind.partition("_type")[0]
            one = types.setdefault(node.name.value, _element("type", node, document.path, is_extension=is_extension))
            one.type, one.is_extension = kind, one.is_extension and is_extension
            _add_parts(one, node, is_input=kind == "input_object")
    return types


def _add_parts(one: _Element, node: _Node, *, is_input: bool) -> None:
    for kind, attribute in _PARTS.items():
        for part in getattr(node, attribute, None) or ():
            mine = _element(kind, part, one.path, is_input=is_input or kind == "argument")
            if one.parts.setdefault((kind, mine.name), mine) is mine and kind == "field":
                _add_parts(mine, part, is_input=is_input)


def _element(kind: str, node: _Node, path: str, *, is_input: bool = False, is_extension: bool = False) -> _Element:
    type_text = print_ast(node.type) if kind in ("field", "argument") else ""
    directives = node.directives if kind in ("field", "argument", "value") else ()
    return _Element(
        kind, node.name.value, path, node.name.loc.start_token.line, type_text, is_input=is_input, is_extension=is_extension,
        is_required=is_input and type_text.endswith("!") and node.default_value is None,
        is_deprecated=any(one.name.value == "deprecated" for one in directives or ()),
    )  # fmt: skip


def _break(change: _Change) -> breaks.SchemaBreak:
    rule, clause, names, place, side, is_planned = change
    kind = rule.partition("-")[0]
    element = f"{'.'.join(names[:-1])}({names[-1]})" if kind == "argument" else ".".join(names)
    if rule == "argument-required":  # a call that omits the argument writes the field
        names = names[:-1]
    is_exact = kind in ("value", "argument") and rule != "argument-required"
    return breaks.SchemaBreak(
        rule, _ELEMENTS.get(kind, cast("breaks.Kind", kind)), element, clause, _LAWS[rule], place.path, place.line,
        side, names[-1], ("", *names)[-2], is_planned=is_planned, searched=frozenset(names[-1:] if is_exact else ()),
    )  # fmt: skip
