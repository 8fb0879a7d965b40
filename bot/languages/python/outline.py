"""What a Python file defines, and what `from it import ...` can find."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from bot.languages.python.signature import HARMLESS, signature
from bot.languages.syntax import text
from bot.languages.walk import DefinitionWalk
from bot.values import Outline, Side

PLAIN_METACLASSES = frozenset({"type", "ABCMeta"})  # they construct an object with the arguments of the call
BLOCKS = frozenset({
    "if_statement", "elif_clause", "else_clause", "try_statement", "except_clause", "except_group_clause", "finally_clause",
    "with_statement", "for_statement", "while_statement", "match_statement", "case_clause", "block",
})  # fmt: skip
# What may give a module any name.
OPEN = re.compile(
    rb"^(?:async[ \t]+)?def[ \t]+__getattr__\b|^__getattr__[ \t]*=|(?<![\w.])exec\((?:[^,\n()]|\([^()\n]*\)){0,200}\)"
    rb"|\bsys\.modules\[__name__\]|\b(?:globals|vars|locals)\(\)(?:\.(?:update|setdefault|__setitem__)\(|\[[^\]\n]{1,200}\][ \t]*=(?!=))",
    re.MULTILINE,
)
CHOICES = BLOCKS - {"try_statement", "except_clause", "finally_clause", "with_statement", "block"}  # may never be run
TARGETS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern"})


@dataclass(slots=True)
class _PythonWalk(DefinitionWalk):
    import_names: list[str] = field(default_factory=list)
    loose: set[str] = field(default_factory=set)


def outline_of(path: str, root: Node, source: bytes, side: Side) -> Outline:
    """The definitions of a file, outermost first. Functions inside functions belong to their function."""
    walk = _PythonWalk(path, side)
    _walk(root, "", walk)
    outline = walk.outline(not root.has_error and not OPEN.search(source))
    return replace(outline, bound=tuple(walk.import_names), loose=frozenset(walk.loose))


def _walk(node: Node, inside: str, walk: _PythonWalk, *, sure: bool = True) -> None:
    for child in node.named_children:
        kind = child.type
        if kind == "decorated_definition":
            inner = child.child_by_field_name("definition")
            if inner is not None:
                _definition(inner, child, inside, walk)
        elif kind in ("function_definition", "class_definition"):
            _definition(child, child, inside, walk)
        elif kind == "expression_statement":
            _assignment(child, inside, walk)
        elif kind in ("import_statement", "import_from_statement", "future_import_statement"):
            _import(child, inside, walk, sure=sure)
        elif kind == "type_alias_statement":
            _bind(text(child.child_by_field_name("left")), "type", child, inside, walk)
        elif kind in BLOCKS:
            for name in _targets(child):
                walk.exports.setdefault(name, "") if not inside else None
            _walk(child, inside, walk, sure=sure and kind not in CHOICES)


def _definition(node: Node, outer: Node, inside: str, walk: _PythonWalk) -> None:
    short = text(node.child_by_field_name("name"))
    name = f"{inside}.{short}" if inside else short
    kind = "class" if node.type == "class_definition" else "method" if inside else "function"
    decorators = [text(part)[1:].strip() for part in outer.named_children if part.type == "decorator"]
    own_signature = signature(node, bool(inside), decorators) if kind != "class" else None
    walk.define(name, kind, outer, own_signature, is_exported=not short.startswith("__") or bool(inside))
    if not inside:
        walk.exports[short] = name
    if kind == "class":
        foreign = [item for item in decorators if item.partition("(")[0].rpartition(".")[2] not in HARMLESS]
        walk.inherit(name, (*_bases(node), *(f"@{item}" for item in foreign)))
        body = node.child_by_field_name("body")
        first = len(walk.symbols)
        if body is not None:
            _walk(body, name, walk)
        if _is_called_otherwise(node):  # what a metaclass hands to `__init__` is not what a call of the class writes
            for at, one in enumerate(walk.symbols[first:], first):
                if one.name == f"{name}.__init__" and one.signature is not None:
                    walk.symbols[at] = replace(one, signature=replace(one.signature, opaque=True))


def _is_called_otherwise(node: Node) -> bool:
    """Whether a class has a metaclass that may call it in a way of its own."""
    metaclasses = [base.partition("=")[2].strip() for base in _bases(node) if base.startswith("metaclass")]
    return any(one.rpartition(".")[2] not in PLAIN_METACLASSES for one in metaclasses)


def _bases(node: Node) -> tuple[str, ...]:
    """What a class inherits from, as written; a metaclass counts, it can add what it likes."""
    superclasses = node.child_by_field_name("superclasses")
    return (
        tuple(text(base) for base in superclasses.named_children if base.type != "comment")
        if superclasses is not None
        else ()
    )


def _assignment(statement: Node, inside: str, walk: _PythonWalk) -> None:
    for node in statement.named_children:
        left = node.child_by_field_name("left") if node.type in ("assignment", "augmented_assignment") else None
        if left is None:
            continue
        names = [text(left)] if left.type == "identifier" else [text(part) for part in _identifiers(left)]
        for name in names:
            _bind(name, "variable", statement, inside, walk)
        right = node.child_by_field_name("right")
        if right is not None and right.type == "assignment":
            _assignment(node, inside, walk)


def _bind(name: str, kind: str, node: Node, inside: str, walk: _PythonWalk) -> None:
    qualified_name = f"{inside}.{name}" if inside else name
    walk.define(qualified_name, kind, node)
    if not inside:
        walk.exports[name] = qualified_name


def _identifiers(node: Node) -> Iterator[Node]:
    for part in node.named_children:
        if part.type == "identifier":
            yield part
        elif part.type in TARGETS:
            yield from _identifiers(part)


def _targets(node: Node) -> Iterator[str]:
    """The names that a `for` or a `with` binds."""
    if node.type == "for_statement":
        left = node.child_by_field_name("left")
        if left is not None:
            yield from [text(left)] if left.type == "identifier" else [text(part) for part in _identifiers(left)]
    elif node.type == "with_statement":
        yield from re.findall(r"\bas\s+(\w+)", text(node).partition("\n")[0])


def _import(node: Node, inside: str, walk: _PythonWalk, *, sure: bool) -> None:
    for part in node.named_children:
        if part.type == "wildcard_import":
            walk.stars += 1
        elif inside or part == node.child_by_field_name("module_name"):
            continue
        elif part.type == "aliased_import":
            _take(text(part.child_by_field_name("alias")), walk, sure=sure)
        elif part.type == "dotted_name":
            _take(text(part).partition(".")[0], walk, sure=sure)


def _take(name: str, walk: _PythonWalk, *, sure: bool) -> None:
    """A name that an import binds."""
    walk.exports.setdefault(name, "")
    walk.import_names.append(name)
    if not sure:
        walk.loose.add(name)
