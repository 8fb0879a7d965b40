"""Find unchanged code that lacks a newly required part of a type, or still uses a removed one.

Examples are implementations without a new method, literals without a new field, and matches without a new
case. Code that was already incomplete in the base is not reported, because the analysis does not understand
it.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from deeprepo.impact.changes import ChangedFile, ChangedSymbol, MissingPart, Reference
from deeprepo.impact.language import language_of, rules_of
from deeprepo.impact.paths import shared_folders
from deeprepo.impact.ports import Tree
from deeprepo.impact.reading.lexical import any_word
from deeprepo.impact.resolving.classes import ancestry, lineage, members
from deeprepo.impact.resolving.index import ROUNDS, Index
from deeprepo.impact.resolving.namespaces import Namespaces
from deeprepo.impact.resolving.wholes import (
    PartKind,
    Parts,
    Requirement,
    Type,
    Whole,
    defaults,
    parts_of,
    types_of,
    wanted_parts,
)
from deeprepo.impact.structs import Struct, field, replace
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.uses.sites import found_by_name
from deeprepo.impact.views import OneSide

MOST = 200  # files in which one type is searched
BELOW = 3  # levels of abstract types
BUILDS = r"\bNAME\b(?:<.{0,200}>)?\s*[{(]|:\s*NAME\b(?:<.{0,200}>)?\s*=|\bnew\s+(?:\w+\.)*NAME\b"
LOST: PartKind = "lost"  # removed parts in literals
# Patterns of lines that may contain such code; a match may be far from its type's name.
LOOKS = {"heir": r"\bNAME\b", "build": BUILDS, LOST: BUILDS, "choose": r"\bNAME\b"}
# With many such files, those that also have a line that may choose between cases.
CHOOSES = r"\b(?:switch|match|when)\b|\bRecord\s*<"
SAYS = {  # kind -> what is required, and what the code omits
    "heir": ("must be implemented now", "does not implement it"),
    "build": ("is now required", "omits it"),
    "choose": ("is one of several now", "has no case for it"),
    LOST: ("was removed", "still gives it"),
}


class _Sides(Struct):
    """Both trees as far as they are read."""

    now: Index
    before: Index
    # type and kind -> new parts
    gained: dict[tuple[Type, PartKind], set[str]] = field(default_factory=lambda: defaultdict(set))


class _Found(Struct):
    """The code that lacks a part."""

    rows: list[Reference] = field(default_factory=list)
    # path and line -> a class that may lack parts
    abstract: dict[tuple[str, int], str] = field(default_factory=dict)
    # the parts that an abstract type passes on to its subclasses
    below: dict[tuple[Type, PartKind], set[str]] = field(default_factory=lambda: defaultdict(set))


async def lacking_parts(
    tree: Tree,
    files: Iterable[ChangedFile],
    symbols: Iterable[ChangedSymbol],
    known: Iterable[Reference],
    fresh: Mapping[str, Collection[int]],
) -> tuple[list[Reference], list[str]]:
    """Return the lines that lack a part, and what was not searched.

    `known`: references already found; `fresh`: the added lines.
    """
    touched = {
        side.path
        for item in symbols
        for side in (item.after or item.before,)
        if side is not None and (item.contract or item.change != "body")
    }
    pairs = {
        (file.path, file.old_path)
        for file in files
        if file.old_path
        and (one := language_of(file.path))
        and (one.scope.definition_lines or touched & {file.path, file.old_path})
    }
    if not pairs:
        return [], []

    head, base = OneSide(tree, "head"), OneSide(tree, "base")
    sides = _Sides(Index(await head.paths()), Index(await base.paths()))
    for new, old in pairs:
        parts_of(sides.now, new)
        parts_of(sides.before, old)
    await sides.now.read(head)
    await sides.before.read(base)
    for new, old in pairs:
        _gain(sides, new, old)
    found: dict[tuple[str, int, str], Reference] = {}
    abstract: dict[tuple[str, int], str] = {}
    cut: list[str] = []
    paths: dict[tuple[Type, PartKind], Sequence[str]] = {}
    for _ in range(BELOW):
        new_types = sorted(sides.gained.keys() - paths.keys())
        if not new_types:
            break
        for target, kind in new_types:
            paths[target, kind], sentence = await _holding(head, *target, kind)
            cut += sentence
        lacking = await _lacking(sides, paths, fresh, head, base)
        found |= {(row.path, row.line, row.symbol): row for row in lacking.rows}
        abstract |= lacking.abstract
        for key, names in lacking.below.items():
            sides.gained[key] |= names
    places = {(row.path, row.line, row.name) for row in known}
    rows = await _with_objects(head, abstract, [*found.values()])
    return [row for row in rows if row.line and (row.path, row.line, row.name) not in places], cut


async def _lacking(
    sides: _Sides,
    paths: Mapping[tuple[Type, PartKind], Sequence[str]],
    fresh: Mapping[str, Collection[int]],
    head: OneSide,
    base: OneSide,
) -> _Found:
    """Return the code that lacks a part, after reading all files that this depends on; nothing if they are too many."""
    for _ in range(ROUNDS):
        found = _incomplete(sides, paths, fresh)
        found.rows += _still_given(sides, paths, fresh)
        if not any([await sides.now.read(head), await sides.before.read(base)]):
            return found
    return _Found()


def _gain(sides: _Sides, new: str, old: str) -> None:
    """Record what the types of a changed file newly require."""
    now, before = parts_of(sides.now, new), parts_of(sides.before, old)
    facts = sides.before.facts(old)
    if now is None or before is None or facts is None:
        return
    types = {symbol.name for symbol in facts.definitions}
    # a module may be its whole file
    if rules_of(new).modules_are_types:
        types |= {one.owner for one in (*before.requirements, *before.optional)}
    asked = {(need.owner, need.name, need.kind) for need in before.requirements}
    for one in now.requirements:
        if one.owner in types and (one.owner, one.name, one.kind) not in asked:
            sides.gained[(new, one.owner), one.kind].add(one.name)
    for owner in {one.owner for one in _built(now)}:
        lost = _names(before, owner) - _names(now, owner)
        if lost and owner not in now.unlisted | before.unlisted:
            sides.gained[(new, owner), LOST] |= lost


def _built(known: Parts) -> list[Requirement]:
    """Return the parts of a file's types that literals must provide."""
    return [one for one in (*known.requirements, *known.optional) if one.kind == "build"]


