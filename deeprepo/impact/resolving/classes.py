"""Resolve classes: own members, bases and constructors."""

from collections.abc import Iterator
from itertools import islice

from deeprepo.impact.language import Language, language_of
from deeprepo.impact.resolving.index import Index
from deeprepo.impact.resolving.offers import bases
from deeprepo.impact.resolving.resolve import named_by
from deeprepo.impact.structs import Struct
from deeprepo.impact.values import Definition

MOST = 40  # base classes per class
UNWRITTEN = frozenset({"?", "*"})  # markers of bases that may add unwritten members
Class = tuple[str, str]  # file and name


class Ancestry(Struct, frozen=True):
    """A class with its base classes."""

    classes: tuple[Class, ...]  # the class first, then the bases found in the tree; () if it is not declared
    beyond: tuple[tuple[Class, str], ...]  # pairs of a class and a base that is not in the tree

    @property
    def names_beyond(self) -> frozenset[str]:
        """The names of bases that are not in the tree."""
        return frozenset(name for _, name in self.beyond)


def ancestry(index: Index, path: str, name: str) -> Ancestry:
    """Return a class with everything it inherits from."""
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
                above += rows - known.keys()
            else:
                beyond[one, base] = None
        left += reversed(above)
    return Ancestry(tuple(known), tuple(beyond))


def bases_of(index: Index, path: str, name: str) -> tuple[str, ...] | None:
    """Return the bases of a class as written in its file or its module; None if it is not declared there."""
    language = language_of(path)
    modules = index.modules(language) if language is not None else None
    if language is None or modules is None:
        return None
    mine = (one for home in (path, *modules.visible_files(path)) for one in _bases_in(index, language, home, name))
    more = [one for home in extending(index, language, name) for one in _bases_in(index, language, home, name)]
    rows = [*islice(mine, 1), *more]
    return tuple(dict.fromkeys(base for row in rows for base in row)) if rows else None


def _bases_in(index: Index, language: Language, path: str, name: str) -> Iterator[tuple[str, ...]]:
    facts = index.facts(path)
    found = bases(facts, language) if facts is not None else {}
    yield from islice((found[one] for one in (name, name.rpartition(".")[2]) if one in found), 1)


def extending(index: Index, language: Language, name: str) -> tuple[str, ...]:
    """Return the files that may add members to a type, if the language allows that."""
    return (
        index.homes(language, language.types.extension_lines, name.rpartition(".")[2])
        if language.types.extension_lines
        else ()
    )


def lineage(index: Index, path: str, name: str) -> tuple[Class, ...] | None:
    """Return a class and all its bases; None if one is unknown or may have unwritten members."""
    language, line = language_of(path), ancestry(index, path, name)
    if language is None or line.names_beyond - language.types.plain_bases - language.valued_bases - UNWRITTEN:
        return None
    known = [(index.facts(home), owner) for home, owner in line.classes]
    if any(
        facts is None or facts.open or facts.unwritten.words or owner in facts.open_owners for facts, owner in known
    ):
        return None
    return line.classes or None


def has_member(index: Index, path: str, owner: str, name: str) -> bool:
    """Return whether a class or a known base has a member."""
    line = ancestry(index, path, owner).classes
    return any(row.short == name for home, one in line for _, row in members(index, home, one))


def members(index: Index, path: str, name: str) -> Iterator[tuple[str, Definition]]:
    """Yield the definitions in a class, with their files.

    If modules are folders, methods may be in any of its files.
    """
    language = language_of(path)
    modules = index.modules(language) if language is not None else None
    is_spread = language is not None and language.scope.unit == "folder"
    more = extending(index, language, name) if language is not None else ()
    for home in dict.fromkeys(
        (path, *(modules.visible_files(path) if modules is not None and is_spread else ()), *more)
    ):
        facts = index.facts(home)
        for one in facts.definitions if facts is not None else ():
            if one.owner == name:
                yield home, one
