"""What a class has: its own members, those of its bases, and what a construction of it calls."""

import re
from collections.abc import Iterator
from itertools import islice

from deeprepo.impact.index import Index
from deeprepo.impact.language import Language, language_of
from deeprepo.impact.marks import CLASSES
from deeprepo.impact.resolve import named_by
from deeprepo.impact.structs import Struct, replace
from deeprepo.impact.values import Definition, Facts

MOST = 40  # classes above one
UNWRITTEN = frozenset({"?", "*"})  # what may give an object members that its class does not write
Class = tuple[str, str]  # its file and its name


class Ancestry(Struct, frozen=True):
    """A class with those above it."""

    classes: tuple[Class, ...]  # itself first, as far as the tree has them; () of one that no line declares
    beyond: tuple[tuple[Class, str], ...]  # the bases that the tree does not have: the class, and what it names

    @property
    def names_beyond(self) -> frozenset[str]:
        """Return the names of the bases that the tree does not have."""
        return frozenset(name for _, name in self.beyond)


def ancestry(index: Index, path: str, name: str, *, below: Class | None = None) -> Ancestry:
    """Return a class and all that it inherits from, or what of it is not `below` another. What a class has is asked of these alone."""
    known: dict[Class, None] = {}
    beyond: dict[tuple[Class, str], None] = {}
    left = [(path, name)] if bases_of(index, path, name) is not None else []
    while left:
        one = left.pop()
        known[one] = None
        above: list[Class] = []
        for base in bases_of(index, *one) or ():
            rows = {(home, row.name) for home, row in named_by(index, one[0], base).definitions}
            if len(rows) == 1 and len(known) < MOST and all(bases_of(index, *row) is not None for row in rows):
                above += rows - known.keys() - {below}
            else:
                beyond[one, base] = None
        left += reversed(above)
    return Ancestry(tuple(known), tuple(beyond))


def bases_of(index: Index, path: str, name: str) -> tuple[str, ...] | None:
    """Return what a class inherits from, as its file writes it, or one that shares its module; None if none of them declares it."""
    language = language_of(path)
    modules = index.modules(language) if language is not None else None
    if language is None or modules is None:
        return None
    mine = (one for home in (path, *modules.mates(path)) for one in _bases_in(index, language, home, name))
    more = [one for home in extending(index, language, name) for one in _bases_in(index, language, home, name)]
    rows = [*islice(mine, 1), *more]
    return tuple(dict.fromkeys(base for row in rows for base in row)) if rows else None


def _bases_in(index: Index, language: Language, path: str, name: str) -> Iterator[tuple[str, ...]]:
    facts = index.facts(path)
    found = bases(facts, language) if facts is not None else {}
    yield from islice((found[one] for one in (name, name.rpartition(".")[2]) if one in found), 1)


def extending(index: Index, language: Language, name: str) -> tuple[str, ...]:
    """Return the files that may give a type more than its own file does, where a language has such."""
    return index.homes(language, language.added_by, name.rpartition(".")[2]) if language.added_by else ()


def bases(facts: Facts, language: Language) -> dict[str, tuple[str, ...]]:
    """Return the classes of a file, each with what it inherits from as written. "*": it answers to any member."""
    found: dict[str, tuple[str, ...]] = {}
    for one in facts.definitions:
        if (one.kind in CLASSES and one.shown in ("", "class")) or one.bases:
            more = ("*",) if one.more or facts.answering & {one.name, one.short} else ()
            name = one.name if language.inline_modules else one.short.rpartition(".")[2]
            found[name] = tuple(dict.fromkeys((*found.get(name, ()), *one.bases, *language.inherited.split(), *more)))
        elif not one.owner and re.match(language.closed, one.head):  # an object of which all members are written
            found.setdefault(one.name, ())
    return found


def lineage(index: Index, path: str, name: str, *, below: Class | None = None) -> tuple[Class, ...] | None:
    """Return a class and all its bases; None if one of them is not known, or may have members that nobody writes."""
    language, line = language_of(path), ancestry(index, path, name, below=below)
    if language is None or line.names_beyond - language.plain_bases - language.valued_bases - UNWRITTEN:
        return None
    known = [(index.facts(home), owner) for home, owner in line.classes]
    if any(facts is None or facts.open or facts.made or owner in facts.open_owners for facts, owner in known):
        return None
    return line.classes or None


def has_member(index: Index, path: str, owner: str, name: str) -> bool:
    """Return whether a class has a member, itself or from one above it, as far as the tree has these."""
    line = ancestry(index, path, owner).classes
    return any(row.short == name for home, one in line for _, row in members(index, home, one))


def members(index: Index, path: str, name: str) -> Iterator[tuple[str, Definition]]:
    """Yield what a class itself defines, each with its file. Where a module is a folder, methods may be in any of its files."""
    language = language_of(path)
    modules = index.modules(language) if language is not None else None
    is_spread = language is not None and language.unit == "folder"
    more = extending(index, language, name) if language is not None else ()
    for home in dict.fromkeys((path, *(modules.mates(path) if modules is not None and is_spread else ()), *more)):
        facts = index.facts(home)
        for one in facts.definitions if facts is not None else ():
            if one.owner == name:
                yield home, one


def constructors(index: Index, path: str, one: Definition) -> tuple[tuple[str, Definition], ...]:
    """Return what a construction of a class may call; nothing where nobody can know, or it takes what the class itself lists."""
    if one.owner:  # of a class in a class
        return ((path, replace(one, parameters=None)),)
    language, line = language_of(path), lineage(index, path, one.name)
    if line is None and language is not None:  # what it takes is known only if it writes no constructor of its own
        rows = [row for row in members(index, path, one.name) if row[1].short in language.constructors_of(one.name)]
        return tuple((home, replace(row, parameters=None)) for home, row in rows)
    if line is None or language is None or ancestry(index, path, one.name).names_beyond & language.valued_bases:
        return ()
    for home, name in line:
        rows = [row for row in members(index, home, name) if row[1].short in language.constructors_of(name)]
        own = tuple(row for row in rows if not row[1].sought)
        if any(row[1].short in language.called_like for row in rows):  # `Cart(1)` may call this member
            return ((path, replace(one, parameters=None)),)
        if own or ((home, name) == (path, one.name) and one.takes is not None):
            return own
        if not language.files.inherits_constructors:
            break
    return ((path, Definition(one.name, "", "class", one.line, one.head, parameters=())),) if not one.bases else ()
