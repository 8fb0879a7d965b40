"""What a Python file defines, and what `from it import ...` can find."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from bot.languages.python.dynamic import ANY, HINT, dynamic
from bot.languages.python.signature import HARMLESS, signature
from bot.languages.syntax import conditional, first_line, last_line, text
from bot.values import Outline, Side, Symbol

BLOCKS = frozenset({
    "if_statement", "elif_clause", "else_clause", "try_statement", "except_clause", "except_group_clause", "finally_clause",
    "with_statement", "for_statement", "while_statement", "match_statement", "case_clause", "block",
})  # fmt: skip
CHOICES = BLOCKS - {"try_statement", "except_clause", "finally_clause", "with_statement", "block"}  # may never be run
TARGETS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern"})


@dataclass(slots=True)
class _Found:
    """What the walk has met so far."""

    path: str
    side: Side
    symbols: list[Symbol] = field(default_factory=list)
    bound: dict[str, str] = field(default_factory=dict)
    bases: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    stars: int = 0
    imported: list[str] = field(default_factory=list)
    loose: set[str] = field(default_factory=set)


def outline_of(path: str, root: Node, source: bytes, side: Side, parse: Callable[[bytes], Node]) -> Outline:
    """The definitions of a file, outermost first. Functions inside functions belong to their function."""
    found = _Found(path, side)
    _walk(root, "", found)

    def within(code: bytes) -> tuple[frozenset[str], str]:
        """What a text that the file executes defines. One that executes others in turn is not followed."""
        if HINT.search(code):
            return frozenset(), ANY
        told = outline_of(path, parse(code), code, side, parse)
        return told.names, "" if told.complete and not told.stars else ANY

    made = dynamic(root, source, within)
    for name in sorted(made.names):
        found.bound.setdefault(name, "")
    return Outline(
        symbols=conditional(found.symbols),
        exports=tuple(found.bound.items()),
        complete=not root.has_error and not made.doubt,
        stars=found.stars,
        bases=tuple(found.bases),
        doubt=made.doubt,
        bound=tuple(found.imported),
        loose=frozenset(found.loose),
    )


def _walk(node: Node, inside: str, found: _Found, *, sure: bool = True) -> None:
    for child in node.named_children:
        kind = child.type
        if kind == "decorated_definition":
            inner = child.child_by_field_name("definition")
            if inner is not None:
                _definition(inner, child, inside, found)
        elif kind in ("function_definition", "class_definition"):
            _definition(child, child, inside, found)
        elif kind == "expression_statement":
            _assignment(child, inside, found)
        elif kind in ("import_statement", "import_from_statement", "future_import_statement"):
            _import(child, inside, found, sure=sure)
        elif kind == "type_alias_statement":
            _bind(text(child.child_by_field_name("left")), "type", child, inside, found)
        elif kind in BLOCKS:
            for name in _targets(child):
                found.bound.setdefault(name, "") if not inside else None
            _walk(child, inside, found, sure=sure and kind not in CHOICES)


def _definition(node: Node, outer: Node, inside: str, found: _Found) -> None:
    short = text(node.child_by_field_name("name"))
    name = f"{inside}.{short}" if inside else short
    kind = "class" if node.type == "class_definition" else "method" if inside else "function"
    decorators = [text(part)[1:].strip() for part in outer.named_children if part.type == "decorator"]
    told = signature(node, bool(inside), decorators) if kind != "class" else None
    span = first_line(outer), last_line(outer)
    found.symbols.append(
        Symbol(found.path, name, kind, *span, found.side, told, not short.startswith("__") or bool(inside))
    )
    if not inside:
        found.bound[short] = name
    if kind == "class":
        foreign = [item for item in decorators if item.partition("(")[0].rpartition(".")[2] not in HARMLESS]
        found.bases.append((name, (*_bases(node), *(f"@{item}" for item in foreign))))
        body = node.child_by_field_name("body")
        if body is not None:
            _walk(body, name, found)


def _bases(node: Node) -> tuple[str, ...]:
    """What a class inherits from, as written; a metaclass counts, it can add what it likes."""
    listed = node.child_by_field_name("superclasses")
    return tuple(text(base) for base in listed.named_children if base.type != "comment") if listed is not None else ()


def _assignment(statement: Node, inside: str, found: _Found) -> None:
    for node in statement.named_children:
        left = node.child_by_field_name("left") if node.type in ("assignment", "augmented_assignment") else None
        if left is None:
            continue
        names = [text(left)] if left.type == "identifier" else [text(part) for part in _identifiers(left)]
        for name in names:
            _bind(name, "variable", statement, inside, found)
        right = node.child_by_field_name("right")
        if right is not None and right.type == "assignment":
            _assignment(node, inside, found)


def _bind(name: str, kind: str, node: Node, inside: str, found: _Found) -> None:
    qualified = f"{inside}.{name}" if inside else name
    found.symbols.append(Symbol(found.path, qualified, kind, first_line(node), last_line(node), found.side))
    if not inside:
        found.bound[name] = qualified


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


def _import(node: Node, inside: str, found: _Found, *, sure: bool) -> None:
    for part in node.named_children:
        if part.type == "wildcard_import":
            found.stars += 1
        elif inside or part == node.child_by_field_name("module_name"):
            continue
        elif part.type == "aliased_import":
            _take(text(part.child_by_field_name("alias")), found, sure=sure)
        elif part.type == "dotted_name":
            _take(text(part).partition(".")[0], found, sure=sure)


def _take(name: str, found: _Found, *, sure: bool) -> None:
    """A name that an import binds."""
    found.bound.setdefault(name, "")
    found.imported.append(name)
    if not sure:
        found.loose.add(name)
