"""All that the data files of one side declare and use, as far as a change reaches."""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from importlib import import_module
from typing import cast

from bot.dependents.declarations import format_of
from bot.dependents.declarations.reading import (
    CallSite,
    DataReading,
    Declaration,
    Format,
    NameUse,
    Paths,
    Scope,
    UnreadableDataError,
)
from bot.dependents.links import follow
from bot.machine import limits
from bot.ports import Tree
from bot.values import Side

BYTES = 1 << 20  # of one file
FILES = 3_000  # that are read for one change
ALL_BYTES = 32 << 20
ROUNDS = 8  # of files that files need
PATTERNS = 200  # of one scope: a declaration that stands for many names


class World:
    """The names of one side."""

    def __init__(self, tree: Tree, side: Side) -> None:
        self._tree, self.side = tree, side
        self.paths = Paths(())
        self._real: Mapping[str, str] = {}
        self._others: Mapping[str, Collection[str]] = {}
        self.readings: dict[str, DataReading] = {}
        self.texts: dict[str, list[str]] = {}
        self.unread: dict[str, str] = {}  # path -> why it was not read to its end
        self.is_cut = False
        self._bytes = 0
        self._sizes: Mapping[str, int] = {}
        # What all files that were read say together, by scope.
        self._declared: dict[Scope, dict[str, Declaration]] = {}
        self._patterns: dict[Scope, list[str]] = {}  # declarations that stand for many names
        self._whole: dict[Scope, frozenset[Scope]] = {}  # with those whose names it shares, once somebody has asked
        self._scopes: set[Scope] = set()  # whose declarations were read
        self._doubts: set[Scope] = set()  # that may declare more than was read
        self._loose: set[Scope] = set()  # that something out of sight may add to
        self._aliases: dict[Scope, Scope] = {}
        self._parts: dict[Scope, set[Scope]] = {}  # whose names a scope has too
        self._holders: dict[Scope, set[Scope]] = {}  # of which a scope is a part

    async def open(self) -> None:
        """Read the paths, links followed."""
        entries = await self._tree.entries(self.side)
        files = {path for path, entry in entries.items() if entry.kind == "file"}
        links = follow(await self._tree.links(self.side), files)
        self._real, self._others = links.real, links.others
        self._sizes = {path: entry.size for path, entry in entries.items()}
        self.paths = Paths(files | links.real.keys() | {path for path in links.dead_ends if format_of(path)})

    async def read(self, start: Iterable[str]) -> None:
        """Read these files and all that they need."""
        sources = [other for path in start for other in (path, *self._others.get(path, ()))]
        waiting = {path for path in sources if path in self.paths and format_of(path)} - self.readings.keys()
        for _ in range(ROUNDS):
            if not waiting:
                break
            room = FILES - len(self.readings)
            batch = []
            for path in sorted(waiting)[: max(0, room)]:
                self._bytes += min(BYTES, self._sizes.get(self._real.get(path, path), 0))
                if self._bytes <= ALL_BYTES:
                    batch.append(path)
            self.is_cut = self.is_cut or len(waiting) > len(batch)
            if not batch:
                break
            real = {path: self._real.get(path, path) for path in batch}
            raw = await self._tree.read_many(sorted(set(real.values())), self.side)
            await asyncio.to_thread(self._parse, real, raw)
            groups = {id(self.readings[one].mates): self.readings[one].mates for one in batch}
            needs = {path for one in batch for path in self.readings[one].needs}.union(*groups.values())
            waiting = {path for path in needs - self.readings.keys() if path in self.paths and format_of(path)}
        else:
            self.is_cut = self.is_cut or bool(waiting)
        self._join()

    def _parse(self, real: Mapping[str, str], raw: Mapping[str, bytes]) -> None:
        for path, source in real.items():
            limits.reading(path)
            reader = cast("Format", import_module(f"bot.dependents.declarations.{format_of(path)}"))
            try:
                text = _text(raw.get(source))
                self.readings[path] = reader.read(path, text, self.paths)
                self.texts[path] = text.split("\n")
            except UnreadableDataError as error:
                self.readings[path] = blank = _blank(reader, path, self.paths)
                if not blank.is_foreign:
                    self.unread[path] = str(error)

    def _join(self) -> None:
        """Put together what all files say that were read."""
        declarations: dict[Scope, dict[str, Declaration]] = defaultdict(dict)
        self._scopes, self._doubts, self._loose, self._aliases, self._parts = set(), set(), set(), {}, {}
        holders: dict[Scope, set[Scope]] = defaultdict(set)
        for reading in self.readings.values():
            for one in reading.declarations:
                declarations[one.scope].setdefault(one.name, one)
            self._scopes |= reading.scopes
            self._doubts |= reading.doubts.keys()
            self._loose |= reading.loose
            self._aliases |= reading.aliases
            for scope, parts in reading.parts.items():
                self._parts.setdefault(scope, set()).update(parts)
                for part in parts:
                    holders[part].add(scope)
        self._declared, self._holders, self._whole = dict(declarations), dict(holders), {}
        self._patterns = {
            scope: rows
            for scope, names in declarations.items()
            if (rows := [name for name in names if "*" in name or "%" in name])
        }
        self._doubts |= {scope for scope, rows in self._patterns.items() if len(rows) > PATTERNS}

    def resolve(self, scope: Scope) -> Scope:
        """The scope that another name of it means."""
        return self._aliases.get(scope, scope)

    def names(self, scope: Scope) -> Mapping[str, Declaration]:
        """What a scope declares by itself."""
        return self._declared.get(scope, {})

    def whole(self, scope: Scope) -> frozenset[Scope]:
        """Return a scope with all whose names it has too: its parts, those that it is a part of, and their parts."""
        if scope not in self._whole:
            holders = _reachable([scope], self._holders)
            self._whole[scope] = frozenset(_reachable(holders, self._parts))
        return self._whole[scope]

    def declaration(self, scope: Scope, name: str) -> Declaration | None:
        """Who declares a name in a scope."""
        for one in self.whole(self.resolve(scope)):
            names = self.names(one)
            if name in names:
                return names[name]
            for pattern in self._patterns.get(one, ()):
                if _stands_for(pattern, name):
                    return names[pattern]
        return None

    def is_known(self, scope: Scope) -> bool:
        """Whether everything that a scope declares was read."""
        whole = self.whole(self.resolve(scope))
        return self.resolve(scope) in self._scopes and not any(one in self._doubts for one in whole)

    def is_loose(self, scope: Scope) -> bool:
        """Whether something out of sight may add to a scope."""
        return self.resolve(scope) in self._loose

    def uses(self, paths: Collection[str] | None = None) -> Iterable[NameUse]:
        """The uses of these files, or of all."""
        return (
            use for path, reading in self.readings.items() if paths is None or path in paths for use in reading.uses
        )

    def calls(self) -> Iterable[CallSite]:
        """All calls."""
        return (call for reading in self.readings.values() for call in reading.calls)

    def line(self, path: str, number: int) -> str:
        """A line of a file that was read."""
        rows = self.texts.get(path, [])
        return rows[number - 1].rstrip("\r") if 0 < number <= len(rows) else ""