def _names(known: Parts, owner: str) -> set[str]:
    return {one.name for one in _built(known) if one.owner == owner}


async def _with_objects(
    head: OneSide, abstract: Mapping[tuple[str, int], str], rows: Sequence[Reference]
) -> list[Reference]:
    """Return the rows without classes that may stay abstract.

    A class breaks only if something creates an instance of it. If nothing in the repository does, the class
    is dropped if it has subclasses, and is otherwise only likely to break.
    """
    left: list[Reference] = []
    for row in rows:
        name = re.escape(abstract.get((row.path, row.line), "").rpartition(".")[2])
        if not name or await head.holding(rf"(?<!\bclass )\b{name}\("):
            left.append(row)
        elif not await head.holding(rf"\bclass \w+\(.*\b{name}\b"):
            left.append(replace(row, target_state="likely"))
    return left


async def _holding(head: OneSide, home: str, name: str, kind: PartKind) -> tuple[Sequence[str], list[str]]:
    """Return the files in the same language that may contain such code, nearest first.

    In languages with namespaces, files with other types of the same name are included.
    """
    language, word = language_of(home), name.rpartition(".")[2]
    by_namespace = language is not None and issubclass(language.modules, Namespaces)
    look = LOOKS["heir" if by_namespace else kind]
    found = [
        path
        for path in await head.holding(look.replace("NAME", re.escape(word)))
        if (one := language_of(path)) is not None and language is not None and one.folder == language.folder
    ]
    if kind == "choose" and len(found) > MOST:
        found = sorted({*found}.intersection(await head.holding(CHOOSES)))
    found += [home] if home not in found else []
    found.sort(key=lambda path: (-shared_folders(path, home), path))
    sentence = f"code that must provide each part of {name} was searched in {MOST} of {len(found)} files"
    return found[:MOST], [sentence] if len(found) > MOST else []


