"""Find types with a fixed set of parts, and the code that must provide all of them.

Such code implements a type, builds one, or matches on its members. The query `wholes` finds both in one file;
this module also resolves the types between files.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal, cast

from tree_sitter import Node

from deeprepo.impact.halves import Captures
from deeprepo.impact.language import Language, language_of
from deeprepo.impact.reading.matching import Rows, joined, matches
from deeprepo.impact.reading.memo import memo
from deeprepo.impact.reading.nodes import Spans, first_line, last_line, name_of, text
from deeprepo.impact.reading.reader import KEPT, Reader, parse
from deeprepo.impact.resolving.classes import UNWRITTEN, Ancestry, ancestry, extending, members
from deeprepo.impact.resolving.index import Index
from deeprepo.impact.resolving.resolve import named_by
from deeprepo.impact.structs import Struct

# Which code must provide a part: an implementation of the type, a literal with its fields, or a choice among its
# members. "lost": a literal must no longer provide it, because it was removed (only `uses/lacking.py` finds these).
PartKind = Literal["heir", "build", "choose", "lost"]
REQUIRED: tuple[PartKind, ...] = ("heir", "build", "choose")  # what queries capture
Type = tuple[str, str]  # the defining file and the name
ATTRIBUTE = "@"  # prefix of an annotation, which may add parts to the type


class Requirement(Struct, frozen=True):
    """A part of a type. `kind` says which code must provide it."""

    owner: str
    name: str
    kind: PartKind
    line: int


class Whole(Struct, frozen=True):
    """Code that must provide each part of a type."""

    kind: PartKind
    of: str  # the type as written; "" if it follows from the parts
    name: str  # the name of an implementing class
    parts: tuple[tuple[str, int], ...]  # provided parts by name, with their lines
    places: int  # number of parts that are provided by position
    is_all: bool  # it inherits nothing, so it provides only what it writes
    is_open: bool  # it may provide or omit parts in ways that are not written
    line: int
    end: int

    @property
    def names(self) -> frozenset[str]:
        """The names of the parts that it provides by name."""
        return frozenset(name for name, _ in self.parts)


class Parts(Struct, frozen=True):
    """The parts of the types in a file, and the code in it that must provide parts."""

    requirements: tuple[Requirement, ...] = ()  # required parts
    wholes: tuple[Whole, ...] = ()
    optional: tuple[Requirement, ...] = ()
    unlisted: frozenset[str] = frozenset()  # types that may have unwritten parts


def has_requirements(language: Language) -> bool:
    """Return whether a language has such a query."""
    return bool(language.texts("wholes"))


def builds(language: Language) -> bool:
    """Return whether the language has literals that are compared with their types."""
    return any("@whole.build" in patterns for patterns in language.texts("wholes").values())


@lru_cache(maxsize=KEPT)
@memo
def parts(language: Language, source: bytes) -> Parts | None:
    """Return the parts of the types in a file and the code that provides parts; None if the file is unreadable."""
    root = parse(language, source)
    if root is None:
        return None
    rows = matches(language, ("wholes",), root)["wholes"]
    file = Reader(language, root, parts=() if language.captures("@module", "defs") else joined(_places(rows)))
    silent = {node.start_byte for node, _ in rows.of("provided")}
    left_out = {name_of(node) for node, _ in rows.of("provided.name")}
    optional: dict[tuple[int, str], Requirement] = {}
    required: dict[tuple[int, str], Requirement] = {}
    for mark in ("may.", "asks."):
        for kind, node, found in rows.under(mark):
            owner = ".".join(_called(file, found[key][0]) for key in ("within", "owner") if key in found)
            name = name_of(node)
            is_required = mark == "asks." and node.start_byte not in silent and name not in left_out
            part = Requirement(owner or file.owner(node), name, cast("PartKind", kind), first_line(node))
            parts_of_kind = required if is_required else optional
            parts_of_kind[node.start_byte, kind] = part
    wholes = [whole for kind in REQUIRED for whole in _wholes(file, rows.of(f"whole.{kind}"), kind)]
    return Parts(
        tuple(row for _, row in sorted(required.items())),
        tuple(sorted(wholes, key=lambda one: one.line)),
        tuple(row for key, row in sorted(optional.items()) if key not in required),
        frozenset(_called(file, found["owner"][0]) for _, found in (*rows.of("unlisted"), *_by_macros(file, rows))),
    )


def _places(rows: Rows) -> list[tuple[int, int]]:
    """Return the spans for which the enclosing type must be determined."""
    starts = set[int]()
    for found in rows:
        for key, nodes in found.items():
            is_part = key.startswith(("asks.", "may.")) and "owner" not in found
            if key in ("owner", "within") or is_part or (key.startswith("whole.") and "name" in found):
                starts.update(node.start_byte for node in nodes)
    return [(start, start + 1) for start in sorted(starts)]


def _by_macros(file: Reader, rows: Rows) -> Iterator[tuple[Node, Captures]]:
    """Yield type annotations that may be macros, which can add parts.

    A macro is imported or qualified; the attribute of a derived trait is neither.
    """
    marks = [*rows.of("unlisted.by")]
    items = Reader(file.language, file.root, needs_definitions=False).imports(Spans(())) if marks else ()
    imported = {bound.here for item in items for bound in item.names}
    for node, found in marks:
        if text(node) in imported or file.language.scope.separator in text(node):
            yield node, found


def _called(file: Reader, node: Node) -> str:
    """Return the qualified name of a type where it is defined."""
    if file.language.modules_are_types:
        return file.language.type_name(node)
    name, around = name_of(node), file.owner(node)
    return around if around.endswith(f".{name}") else name


def _wholes(file: Reader, rows: Iterable[tuple[Node, Captures]], kind: PartKind) -> Iterator[Whole]:
    """Yield the code of one kind that must provide parts; an implementation once for each of its types."""
    found: dict[int, tuple[Node, dict[str, dict[int, Node]]]] = {}
    language = file.language
    for node, captures in rows:
        _, mine = found.setdefault(node.id, (node, defaultdict(dict)))
        for key, nodes in captures.items():
            mine[key].update({one.start_byte: one for one in nodes})
    for node, mine in found.values():
        types = sorted({language.type_name(one) for one in mine["of"].values()})
        given = tuple((name_of(one), first_line(one)) for _, one in sorted(mine["part"].items()))
        named_at = [*mine["part"].values()]
        is_open = bool(mine["rest"]) or any(
            not any(arm.start_byte <= one.start_byte < arm.end_byte for one in named_at) for arm in mine["arm"].values()
        )
        is_open = is_open or (kind == "build" and language.is_pattern(node))
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
    """Return the parts in a file; None if it is not read or its language has no such query."""
    language = language_of(path)
    if language is None or not has_requirements(language) or index.facts(path) is None:
        return None
    return parts(language, index.sources[path])


def types_of(index: Index, path: str, written: str) -> list[Type]:
    """Return the types of the tree that a name in a file may refer to.

    They are found by imports, or by defining lines in a language without imports.
    """
    language = language_of(path)
    if language is not None and language.scope.definition_lines:
        return [(home, written) for home in index.homes(language, language.scope.definition_lines, written)]
    return [(home, one.name) for home, one in named_by(index, path, written).definitions]


def defaults(index: Index, target: Type) -> set[str]:
    """Return the members that extensions add to a type and that implementations need not provide."""
    known = parts_of(index, target[0])
    lines = {(target[0], one.line) for one in known.requirements if one.owner == target[1]} if known is not None else ()
    return {one.short for home, one in members(index, *target) if (home, one.line) not in lines}


def wanted_parts(index: Index, target: Type, kind: PartKind, *, every: bool = False) -> dict[str, None] | None:
    """Return the parts that a type and its bases require, in order; None if unknown.

    `every`: include optional parts.
    """
    known, language = parts_of(index, target[0]), language_of(target[0])
    if known is None or language is None or (every and target[1] in known.unlisted):
        return None
    line = ancestry(index, *target)
    if kind == "build" and language.scope.definition_lines:  # such types inherit no fields
        marks = {base for base in line.names_beyond if base[:1] == ATTRIBUTE} - language.types.plain_bases
        if marks or any(one.short in language.types.constructors for _, one in members(index, *target)):
            return None
        line = Ancestry((), ())
    elif every and {*extending(index, language, target[1])} - {
        target[0]
    }:  # each of several files may define some of its parts
        return None
    if every and line.names_beyond - language.types.plain_bases - UNWRITTEN:
        return None
    classes = line.classes if kind != "choose" else ()
    rows = [(owner, parts_of(index, home)) for home, owner in reversed(classes or (target,))]
    found = [(owner, one) for owner, mine in rows if mine is not None for one in mine.requirements]
    found += [(owner, one) for owner, mine in rows if mine is not None and every for one in mine.optional]
    return {one.name: None for owner, one in found if one.owner == owner and one.kind == kind}
