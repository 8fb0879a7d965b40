"""The breaks between two sides of a GraphQL schema, as graphql-core finds them: it is imported with the first such schema.

What only unchanged files define stands for itself: a type that the changed files use and do not define is one without parts.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphql import (
    BreakingChange,
    BreakingChangeType,
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    Source,
    build_ast_schema,
    find_breaking_changes,
    parse,
)
from graphql.language import ast, parse_type

from bot.dependents.schemas import breaks

_Node = Any  # of graphql-core: its classes have their parts in common, and no base that says so
MOST_BYTES = 2 << 20  # of one file: the parser recurses, and reads 1 MB in seconds


@dataclass(frozen=True, slots=True)
class _Rule:
    """What one kind of change means: the rule's name, the kind of element, what became of it and why that is a break."""

    name: str
    kind: breaks.Kind
    change: str
    law: str


_RULES = {
    BreakingChangeType.TYPE_REMOVED: _Rule(
        "type-removed", "type", "was removed", "Queries and variables that name the type are refused."
    ),
    BreakingChangeType.TYPE_CHANGED_KIND: _Rule(
        "type-changed", "type", "is of another kind", "Clients wrote their queries for the other kind."
    ),
    BreakingChangeType.TYPE_REMOVED_FROM_UNION: _Rule(
        "member-removed", "type", "was removed from the union", "A fragment on it is refused."
    ),
    BreakingChangeType.VALUE_REMOVED_FROM_ENUM: _Rule(
        "value-removed", "value", "was removed", "A variable or a literal of this value is refused."
    ),
    BreakingChangeType.IMPLEMENTED_INTERFACE_REMOVED: _Rule(
        "interface-removed", "type", "no longer implements ", "A fragment on the interface selects nothing of this type any more."
    ),
    BreakingChangeType.FIELD_REMOVED: _Rule(
        "field-removed", "field", "was removed", "A query that selects it, or variables that set it, are refused as a whole."
    ),
    BreakingChangeType.FIELD_CHANGED_KIND: _Rule(
        "field-type-changed", "field", "is ", "Code that reads the answer, or writes the input, expects the other type."
    ),
    BreakingChangeType.REQUIRED_INPUT_FIELD_ADDED: _Rule(
        "field-required", "field", "is new and required", "A client that does not send it is refused."
    ),
    BreakingChangeType.ARG_REMOVED: _Rule(
        "argument-removed", "parameter", "was removed", "A query that passes the argument is refused."
    ),
    BreakingChangeType.ARG_CHANGED_KIND: _Rule(
        "argument-type-changed", "parameter", "is ", "Values that queries passed before are refused."
    ),
    BreakingChangeType.REQUIRED_ARG_ADDED: _Rule(
        "argument-required", "parameter", "is new and required", "A query without the argument is refused."
    ),
}  # fmt: skip
_RULES[BreakingChangeType.DIRECTIVE_ARG_REMOVED] = _RULES[BreakingChangeType.ARG_REMOVED]
_RULES[BreakingChangeType.REQUIRED_DIRECTIVE_ARG_ADDED] = _RULES[BreakingChangeType.REQUIRED_ARG_ADDED]
# In sentences such as: Field Query.a changed type from Int to String. Argument Query.a(x:) was removed.
_COORDINATE = re.compile(r"(?<![\w@])@?\w++(?:\.\w++)?(?:\(\w++:\))?(?= (?:was|changed|has changed|no longer)\b)")
_MEMBER = re.compile(r"^(\w++) was removed from union type (\w++)\.$")
_TYPES = re.compile(r"\bfrom (\S+) to (\S+)\.$")


@dataclass(slots=True)
class _Side:
    """One side of a change: its types by name, and where each element stands, by its coordinate."""

    types: dict[str, Any] = field(default_factory=dict)  # nodes of definitions
    extended_only: set[str] = field(default_factory=set)  # types of which these files define parts alone
    places: dict[str, tuple[str, int]] = field(default_factory=dict)
    deprecated: set[str] = field(default_factory=set)

    @property
    def path(self) -> str:
        """One of the files."""
        return next((path for path, _ in self.places.values()), "")