def _incomplete(
    sides: _Sides, paths: Mapping[tuple[Type, PartKind], Sequence[str]], fresh: Mapping[str, Collection[int]]
) -> _Found:
    """Return the code that lacks a newly required part, in the files that were read."""
    found = _Found()
    for (target, kind), names in sides.gained.items():
        for path in paths.get((target, kind), ()) if kind != LOST else ():
            known = parts_of(sides.now, path) if _may_name(sides.now, path, target[0]) else None
            for whole in known.wholes if known is not None else ():
                is_certain = kind == "heir" or not (whole.is_open or _is_new(whole, fresh.get(path, ())))
                if whole.kind != kind or not is_certain or not _means(sides.now, path, whole, target):
                    continue
                if whole.is_open:  # an abstract class may leave parts to its subclasses
                    given = _given(sides.now, path, whole, target)
                    found.below[(path, whole.name), kind] |= names - given if given is not None else set()
                    continue
                left = (_lacks(sides.now, path, whole, target) or frozenset()) & names
                if left and _was_whole(sides, path, whole, target):
                    if kind == "heir" and rules_of(path).abstract_until_built:
                        found.abstract[path, whole.line] = whole.name
                    found.rows += _references(sides, path, whole, target, sorted(left))
    return found


def _is_new(whole: Whole, lines: Collection[int]) -> bool:
    return any(whole.line <= line <= whole.end for line in lines)


def _still_given(
    sides: _Sides, paths: Mapping[tuple[Type, PartKind], Sequence[str]], fresh: Mapping[str, Collection[int]]
) -> Iterator[Reference]:
    """Yield unchanged lines in literals that set a removed part."""
    for (target, kind), names in sides.gained.items():
        for path in paths.get((target, kind), ()) if kind == LOST else ():
            source = sides.now.sources.get(path)
            if source is not None and not any(name.encode() in source for name in names):
                continue
            if not _may_name(sides.now, path, target[0]):
                continue
            known = parts_of(sides.now, path)
            for whole in known.wholes if known is not None else ():
                still = [row for row in whole.parts if row[0] in names and row[1] not in fresh.get(path, ())]
                if whole.kind == "build" and whole.of and still and _means(sides.now, path, whole, target):
                    every = wanted_parts(sides.before, target, "build", every=True)
                    fits = every is not None and whole.names <= every.keys()
                    for name, line in still if fits and wanted_parts(sides.now, target, "build") is not None else ():
                        yield from _references(sides, path, replace(whole, kind=LOST, line=line), target, [name])


def _references(sides: _Sides, path: str, whole: Whole, target: Type, names: Sequence[str]) -> Iterator[Reference]:
    """Yield the line of some code once for each part that it lacks, or that it still has."""
    language = language_of(path)
    requirement, omission = SAYS[whole.kind]
    happens = (language.fails if language is not None else {}).get(whole.kind, "does not compile")
    lines = file_lines(sides.now.sources[path])
    for name in names:
        row = found_by_name(
            f"{target[0]}:{target[1]}.{name}", name, path, whole.line, lines[whole.line - 1].rstrip("\r")
        )
        part = MissingPart(omission, happens, requirement)
        yield replace(row, connection="bound", missing_part=part)