def _text(blob: bytes | None) -> str:
    if blob is None:
        raise UnreadableDataError("it cannot be read as a text")
    if len(blob) > BYTES:
        raise UnreadableDataError(f"it has more than {BYTES >> 20} MB")
    return blob.decode("utf-8", "replace").removeprefix("\ufeff")


def _reachable(start: Iterable[Scope], steps: Mapping[Scope, Collection[Scope]]) -> set[Scope]:
    """These scopes, and those that some steps lead to from them."""
    reached: set[Scope] = set()
    left = [*start]
    while left:
        one = left.pop()
        if one not in reached:
            reached.add(one)
            left += steps.get(one, ())
    return reached


def _stands_for(pattern: str, name: str) -> bool:
    """Whether a declared pattern means a name: `test-%` of make, `*` and `redis.*` of charts."""
    if "%" in pattern:
        start, _, end = pattern.partition("%")
        return len(name) > len(start) + len(end) and name.startswith(start) and name.endswith(end)
    return pattern.endswith("*") and (fnmatchcase(name, pattern) or f"{name}.*" == pattern)


def _blank(reader: Format, path: str, paths: Paths) -> DataReading:
    """The scopes of a file that could not be read, all in doubt."""
    try:
        reading = reader.read(path, "", paths)
    except UnreadableDataError:
        return DataReading()
    reading.doubts |= dict.fromkeys(reading.scopes, "a file of it cannot be read")
    return reading
