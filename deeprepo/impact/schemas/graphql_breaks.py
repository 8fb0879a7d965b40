"""Find breaks in GraphQL schemas with graphql-core, which is imported for the first schema.

Types that only unchanged files define are replaced by types without fields.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, cast

from graphql import (
    BreakingChange,
    BreakingChangeType,
    DocumentNode,
    GraphQLError,
    Source,
    build_ast_schema,
    find_breaking_changes,
    parse,
)
from graphql.language import ast

from deeprepo.impact.schemas import breaks
from deeprepo.impact.structs import Struct, field, replace
from deeprepo.impact.values import Side

_Node = Any  # a graphql-core node; no common base class declares the attributes
_SCALARS = ("Int", "Float", "String", "Boolean", "ID")
_COMMENT = re.compile(r"#[^\n]*+")
_TOKEN = re.compile(  # tokens that may contain a brace, or are one
    r'"{3}(?:[^"\\]++|\\(?:"{3})?+|"(?!""))*+"{3}|"(?:[^"\\\n]++|\\.)*+"|[{}]|' + _COMMENT.pattern
)
MOST_BYTES = 2 << 20  # of one file: the parser recurses, and takes seconds for 1 MB


class _Rule(NamedTuple):
    """The meaning of one kind of change: rule name, kind of element, and reason."""

    name: str
    kind: breaks.Kind
    law: str


_RULES = {
    BreakingChangeType.TYPE_REMOVED: _Rule(
        "type-removed", "type", "Queries and variables that name the type are refused."
    ),
    BreakingChangeType.TYPE_CHANGED_KIND: _Rule(
        "type-changed", "type", "Clients wrote their queries for the other kind."
    ),
    BreakingChangeType.TYPE_REMOVED_FROM_UNION: _Rule("member-removed", "type", "A fragment on it is refused."),
    BreakingChangeType.VALUE_REMOVED_FROM_ENUM: _Rule(
        "value-removed", "value", "A variable or a literal of this value is refused."
    ),
    BreakingChangeType.IMPLEMENTED_INTERFACE_REMOVED: _Rule(
        "interface-removed", "type", "A fragment on the interface selects nothing of this type any more."
    ),
    BreakingChangeType.FIELD_REMOVED: _Rule(
        "field-removed", "field", "A query that selects it, or variables that set it, are refused as a whole."
    ),
    BreakingChangeType.FIELD_CHANGED_KIND: _Rule(
        "field-type-changed", "field", "Code that reads the answer, or writes the input, expects the other type."
    ),
    BreakingChangeType.REQUIRED_INPUT_FIELD_ADDED: _Rule(
        "field-required", "field", "A client that does not send it is refused."
    ),
    BreakingChangeType.ARG_REMOVED: _Rule(
        "argument-removed", "parameter", "A query that passes the argument is refused."
    ),
    BreakingChangeType.ARG_CHANGED_KIND: _Rule(
        "argument-type-changed", "parameter", "Values that queries passed before are refused."
    ),
    BreakingChangeType.REQUIRED_ARG_ADDED: _Rule(
        "argument-required", "parameter", "A query without the argument is refused."
    ),
}
# In sentences such as: Field Query.a changed type from Int to String. Argument Query.a(x:) was removed.
_COORDINATE = re.compile(
    r"(?<![\w@])(\w++(?:\.\w++)?(?:\(\w++:\))?) ((?:was|changed|has changed|no longer)\b[^\n]*?)\.?$"
)


class _Side(Struct):
    """One side of a change: its definitions, and the place of each element by its coordinate."""

    nodes: list[_Node] = field(default_factory=list)
    places: dict[str, tuple[str, int]] = field(default_factory=dict)
    deprecated: set[str] = field(default_factory=set)

    @property
    def defined(self) -> set[str]:
        """The types that it defines and does not only extend."""
        return {node.name.value for node in self.nodes if isinstance(node, ast.TypeDefinitionNode)}


def compared(sides: breaks.SchemaSides) -> list[breaks.SchemaBreak]:
    """Return the breaks between all changed files of both sides, read as one schema."""
    common = _parts(sides.before) & _parts(sides.after)
    old, new = _side(_without(common, sides.before)), _side(_without(common, sides.after))
    kinds = _used([*old.nodes, *new.nodes])
    elsewhere = kinds.keys() - old.defined - new.defined
    schemas = []
    for side in (old, new):
        names = (_used(side.nodes).keys() | elsewhere) - side.defined
        stubs = [kinds[name](name=ast.NameNode(value=name)) for name in sorted(names)]
        try:
            document = DocumentNode(definitions=(*side.nodes, *stubs))
            schemas.append(build_ast_schema(document, assume_valid=True, assume_valid_sdl=True))
        except (GraphQLError, TypeError, KeyError) as error:
            reason = f"its types do not fit together ({type(error).__name__})"
            raise breaks.UnreadableSchemaError(next(iter(side.places.values()))[0], reason) from error
    return [row for change in find_breaking_changes(*schemas) for row in _break(change, old, new)]


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


def _side(documents: Iterable[breaks.Document]) -> _Side:
    side = _Side()
    for document in documents:
        for node in _definitions(document):
            side.nodes.append(node)
            _note(side, node.name.value, node, document)
    return side


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


def _listed(node: _Node, *names: str) -> list[_Node]:
    """Return the parts of a node from several attributes, which may be missing."""
    return [part for name in names for part in getattr(node, name, None) or ()]


def _note(side: _Side, name: str, node: _Node, document: breaks.Document) -> None:
    """Record the places of a definition and its parts, and which are deprecated."""
    rows = [(name, node.name)]
    rows += [(f"{name}.{one.name.value}", one) for one in _listed(node, "fields", "values", "types")]
    for part in _listed(node, "fields"):
        rows += [(f"{name}.{part.name.value}({one.name.value}:)", one) for one in _listed(part, "arguments")]
    for coordinate, one in rows:
        place = one.name.loc if hasattr(one, "name") else one.loc
        side.places.setdefault(coordinate, (document.path, place.start_token.line))
        if any(directive.name.value == "deprecated" for directive in _listed(one, "directives")):
            side.deprecated.add(coordinate)


def _used(nodes: Sequence[_Node]) -> dict[str, Any]:
    """Return the names that definitions use or extend, with the node class each must have."""
    kinds: dict[str, Any] = {}
    for node in nodes:
        if isinstance(node, ast.TypeExtensionNode):
            kinds[node.name.value] = getattr(ast, type(node).__name__.replace("Extension", "Definition"))
        kinds |= {one.name.value: ast.InterfaceTypeDefinitionNode for one in _listed(node, "interfaces")}
        kinds |= {one.name.value: ast.ObjectTypeDefinitionNode for one in _listed(node, "types")}
    for part in [part for node in nodes for part in _listed(node, "fields")]:
        for one in (part, *_listed(part, "arguments")):
            kind = one.type
            while not isinstance(kind, ast.NamedTypeNode):
                kind = kind.type
            if kind.name.value not in _SCALARS:
                kinds.setdefault(kind.name.value, ast.ScalarTypeDefinitionNode)
    return kinds


def _break(change: BreakingChange, old: _Side, new: _Side) -> Iterator[breaks.SchemaBreak]:
    """Yield a reported change as a break, unless only other files define it."""
    rule, found = _RULES.get(change.type), _COORDINATE.search(change.description)
    if rule is None or found is None:
        return
    coordinate, said = found.groups()
    if rule.name == "member-removed":
        coordinate, said = f"{said.rpartition(' ')[2]}.{coordinate}", "was removed from the union"
    elif rule.name.endswith("-required"):
        said = "is new and required"
    *owners, name = re.findall(r"\w+", coordinate)
    holder = owners[0] if owners else name
    if holder not in old.places:
        return
    places, side = (new.places, "head") if coordinate in new.places else (old.places, "base")
    path, line = places.get(coordinate) or old.places[holder]
    if rule.name == "argument-required":  # a call that omits the argument writes the field
        *owners, name = owners
    is_exact = rule.kind in ("value", "parameter") and rule.name != "argument-required"
    yield breaks.SchemaBreak(
        rule.name, rule.kind, coordinate.replace(":)", ")"), said, rule.law, path, line, cast("Side", side), name, (["", *owners])[-1],
        is_planned=coordinate in old.deprecated, searched=frozenset({name} if is_exact else ()),
    )  # fmt: skip