def _may_name(index: Index, path: str, home: str) -> bool:
    """Return whether a file may refer to another file's names.

    If imports refer to folders, the file must be in the same folder or mention it.
    """
    language, source = language_of(path), index.sources.get(path)
    modules = index.modules(language) if language is not None and language.scope.unit == "folder" else None
    if modules is None or source is None or isinstance(modules, Namespaces) or home in modules.visible_files(path):
        return True
    words = modules.clues(home).words
    return bool(words) and any_word(words).search(source) is not None


def _means(index: Index, path: str, whole: Whole, target: Type) -> bool:
    """Return whether the code is about this type."""
    if not whole.of:  # the type follows from the parts, which must all belong to it
        return bool(whole.names) and types_of(index, path, target[1]) == [target]
    rows = types_of(index, path, whole.of)
    if not rows and "." in target[1]:  # `Status::Closed`: the name is qualified by its type
        outer, _, own = whole.of.rpartition("::")
        rows = types_of(index, path, outer) if outer and target[1].endswith(f".{own}") else []
        return [(home, f"{name}.{own}") for home, name in rows] == [target]
    return rows == [target]


def _was_whole(sides: _Sides, path: str, whole: Whole, target: Type) -> bool:
    """Return whether the same code was complete before the change."""
    known = parts_of(sides.before, path)
    key = whole.kind, whole.of, whole.name, whole.places
    for one in known.wholes if known is not None else ():
        is_same = one.names == whole.names or (whole.kind == "heir" and whole.name)
        if (one.kind, one.of, one.name, one.places) == key and is_same and not one.is_open:
            return _lacks(sides.before, path, one, target) == frozenset()
    return False


def _lacks(index: Index, path: str, whole: Whole, target: Type) -> frozenset[str] | None:
    """Return the missing parts; None if unknown."""
    wanted = wanted_parts(index, target, whole.kind)
    given = _given(index, path, whole, target)
    if wanted is None or given is None:
        return None
    if whole.kind == "choose" and not whole.of and not given <= wanted.keys():
        return None
    if whole.places:
        return frozenset([*wanted][whole.places :]) if whole.places < len(wanted) else frozenset()
    if not wanted and whole.kind == "build" and whole.of:
        every = wanted_parts(index, target, "build", every=True)
        return frozenset() if every is not None and given <= every.keys() else None
    if not wanted or (whole.kind == "build" and not whole.names and len(wanted) > 1 and whole.of == ""):
        return None
    return frozenset(wanted) - given


def _given(index: Index, path: str, whole: Whole, target: Type) -> set[str] | None:
    """Return the parts that the code provides; for a class, including inherited ones; None if unknown."""
    if whole.kind != "heir" or whole.is_all:
        return set(whole.names)
    if not whole.name:  # an anonymous class, which also has what the type's bases implement
        return set(whole.names).union(*(_implemented(index, *one) for one in ancestry(index, *target).classes))
    language = language_of(path)
    own = (
        types_of(index, path, whole.name)
        if language is not None and language.scope.definition_lines
        else [(path, whole.name)]
    )
    line, inherited = lineage(index, *own[0], below=target) if len(own) == 1 else None, set(whole.names)
    merged = parts_of(index, path)  # an interface of the same name adds its members to a class
    inherited |= (
        {need.name for need in merged.requirements if (need.owner, need.kind) == (whole.name, "heir")}
        if merged
        else set()
    )
    for home, name in line or ():
        inherited |= _implemented(index, home, name)
    if language is not None and language.types.extension_lines:
        inherited = inherited.union(*(defaults(index, one) for one in (*(line or ()), target)))
    return inherited if line is not None else None


def _implemented(index: Index, home: str, name: str) -> set[str]:
    """Return the members that a class defines and does not require from its subclasses."""
    known = parts_of(index, home)
    required = (
        {need.name for need in known.requirements if (need.owner, need.kind) == (name, "heir")} if known else set()
    )
    return {one.short for _, one in members(index, home, name)} - required
