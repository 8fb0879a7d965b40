"""What Lombok adds to a class of Java: accessors, steps of a builder and constructors that are written nowhere.

Who calls one relies on the field from which it is made. Lombok's own settings and its rarer marks are not read, so these members prove
nothing: they make their uses open.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from tree_sitter import Node

from bot.languages.syntax import text
from bot.languages.typed_receivers import TypedWalk
from bot.values import GENERATED, Parameter, Signature

NAMED = re.compile(rb"^[ \t]*+import\s++lombok\b|@lombok\.", re.MULTILINE)
READS = frozenset({"Data", "Value", "Getter"})
SETS = frozenset({"Data", "Setter"})
COPIES = frozenset({"With", "Wither"})
BUILDS = frozenset({"Builder", "SuperBuilder"})
TAKES_ALL = frozenset({"AllArgsConstructor", "Value"})
FLUENT = re.compile(r"\bfluent\s*+=\s*+true\b")


def add(node: Node, name: str, members: Sequence[Node], walk: TypedWalk) -> None:
    """Take the members that Lombok adds to a class, but those that the class writes itself."""
    marks = dict(_marks(node))
    own = {text(member.child_by_field_name("name")) for member in members}
    fields = [member for member in members if member.type == "field_declaration" and not _has(member, "static")]
    is_fluent = FLUENT.search(text(marks.get("Accessors"))) is not None
    for field in fields:
        words = {*marks, *(word for word, _ in _marks(field))}
        for short in _variables(field):
            for member_name in _made(
                short, words, is_boolean=text(field.child_by_field_name("type")) == "boolean", is_fluent=is_fluent
            ):
                if member_name not in own:
                    own.add(member_name)
                    walk.define(f"{name}.{member_name}", GENERATED, field)
    _constructor(name, marks, fields, members, walk)


def _made(field: str, words: Collection[str], *, is_boolean: bool, is_fluent: bool) -> Iterator[str]:
    """The names of what is made from a field under these marks."""
    capital = field[:1].upper() + field[1:]
    stem = capital if not (is_boolean and re.match(r"is[A-Z]", field)) else field[2:]
    if not READS.isdisjoint(words):
        yield field if is_fluent else f"is{stem}" if is_boolean else f"get{capital}"
    if not SETS.isdisjoint(words):
        yield field if is_fluent else f"set{stem}"
    if not COPIES.isdisjoint(words):
        yield f"with{stem}"
    if not BUILDS.isdisjoint(words):
        yield field


def _constructor(
    name: str, marks: dict[str, Node], fields: Sequence[Node], members: Sequence[Node], walk: TypedWalk
) -> None:
    """Take the constructor whose parameters are fields. A mark that stands for several things makes none beside a written one."""
    mark = next((marks[word] for word in ("AllArgsConstructor", "RequiredArgsConstructor") if word in marks), None)
    is_written = any(member.type == "constructor_declaration" for member in members)
    if mark is None and not is_written:
        mark = marks.get("Value") or marks.get("Data")
    if mark is None:
        return
    word = text(mark.child_by_field_name("name"))
    own_fields = [field for field in fields if _is_taken(field, takes_all=word in TAKES_ALL)]
    parameters = tuple(Parameter(short, "positional-only") for field in own_fields for short in _variables(field))
    types = [text(field.child_by_field_name("type")) for field in own_fields for _ in _variables(field)]
    head = ", ".join(f"{kind} {one.name}" for kind, one in zip(types, parameters, strict=True))
    walk.define(f"{name}.constructor", GENERATED, mark, Signature(parameters, f"{word}({head})", opaque=True))


def _is_taken(field: Node, *, takes_all: bool) -> bool:
    """Whether a constructor takes a value for a field: a constant that has one already is left out, an optional one where only the others are asked for."""
    has_value = any(part.child_by_field_name("value") is not None for part in field.named_children)
    is_final = _has(field, "final")
    if takes_all:
        return not (is_final and has_value)
    return not has_value and (is_final or any(word == "NonNull" for word, _ in _marks(field)))


def _variables(field: Node) -> Iterator[str]:
    for part in field.named_children:
        if part.type == "variable_declarator":
            yield text(part.child_by_field_name("name"))


def _marks(node: Node) -> Iterator[tuple[str, Node]]:
    """The annotations of a definition, each with its last name."""
    for holder in node.named_children:
        for part in holder.named_children if holder.type == "modifiers" else ():
            if part.type in ("marker_annotation", "annotation"):
                yield text(part.child_by_field_name("name")).rpartition(".")[2], part


def _has(node: Node, word: str) -> bool:
    return any(part.type == "modifiers" and word in text(part).split() for part in node.named_children)
