"""Types whose parts are all written, and the code that has to give each of them: who implements one, builds one, chooses among its members.

One file tells it, by the query `wholes`; what a type is called elsewhere is told here, too.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal

from tree_sitter import Node

from deeprepo.impact.classes import UNWRITTEN, Ancestry, ancestry, extending, members
from deeprepo.impact.index import Index
from deeprepo.impact.language import Language, language_of
from deeprepo.impact.matching import Captures, Rows, joined, matches
from deeprepo.impact.memo import memo
from deeprepo.impact.nodes import Spans, first_line, last_line, name_of, text
from deeprepo.impact.reader import KEPT, Reader, parse
from deeprepo.impact.resolve import named_by
from deeprepo.impact.structs import Struct

Kind = Literal["heir", "build", "choose"]
KINDS: tuple[Kind, ...] = ("heir", "build", "choose")
Type = tuple[str, str]  # the file that defines it, and its name
ATTRIBUTE = "@"  # before a base: something may give the type what it does not write


class Requirement(Struct, frozen=True):
    """A part that a type has. `kind`: who gives it."""

    owner: str
    name: str
    kind: str
    line: int


class Whole(Struct, frozen=True):
    """What has to give each part of a type, as one file writes it."""

    kind: str
    of: str  # the type as it is written; "" where the parts alone tell it
    name: str  # of an heir: its own
    parts: tuple[tuple[str, int], ...]  # what it gives by name, with the line
    places: int  # parts that are given by their place alone
    is_all: bool  # what it writes is all that it gives: it inherits nothing
    is_open: bool  # it may give, or leave out, what it does not write
    line: int
    end: int

    @property
    def names(self) -> frozenset[str]:
        """Return the names of the parts that it gives by name."""
        return frozenset(name for name, _ in self.parts)


class Parts(Struct, frozen=True):
    """What the types of a file ask for, and the wholes in it."""

    requirements: tuple[Requirement, ...] = ()  # of those that may not be left out
    wholes: tuple[Whole, ...] = ()
    optional: tuple[Requirement, ...] = ()
    unlisted: frozenset[str] = frozenset()  # types of which not all parts are written


def tells(language: Language) -> bool:
    """Return whether anything of a language is a whole."""
    return bool(language.texts("wholes"))


def builds(language: Language) -> bool:
    """Return whether it has literals that are held against their types."""
    return _has(language, "@whole.build")


def writes_all(language: Language) -> bool:
    """Return whether it has implementers that inherit nothing of what is asked for."""
    return _has(language, "@all")


def _has(language: Language, mark: str) -> bool:
    return any(mark in patterns for patterns in language.texts("wholes").values())


@lru_cache(maxsize=KEPT)
@memo
def parts(language: Language, source: bytes) -> Parts | None:
    """Return what the types of a file ask for, and what has to give all of it; None if the file cannot be read."""
    root = parse(language, source)
    if root is None:
        return None
    rows = matches(language, ("wholes",), root)["wholes"]
    file = Reader(language, root, parts=() if language.is_module else joined(_places(rows)))
    silent = {node.start_byte for node, _ in rows.of("provided")}
    left_out = {name_of(node) for node, _ in rows.of("provided.name")}
    optional: dict[tuple[int, str], Requirement] = {}
    required: dict[tuple[int, str], Requirement] = {}
    for mark in ("may.", "asks."):
        for kind, node, found in rows.under(mark):
            owner = ".".join(_called(file, found[key][0]) for key in ("within", "owner") if key in found)
            name = name_of(node)
            is_required = mark == "asks." and node.start_byte not in silent and name not in left_out
            part = Requirement(owner or file.owner(node), name, kind, first_line(node))
            (required if is_required else optional)[node.start_byte, kind] = part
    wholes = [whole for kind in KINDS for whole in _wholes(file, rows.of(f"whole.{kind}"), kind)]
    return Parts(
        tuple(row for _, row in sorted(required.items())),
        tuple(sorted(wholes, key=lambda one: one.line)),
        tuple(row for key, row in sorted(optional.items()) if key not in required),
        frozenset(_called(file, found["owner"][0]) for _, found in (*rows.of("unlisted"), *_by_macros(file, rows))),
    )


def _places(rows: Rows) -> list[tuple[int, int]]:
    """Where something stands of which it is asked in which type it is."""
    starts = set[int]()
    for found in rows:
        for key, nodes in found.items():
            is_part = key.startswith(("asks.", "may.")) and "owner" not in found
            if key in ("owner", "within") or is_part or (key.startswith("whole.") and "name" in found):
                starts.update(node.start_byte for node in nodes)
    return [(start, start + 1) for start in sorted(starts)]


def _by_macros(file: Reader, rows: Rows) -> Iterator[tuple[Node, Captures]]:
    """Yield the marks of types that are macros, which may give a type more: a macro is imported or written with its module, what a derived trait reads is not."""
    marks = [*rows.of("unlisted.by")]
    items = Reader(file.language, file.root, needs_definitions=False).imports(Spans(())) if marks else ()
    imported = {bound.here for item in items for bound in item.names}
    for node, found in marks:
        if text(node) in imported or file.language.separator in text(node):
            yield node, found


def _called(file: Reader, node: Node) -> str:
    """The name of a type where it is defined, with those around it."""
    if file.language.type_name is not None:
        return file.language.type_name(node)
    name, around = name_of(node), file.owner(node)
    return around if around.endswith(f".{name}") else name


def _wholes(file: Reader, rows: Iterable[tuple[Node, Captures]], kind: str) -> Iterator[Whole]:
    """The wholes of one kind; of an heir one for each type that it names."""
    found: dict[int, tuple[Node, dict[str, dict[int, Node]]]] = {}
    type_name, is_pattern = file.language.type_name or text, file.language.is_pattern
    for node, captures in rows:
        _, mine = found.setdefault(node.id, (node, defaultdict(dict)))
        for key, nodes in captures.items():
            mine[key].update({one.start_byte: one for one in nodes})
    for node, mine in found.values():
        types = sorted({type_name(one) for one in mine["of"].values()})
        given = tuple((name_of(one), first_line(one)) for _, one in sorted(mine["part"].items()))
        named_at = [*mine["part"].values()]
        is_open = bool(mine["rest"]) or any(
            not any(arm.start_byte <= one.start_byte < arm.end_byte for one in named_at) for arm in mine["arm"].values()
        )
        is_open = is_open or (is_pattern is not None and kind == "build" and is_pattern(node))
        own = next((name_of(one) for one in mine["name"].values()), "")
        outer = file.owner(node) if own else ""
        for written in types if kind == "heir" else [types[0] if len(types) == 1 else ""]:
            yield Whole(
                kind,
                written,
                f"{outer}.{own}".lstrip("."),
                given,
                len(mine["place"]),
                bool(mine["all"]),
                is_open or (len(types) > 1 and kind != "heir"),
                first_line(node),
                last_line(node),
            )


def parts_of(index: Index, path: str) -> Parts | None:
    """Return what a file asks for and gives; None if it is not read, or of no language that tells it."""
    language = language_of(path)
    if language is None or not tells(language) or index.facts(path) is None:
        return None
    return parts(language, index.sources[path])


def types_of(index: Index, path: str, written: str) -> list[Type]:
    """Return the types of the tree that a name of a file may mean: by its imports, or in a language without these by the lines that define a type of that name."""
    language = language_of(path)
    if language is not None and language.told_by:
        return [(home, written) for home in index.homes(language, language.told_by, written)]
    return [(home, one.name) for home, one in named_by(index, path, written).definitions]


def defaults(index: Index, target: Type) -> set[str]:
    """Return the members that extensions give a type, wherever they stand: none of them is what the type asks for."""
    known = parts_of(index, target[0])
    lines = {(target[0], one.line) for one in known.requirements if one.owner == target[1]} if known is not None else ()
    return {one.short for home, one in members(index, *target) if (home, one.line) not in lines}


def wanted_parts(index: Index, target: Type, kind: str, *, every: bool = False) -> dict[str, None] | None:
    """Return what a type asks for, with those above it, in order; None if nobody can know. `every`: with what may be left out."""
    known, language = parts_of(index, target[0]), language_of(target[0])
    if known is None or language is None or (every and target[1] in known.unlisted):
        return None
    line = ancestry(index, *target)
    if kind == "build" and language.told_by:  # it inherits no fields
        marks = {base for base in line.names_beyond if base[:1] == ATTRIBUTE} - language.plain_bases
        if marks or any(one.short in language.constructors for _, one in members(index, *target)):
            return None
        line = Ancestry((), ())
    elif every and {*extending(index, language, target[1])} - {
        target[0]
    }:  # each of several files may write a part of it
        return None
    if every and line.names_beyond - language.plain_bases - UNWRITTEN:
        return None
    classes = line.classes if kind != "choose" else ()
    rows = [(owner, parts_of(index, home)) for home, owner in reversed(classes or (target,))]
    found = [(owner, one) for owner, mine in rows if mine is not None for one in mine.requirements]
    found += [(owner, one) for owner, mine in rows if mine is not None and every for one in mine.optional]
    return {one.name: None for owner, one in found if one.owner == owner and one.kind == kind}