def compared(sides: breaks.SchemaSides) -> list[breaks.SchemaBreak]:
    """The breaks between all changed files of both sides, taken as parts of one schema."""
    old, new = _side(sides.before), _side(sides.after)
    for name in old.extended_only - new.types.keys():  # another file defines it still
        new.types[name] = _without_parts(old.types[name])
    schemas = [_schema(side) for side in (old, new)]
    return [row for change in find_breaking_changes(*schemas) for row in _break(change, old, new)]


def _side(documents: Iterable[breaks.Document]) -> _Side:
    side = _Side()
    for document in documents:
        for node in _definitions(document):
            name = _name_of(node)
            before, is_extension = side.types.get(name), isinstance(node, ast.TypeExtensionNode)
            side.types[name] = _as_definition(node) if before is None else _joined(before, _as_definition(node))
            if is_extension and before is None:
                side.extended_only.add(name)
            elif not is_extension:
                side.extended_only.discard(name)
            _note(side, name, node, document)
    return side


def _schema(side: _Side) -> GraphQLSchema:
    definitions = (*side.types.values(), *_stubs([*side.types.values()]))
    try:
        return build_ast_schema(DocumentNode(definitions=definitions), assume_valid=True, assume_valid_sdl=True)
    except (GraphQLError, TypeError, KeyError) as error:
        reason = f"its types do not fit together ({type(error).__name__})"
        raise breaks.UnreadableSchemaError(side.path, reason) from error


def _definitions(document: breaks.Document) -> Iterator[Any]:
    """The types and directives of a file, and what it adds to others; queries are left out."""
    path, text = document.path, document.text
    if len(text) > MOST_BYTES:
        raise breaks.UnreadableSchemaError(path, f"it has more than {MOST_BYTES >> 20} MB")
    try:
        root = parse(Source(text, path))
    except GraphQLError as error:
        raise breaks.UnreadableSchemaError(path, f"it cannot be parsed: {error.message[:200]}") from error
    except RecursionError as error:
        raise breaks.UnreadableSchemaError(path, "its parts are nested too deep") from error
    for node in root.definitions:
        if isinstance(node, ast.TypeDefinitionNode | ast.TypeExtensionNode | ast.DirectiveDefinitionNode):
            yield node


def _name_of(node: _Node) -> str:
    name: str = node.name.value
    return f"@{name}" if isinstance(node, ast.DirectiveDefinitionNode) else name


_DEFINITIONS = {
    ast.ObjectTypeExtensionNode: ast.ObjectTypeDefinitionNode,
    ast.InterfaceTypeExtensionNode: ast.InterfaceTypeDefinitionNode,
    ast.InputObjectTypeExtensionNode: ast.InputObjectTypeDefinitionNode,
    ast.EnumTypeExtensionNode: ast.EnumTypeDefinitionNode,
    ast.UnionTypeExtensionNode: ast.UnionTypeDefinitionNode,
    ast.ScalarTypeExtensionNode: ast.ScalarTypeDefinitionNode,
}
_PARTS = ("fields", "interfaces", "values", "types")


def _parts(node: _Node) -> dict[str, tuple[Any, ...]]:
    return {part: tuple(getattr(node, part) or ()) for part in _PARTS if hasattr(node, part)}


def _as_definition(node: _Node) -> _Node:
    """What a file adds to a type that another file defines, as if it were the type."""
    kind: Any = _DEFINITIONS.get(type(node))
    return node if kind is None else kind(name=node.name, directives=node.directives, loc=node.loc, **_parts(node))


def _joined(before: _Node, after: _Node) -> _Node:
    """Two parts of one type as one."""
    if type(before) is not type(after) or isinstance(after, ast.DirectiveDefinitionNode):
        return after
    parts = {part: (*rows, *_parts(after)[part]) for part, rows in _parts(before).items()}
    return type(after)(name=after.name, directives=(), loc=after.loc, **parts)


def _without_parts(node: _Node) -> _Node:
    return type(node)(name=node.name, directives=(), **dict.fromkeys(_parts(node), ()))


