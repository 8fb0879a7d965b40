"""Parts that a type asks for since the change, and the unchanged code that had to give all of them and lacks one: implementers, literals, choices.

An interface has a new method, a structure a new field, an enumeration a new member: each class, literal and `match` that named all of them before
lacks one now. Both are told from one file, by the query `wholes`. The base is the witness: what did not give all that the type asked for then, by the
same reading, is not understood here.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from tree_sitter import Node

from impact.changes import ChangedSymbol, Reference, ResultMisuse
from impact.classes import ancestry, lineage, members
from impact.index import ROUNDS, Index
from impact.language import Language, language_of
from impact.matching import Captures, matches
from impact.memo import memo
from impact.nodes import first_line, last_line, name_of, text
from impact.paths import shared_folders
from impact.ports import Tree
from impact.reader import Reader, parse
from impact.resolve import named, named_by
from impact.text.lines import file_lines
from impact.uses.sites import mention
from impact.views import OneSide

Kind = Literal["heir", "build", "choose"]
KINDS: tuple[Kind, ...] = ("heir", "build", "choose")
Type = tuple[str, str]  # the file that defines it, and its name
MOST = 200  # files in which one type is looked for
BELOW = 3  # abstract types below each other
# How a line looks that may hold such a whole of a type; a choice may name its type nowhere near.
LOOKS = {
    "heir": r"\bNAME\b",
    "build": r"\bNAME\b(?:<.*>)?\s*[{(]|:\s*NAME\b(?:<.*>)?\s*=|\bnew\s+(?:\w+\.)*NAME\b",
    "choose": r"\bNAME\b",
}
SAYS = {  # of whom -> what is asked, and what is left out
    "heir": ("must be implemented now", "does not implement it"),
    "build": ("must be given now", "leaves it out"),
    "choose": ("is one of several now", "has no case for it"),
}


@dataclass(frozen=True, slots=True)
class Requirement:
    """A part that a type asks for. `kind`: of whom."""

    owner: str
    name: str
    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class Whole:
    """What has to give each part of a type, as one file writes it."""

    kind: str
    of: str  # the type as it is written; "" where the parts alone tell it
    name: str  # of an heir: its own
    given: frozenset[str]
    places: int  # parts that are given by their place alone
    is_all: bool  # what it writes is all that it gives: it inherits nothing
    is_open: bool  # it may give, or leave out, what it does not write
    line: int
    end: int


@dataclass(frozen=True, slots=True)
class Parts:
    """What the types of a file ask for, and the wholes in it."""

    requirements: tuple[Requirement, ...] = ()
    wholes: tuple[Whole, ...] = ()


def tells(language: Language) -> bool:
    """Return whether anything of a language is a whole."""
    return bool(language.texts("wholes"))


@memo
def parts(language: Language, source: bytes) -> Parts | None:
    """Return what the types of a file ask for, and what has to give all of it; None if the file cannot be read."""
    root = parse(language, source)
    if root is None:
        return None
    file, rows = Reader(language, root), matches(language, ("wholes",), root)["wholes"]
    silent = {node.start_byte for node, _ in rows.of("provided")}
    asked = {
        (node.start_byte, kind): Requirement(
            ".".join(name_of(found[key][0]) for key in ("within", "owner") if key in found) or file.owner(node),
            name_of(node),
            kind,
            first_line(node),
        )
        for kind, node, found in rows.under("asks.")
        if node.start_byte not in silent
    }
    wholes = [whole for kind in KINDS for whole in _wholes(file, rows.of(f"whole.{kind}"), kind)]
    return Parts(tuple(row for _, row in sorted(asked.items())), tuple(sorted(wholes, key=lambda one: one.line)))


def _wholes(file: Reader, rows: Iterable[tuple[Node, Captures]], kind: str) -> Iterator[Whole]:
    """The wholes of one kind; of an heir one for each type that it names."""
    found: dict[int, tuple[Node, dict[str, dict[int, Node]]]] = {}
    for node, captures in rows:
        _, mine = found.setdefault(node.id, (node, defaultdict(dict)))
        for key, nodes in captures.items():
            mine[key].update({one.start_byte: one for one in nodes})
    for node, mine in found.values():
        types = sorted({text(one) for one in mine["of"].values()})
        named = [*mine["part"].values()]
        is_open = bool(mine["rest"]) or any(
            not any(arm.start_byte <= one.start_byte < arm.end_byte for one in named) for arm in mine["arm"].values()
        )
        own = next((name_of(one) for one in mine["name"].values()), "")
        outer = file.owner(node) if own else ""
        for written in types if kind == "heir" else [types[0] if len(types) == 1 else ""]:
            yield Whole(
                kind,
                written,
                f"{outer}.{own}".lstrip("."),
                frozenset(map(name_of, named)),
                len(mine["place"]),
                bool(mine["all"]),
                is_open or (len(types) > 1 and kind != "heir"),
                first_line(node),
                last_line(node),
            )


@dataclass(slots=True)
class _Sides:
    """Both trees as far as they are read."""

    now: Index
    before: Index
    gained: dict[tuple[Type, str], set[str]] = field(default_factory=lambda: defaultdict(set))  # type, kind -> parts
    # What such a type hands on.
    below: dict[tuple[Type, str], set[str]] = field(default_factory=lambda: defaultdict(set))

    def parts(self, index: Index, path: str) -> Parts | None:
        """Return what a file asks for and gives; None if it is not read, or of no language that tells it."""
        language = language_of(path)
        if language is None or not tells(language) or index.facts(path) is None:
            return None
        return parts(language, index.sources[path])


async def lacking_parts(
    tree: Tree, symbols: Iterable[ChangedSymbol], fresh: Mapping[str, Collection[int]]
) -> tuple[list[Reference], list[str]]:
    """Return the lines of what lacks a part now, and what was not looked at. `fresh`: the lines that the change adds."""
    pairs = {
        (side.path, item.before.path if item.before is not None else side.path)
        for item in symbols
        if (side := item.after) is not None and (item.contract or item.change != "body")
    }
    if not pairs:
        return [], []

    head, base = OneSide(tree, "head"), OneSide(tree, "base")
    sides = _Sides(Index(await head.paths()), Index(await base.paths()))
    for new, old in pairs:
        sides.parts(sides.now, new)
        sides.parts(sides.before, old)
    await sides.now.read(head)
    await sides.before.read(base)
    for new, old in pairs:
        _gain(sides, new, old)
    found: dict[tuple[str, int, str], Reference] = {}
    cut: list[str] = []
    paths: dict[tuple[Type, str], Sequence[str]] = {}
    for _ in range(BELOW):
        new_types = sides.gained.keys() - paths.keys()
        for target, kind in sorted(new_types):
            paths[target, kind], sentence = await _holding(head, *target, kind)
            cut += sentence
        rows: list[Reference] = []
        for _ in range(ROUNDS if new_types else 0):
            sides.below.clear()
            rows = [*_rows(sides, paths, fresh)]
            if not any([await sides.now.read(head), await sides.before.read(base)]):
                break
        else:
            rows = []  # what is half read says nothing
        found |= {(row.path, row.line, row.symbol): row for row in rows}
        for key, names in sides.below.items():
            sides.gained[key] |= names
    return [*found.values()], cut


def _gain(sides: _Sides, new: str, old: str) -> None:
    """Note what the types of a changed file ask for that they did not ask for before."""
    now, before = sides.parts(sides.now, new), sides.parts(sides.before, old)
    facts = sides.before.facts(old)
    if now is None or before is None or facts is None:
        return
    types = {one.name for one in facts.definitions}
    asked = {(one.owner, one.name, one.kind) for one in before.requirements}
    for one in now.requirements:
        if one.owner in types and (one.owner, one.name, one.kind) not in asked:
            sides.gained[(new, one.owner), one.kind].add(one.name)


async def _holding(head: OneSide, home: str, name: str, kind: str) -> tuple[Sequence[str], list[str]]:
    """The files of the same language that may hold a whole of a type, the nearest first."""
    language, word = language_of(home), name.rpartition(".")[2]
    found = [
        path
        for path in await head.holding(LOOKS[kind].replace("NAME", re.escape(word)))
        if (one := language_of(path)) is not None and language is not None and one.folder == language.folder
    ]
    found.sort(key=lambda path: (-shared_folders(path, home), path))
    sentence = f"what has to give each part of {name} was looked for in {MOST} of {len(found)} files"
    return found[:MOST], [sentence] if len(found) > MOST else []


def _rows(
    sides: _Sides, paths: Mapping[tuple[Type, str], Sequence[str]], fresh: Mapping[str, Collection[int]]
) -> Iterator[Reference]:
    """Each whole that lacks a part, as far as the files are read."""
    for (target, kind), names in sides.gained.items():
        for path in paths.get((target, kind), ()):
            known = sides.parts(sides.now, path)
            for whole in known.wholes if known is not None else ():
                if whole.kind != kind or not _means(sides.now, path, whole, target):
                    continue
                if whole.is_open:
                    if kind == "heir":  # whoever is below it has to give what it leaves out
                        given = _given(sides, sides.now, path, whole, target)
                        sides.below[(path, whole.name), kind] |= names - given if given is not None else set()
                    continue
                is_new = any(whole.line <= line <= whole.end for line in fresh.get(path, ()))
                if kind != "heir" and is_new:
                    continue
                lacks = _lacks(sides, sides.now, path, whole, target)
                left = (lacks or frozenset()) & names
                if left and _was_whole(sides, path, whole, target):
                    yield from _told(sides, path, whole, target, sorted(left))


def _told(sides: _Sides, path: str, whole: Whole, target: Type, names: Sequence[str]) -> Iterator[Reference]:

    language = language_of(path)
    gives, says = SAYS[whole.kind]
    happens = (language.fails if language is not None else {}).get(whole.kind, "does not compile")
    lines = file_lines(sides.now.sources[path])
    for name in names:
        row = mention(f"{target[0]}:{target[1]}.{name}", name, path, whole.line, lines[whole.line - 1].rstrip("\r"))
        misuse = ResultMisuse(says, happens, (0, 0), "required-part", gives)
        yield replace(row, tie="bound", misuse=misuse)


def _means(index: Index, path: str, whole: Whole, target: Type) -> bool:
    """Whether the type that a whole is of is this one."""
    if not whole.of:  # the parts alone tell it: all of them are the type's, which the file knows by its name
        rows = named(index, path, target[1]).definitions
        return bool(whole.given) and [(home, one.name) for home, one in rows] == [target]
    rows = named_by(index, path, whole.of).definitions
    if not rows and "." in target[1]:  # `Status::Closed`: a member of the type before its name
        outer, _, own = whole.of.rpartition("::")
        rows = named_by(index, path, outer).definitions if outer and target[1].endswith(f".{own}") else ()
        return [f"{one.name}.{own}" for _, one in rows] == [target[1]] and rows[0][0] == target[0]
    return [(home, one.name) for home, one in rows] == [target]


def _was_whole(sides: _Sides, path: str, whole: Whole, target: Type) -> bool:
    """Whether the same whole gave all that was asked for before the change."""
    known = sides.parts(sides.before, path)
    key = whole.kind, whole.of, whole.name, whole.places
    for one in known.wholes if known is not None else ():
        if (one.kind, one.of, one.name, one.places) == key and (one.given == whole.given or whole.kind == "heir"):
            return not one.is_open and _lacks(sides, sides.before, path, one, target) == frozenset()
    return False


def _lacks(sides: _Sides, index: Index, path: str, whole: Whole, target: Type) -> frozenset[str] | None:
    """The parts that a whole does not give; None where nobody can know."""
    asked = _asked(sides, index, target, whole.kind)
    given = _given(sides, index, path, whole, target)
    if asked is None or given is None:
        return None
    if whole.kind == "choose" and not whole.of and not given <= asked.keys():
        return None
    if whole.places:
        return frozenset([*asked][whole.places :]) if whole.places < len(asked) else frozenset()
    if not asked or (whole.kind == "build" and not whole.given and len(asked) > 1 and whole.of == ""):
        return None
    return frozenset(asked) - given


def _asked(sides: _Sides, index: Index, target: Type, kind: str) -> dict[str, None] | None:
    """Return what a type asks for, with those above it, in order; None if it is not known."""
    if sides.parts(index, target[0]) is None:
        return None
    line = ancestry(index, *target).classes if kind != "choose" else (target,)
    known = [(owner, sides.parts(index, home)) for home, owner in reversed(line or (target,))]
    rows = [(owner, one) for owner, parts in known if parts is not None for one in parts.requirements]
    return {one.name: None for owner, one in rows if one.owner == owner and one.kind == kind}


def _given(sides: _Sides, index: Index, path: str, whole: Whole, target: Type) -> set[str] | None:
    """What a whole gives: an heir, by itself and what it inherits; None where nobody can know."""
    if whole.kind != "heir" or whole.is_all:
        return set(whole.given)
    line, inherited = lineage(index, path, whole.name, below=target), set(whole.given)
    for home, name in line or ():
        known = sides.parts(index, home)
        asked = {one.name for one in known.requirements if one.owner == name and one.kind == "heir"} if known else set()
        inherited |= {one.short for _, one in members(index, home, name)} - asked
    return inherited if line is not None else None
