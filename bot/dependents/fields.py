"""Fields that a class of Python has no more, and the constructions and annotated objects of it that still name them.

No line writes the constructor of a class that is made of fields, and each class below it takes them, too: `ItemCreate(title="x")` asks for
`ItemBase.title`. What an alias or a base out of sight may still give is not told.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.dependents.one_side import OneSide
from bot.dependents.sites import mention
from bot.ports import Tree
from bot.values import ChangedSymbol, Reference
from impact.text.lines import file_lines

if TYPE_CHECKING:
    from impact.index import Index

Field = tuple[str, str, str]  # file before the change, class, name
Named = tuple[Field, str, int, bool]  # with the file and the line that name it, and whether that is a call that fails
MOST = 120  # files that are asked about
DEPTH = 6  # bases above each other
LINES = 60  # of a construction
WRITES_ITS_OWN = frozenset({"__init__", "__new__", "__getattr__", "__getattribute__", "__init_subclass__"})
ANY_FIELD = r"\bextra\s*+[=:]\s*+(?:[\"']allow|(?:\w++\.)?+allow\b)|[\"']extra[\"']\s*+:\s*+[\"']allow"


async def with_lost_fields(
    tree: Tree, symbols: Iterable[ChangedSymbol], references: Sequence[Reference], fresh: Mapping[str, Collection[int]]
) -> list[Reference]:
    """The references, with the unchanged lines that name such a field; those that only say the same word give way. `fresh`: the lines that the change adds."""
    lost = {field for item in symbols if (field := _lost(item))}
    if not lost:
        return [*references]
    from impact.index import ROUNDS, Index  # here: grammars load with the first file that is searched
    from impact.language import language_of

    head, base = OneSide(tree, "head"), OneSide(tree, "base")
    names = "|".join(sorted({re.escape(name) for _, _, name in lost}))
    paths = [path for path in await head.holding(rf"\b(?:{names})\s*=(?!=)|\.(?:{names})\b") if path.endswith(".py")]
    now, before = Index(await head.paths()), Index(await base.paths())
    found: list[Named] = []
    language = language_of("fields.py")
    for _ in range(ROUNDS):
        for index in (now, before):
            if language is not None and (modules := index.modules(language)) is not None:
                modules.guesses = True  # what a class of the tree was before the change, an old line meant
        found = [row for path in paths[:MOST] for row in _of_file(now, before, path, lost)]
        if not any([await now.read(head), await before.read(base)]):
            break
    told = {(row.path, row.line, row.name) for row in references if not row.is_guessed}
    rows: dict[tuple[str, int, str], Reference] = {}
    for (home, owner, name), path, line, fails in found:
        if line not in fresh.get(path, ()) and (path, line, name) not in told:
            text = file_lines(now.sources[path])[line - 1].rstrip("\r")
            row = mention(f"{home}:{owner}.{name}", name, path, line, text)
            rows[path, line, name] = replace(row, tie="bound", fate="gone") if fails else replace(row, asks=True)
    return [row for row in references if (row.path, row.line, row.name) not in rows] + [*rows.values()]


def _lost(item: ChangedSymbol) -> Field | None:
    """The field that a class has no more."""
    old = item.before
    if old is None or old.kind != "variable" or item.change not in ("removed", "renamed") or old.path[-3:] != ".py":
        return None
    owner, _, name = old.name.rpartition(".")
    return (old.path, owner, name) if owner.isidentifier() and not name.startswith("_") else None


def _of_file(now: "Index", before: "Index", path: str, lost: Collection[Field]) -> Iterator[Named]:
    """Each line of a file that names a lost field, as far as the files are read."""
    facts = now.facts(path)
    source = now.sources.get(path, b"")
    seen = now.seen(path, range(1, source.count(b"\n") + 2)) if facts is not None else None
    if seen is None or facts is None:
        return
    own = {one.name for one in facts.definitions if not one.owner}
    names = {name for _, _, name in lost}
    lines = file_lines(source)
    for use in seen.uses:
        typed = seen.typed(use.receiver, use.line) if use.receiver else None
        if typed is not None and use.name in names - seen.stores and not typed.is_own:
            asked, called = {use.name: use.line}, typed.name
        elif use.arguments is not None and not use.receiver:
            given = names & set(use.arguments.keywords)
            asked, called = {name: _line_of(name, lines, use.line) for name in given}, use.name
        else:
            continue
        is_bound = seen.binds(called, use.line) and not (called in own and len(seen.bindings[called]) == 1)
        family = _family(now, before, path, called) if asked and not use.guarded and not is_bound else None
        for name, line in asked.items() if family else ():
            field = next(((home, one, name) for home, one in family or () if (home, one, name) in lost), None)
            if field is not None and not _may_have(now, family or (), name):
                yield field, path, line, typed is None and _insists(now, before, path, called, name)


def _line_of(name: str, lines: Sequence[str], start: int) -> int:
    """The line on which a call that begins on one gives an argument."""
    given = re.compile(rf"(?<![\w.]){re.escape(name)}\s*+=(?!=)")
    rows = (number for number, line in enumerate(lines[start - 1 : start + LINES], start) if given.search(line))
    return next(rows, start)


def _family(
    now: "Index", before: "Index", path: str, name: str, depth: int = DEPTH
) -> tuple[tuple[str, str], ...] | None:
    """A class that a file calls so, and all its bases in the tree, as (file, name). None if it is none, or a base that is new may be out of sight."""
    from impact.classes import named

    rows = named(now, path, name).definitions
    if len(rows) != 1 or rows[0][1].kind != "class" or not depth:
        return None
    home, one = rows[0]
    old = before.facts(home)
    known = {base for was in old.definitions if was.name == one.name for base in was.bases} if old is not None else ()
    line = [(home, one.name)]
    for base in one.bases:
        above = _family(now, before, home, base, depth - 1)
        if above is None and (base not in known or base.startswith("metaclass")):
            return None
        line += above or ()
    return tuple(line)


def _insists(now: "Index", before: "Index", path: str, called: str, name: str) -> bool:
    """Whether a call of a class that passes a field fitted before the change, and raises an error now: all that the class takes is written."""
    from impact.classes import named

    for index, fits in ((before, True), (now, False)):
        rows = named(index, path, called).definitions
        facts, takes = (index.facts(rows[0][0]), rows[0][1].takes) if len(rows) == 1 else (None, None)
        is_known = facts is not None and rows[0][1].name not in facts.opaque
        if takes is None or not is_known or (name in {one.name for one in takes}) != fits:
            return False
    return True


def _may_have(now: "Index", family: Sequence[tuple[str, str]], name: str) -> bool:
    """Whether one of the classes has the field, writes what is called, or has an alias that says the same."""
    says = re.compile(rf"[\"']{re.escape(name)}[\"']|{ANY_FIELD}")
    for home, owner in family:
        facts = now.facts(home)
        lines = file_lines(now.sources.get(home, b""))
        for one in facts.definitions if facts is not None else ():
            if one.owner == owner and (one.name == name or one.name in WRITES_ITS_OWN):
                return True
            if one.name == owner and not one.owner and says.search("\n".join(lines[one.start - 1 : one.end])):
                return True
    return False