def _note(side: _Side, name: str, node: _Node, document: breaks.Document) -> None:
    """Note where a definition and its parts stand, and which of them are deprecated."""

    def at(coordinate: str, one: _Node) -> None:
        if one.loc is not None:
            side.places.setdefault(coordinate, (document.path, one.loc.start_token.line))
        own = getattr(one, "directives", None) or ()
        if any(directive.name.value == "deprecated" for directive in own):
            side.deprecated.add(coordinate)

    at(name, node.name)
    for part in getattr(node, "arguments", None) or ():
        at(f"{name}({part.name.value}:)", part)
    for part in (*(getattr(node, "fields", None) or ()), *(getattr(node, "values", None) or ())):
        own = f"{name}.{part.name.value}"
        at(own, part)
        side.places[own] = (document.path, part.name.loc.start_token.line)
        for argument in getattr(part, "arguments", None) or ():
            at(f"{own}({argument.name.value}:)", argument)
    for member in getattr(node, "types", None) or ():
        at(f"{name}.{member.name.value}", member)


def _stubs(nodes: Sequence[Any]) -> list[Any]:
    """A type for each name that the changed files use and do not define."""
    known = {_name_of(node) for node in nodes} | {"Int", "Float", "String", "Boolean", "ID"}
    kinds: dict[str, Any] = {}
    for node in nodes:
        kinds |= {one.name.value: ast.InterfaceTypeDefinitionNode for one in getattr(node, "interfaces", None) or ()}
        kinds |= {one.name.value: ast.ObjectTypeDefinitionNode for one in getattr(node, "types", None) or ()}
        parts = [*(getattr(node, "fields", None) or ()), *(getattr(node, "arguments", None) or ())]
        parts += [argument for part in parts for argument in getattr(part, "arguments", None) or ()]
        for part in parts:
            kind = part.type
            while not isinstance(kind, ast.NamedTypeNode):
                kind = kind.type
            kinds.setdefault(kind.name.value, ast.ScalarTypeDefinitionNode)
    some = ast.FieldDefinitionNode(name=ast.NameNode(value="_"), arguments=(), directives=(), type=parse_type("Int"))
    return [
        kind(
            name=ast.NameNode(value=name),
            directives=(),
            **({} if kind is ast.ScalarTypeDefinitionNode else {"fields": (some,), "interfaces": ()}),
        )
        for name, kind in kinds.items()
        if name not in known
    ]


def _break(change: BreakingChange, old: _Side, new: _Side) -> Iterator[breaks.SchemaBreak]:
    """A change that graphql-core reports, as a break with its place; none about what only other files define."""
    rule, text = _RULES.get(change.type), change.description
    found = _COORDINATE.search(text)
    if rule is None or found is None:
        return
    coordinate, said = found[0], rule.change
    if member := _MEMBER.match(text):
        coordinate = f"{member[2]}.{member[1]}"
    elif change.type is BreakingChangeType.IMPLEMENTED_INTERFACE_REMOVED:
        interface = text.rpartition(" ")[2].rstrip(".")
        if interface not in old.places:
            return
        said += interface
    elif change.type is BreakingChangeType.TYPE_CHANGED_KIND and coordinate not in new.types:
        rule = _RULES[BreakingChangeType.TYPE_REMOVED]
        said = rule.change
    elif types := _TYPES.search(text):
        said += f"{types[2]} instead of {types[1]}"
    base = coordinate.partition(".")[0].partition("(")[0]
    if base not in old.types:
        return
    is_gone = rule.name.endswith("-removed") and change.type is not BreakingChangeType.IMPLEMENTED_INTERFACE_REMOVED
    places = old.places if is_gone else new.places
    path, line = places.get(coordinate) or places.get(base) or old.places[base]
    element = coordinate.replace(":)", ")")
    holder, _, last = element.rpartition(".")
    name, argument = last.partition("(")[0], last.partition("(")[2].rstrip(")")
    owner = holder
    if argument and rule.name != "argument-required":
        name, owner = argument, name
    yield breaks.SchemaBreak(
        rule.name, rule.kind, element, said, rule.law, path, line, "base" if is_gone else "head", name, owner,
        is_planned=coordinate in old.deprecated,
    )  # fmt: skip
