"""What a class has: its own members, those of its bases, and what a construction of it calls."""

from collections.abc import Iterator
from dataclasses import replace

from impact.index import Index
from impact.language import language_of
from impact.resolve import named
from impact.values import Definition

DEPTH = 6  # bases above each other
Class = tuple[str, str]  # its file and its name


def lineage(index: Index, path: str, one: Definition, depth: int = DEPTH) -> tuple[Class, ...] | None:
    """A class and all its bases; None if one of them is not known, or may have members that nobody writes."""
    facts, language = index.facts(path), language_of(path)
    if facts is None or language is None or facts.open or facts.made or one.name in facts.open_owners or depth == 0:
        return None
    if one.kind not in ("class", "type"):
        return None
    line: list[Class] = [(path, one.name)]
    for base in one.bases:
        if base in language.plain_bases | language.valued_bases:
            continue
        answer = named(index, path, base)
        if len(answer.definitions) != 1:
            return None
        above = lineage(index, *answer.definitions[0], depth - 1)
        if above is None:
            return None
        line += above
    return tuple(line)


def members(index: Index, path: str, name: str) -> Iterator[tuple[str, Definition]]:
    """What a class itself defines, each with its file. Where a module is a folder, methods may be in any of its files."""
    language = language_of(path)
    modules = index.modules(language) if language is not None else None
    is_spread = language is not None and language.unit == "folder"
    for home in dict.fromkeys((path, *(modules.mates(path) if modules is not None and is_spread else ()))):
        facts = index.facts(home)
        for one in facts.definitions if facts is not None else ():
            if one.owner == name:
                yield home, one


def constructors(index: Index, path: str, one: Definition) -> tuple[tuple[str, Definition], ...]:
    """What a construction of a class may call; nothing where nobody can know, or it takes what the class itself lists."""
    if one.owner:  # of a class in a class
        return ((path, replace(one, parameters=None)),)
    language, line = language_of(path), lineage(index, path, one)
    if line is None and language is not None:  # what it takes is known only if it writes no constructor of its own
        rows = [row for row in members(index, path, one.name) if row[1].short in language.constructors_of(one.name)]
        return tuple((home, replace(row, parameters=None)) for home, row in rows)
    if line is None or language is None or any(_bases(index, *row) & language.valued_bases for row in line):
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


def _bases(index: Index, path: str, name: str) -> frozenset[str]:
    facts = index.facts(path)
    rows = facts.definitions if facts is not None else ()
    return frozenset(base for one in rows if one.name == name and not one.owner for base in one.bases)
