"""Collect what the data files on one side declare and use."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from importlib import import_module
from typing import cast

from deeprepo.impact.declarations import format_of
from deeprepo.impact.declarations.reading import (
    CallSite,
    DataReading,
    Declaration,
    Format,
    NameUse,
    Paths,
    Scope,
    UnreadableDataError,
)
from deeprepo.impact.in_hand import reading as now_reading
from deeprepo.impact.ports import Tree
from deeprepo.impact.values import Side

BYTES = 1 << 20  # of one file
ALL_BYTES = 32 << 20
FILES = 3_000  # files read for one change
PATTERNS = 200  # patterns per scope


class World:
    """The names on one side."""

    def __init__(self, tree: Tree, side: Side) -> None:
        self._tree, self._side = tree, side
        self.paths = Paths(())
        self._sizes: Mapping[str, int] = {}
        self.readings: dict[str, DataReading] = {}
        self.texts: dict[str, list[str]] = {}
        self.unread: dict[str, str] = {}  # path -> why it was not read completely
        self.is_cut = False
        # The combined declarations of all files, by scope.
        self._declared: dict[Scope, dict[str, Declaration]] = {}
        self._patterns: dict[Scope, list[str]] = {}
        self._aliases: dict[Scope, Scope] = {}
        self._families: dict[Scope, set[Scope]] = {}  # scope -> all scopes that share its names
        self._known: set[Scope] = set()  # scopes whose names were all read

    async def read(self, paths: Iterable[str]) -> None:
        """Read the files that have a known format."""
        if not self._sizes:
            entries = await self._tree.entries(self._side)
            self._sizes = {path: max(0, entry.size) for path, entry in entries.items() if entry.kind != "submodule"}
            self.paths = Paths(self._sizes)
        wanted = sorted({path for path in paths if path in self.paths and format_of(path)} - self.readings.keys())
        size = sum(min(BYTES, self._sizes[path]) for path in wanted)
        if len(wanted) + len(self.readings) > FILES or size > ALL_BYTES:
            self.is_cut = True
            return
        await asyncio.to_thread(self._parse, wanted, await self._tree.read_many(wanted, self._side))
        self._join()

    def _parse(self, paths: Iterable[str], raw: Mapping[str, bytes]) -> None:
        for path in paths:
            now_reading(path)
            reader = cast("Format", import_module(f"deeprepo.impact.declarations.{format_of(path)}"))
            self.readings[path] = reading = DataReading(path)
            try:
                text = _text(raw.get(path))
                self.texts[path] = text.split("\n")
                reader.read(reading, text, self.paths)
            except UnreadableDataError as error:
                reader.read(reading, "", self.paths)  # still adds its scopes
                reading.doubts |= reading.scopes
                if reading.scopes:
                    self.unread[path] = str(error)

    def _join(self) -> None:
        """Combine all files that were read."""
        declared: dict[Scope, dict[str, Declaration]] = defaultdict(dict)
        families: dict[Scope, set[Scope]] = {}
        for reading in self.readings.values():
            for one in reading.declarations:
                declared[one.scope].setdefault(one.name, one)
            self._aliases |= reading.aliases
            for scope, parts in reading.parts.items():
                family = set[Scope]().union({scope}, *(families.get(one, {one}) for one in (scope, *parts)))
                families |= dict.fromkeys(family, family)
        self._declared, self._families = dict(declared), families
        self._patterns = {
            scope: [name for name in names if "*" in name or "%" in name] for scope, names in declared.items()
        }
        doubts = {scope for reading in self.readings.values() for scope in reading.doubts}
        doubts |= {scope for scope, patterns in self._patterns.items() if len(patterns) > PATTERNS}
        scopes = {scope for reading in self.readings.values() for scope in reading.scopes}
        self._known = {scope for scope in scopes if doubts.isdisjoint(self._family(scope))}

    def _family(self, scope: Scope) -> set[Scope]:
        return self._families.get(scope, {scope})

    def resolve(self, scope: Scope) -> Scope:
        """Return the scope that an alias stands for."""
        return self._aliases.get(scope, scope)

    def names(self, scope: Scope) -> Mapping[str, Declaration]:
        """Return a scope's own declarations."""
        return self._declared.get(scope, {})

    def declaration(self, scope: Scope, name: str) -> Declaration | None:
        """Return the declaration of a name in a scope, or None."""
        for one in self._family(self.resolve(scope)):
            if row := self.names(one).get(name):
                return row
            for pattern in self._patterns.get(one, ()):
                if fnmatchcase(name, pattern.replace("%", "?*", 1)) or f"{name}.*" == pattern:
                    return self.names(one)[pattern]
        return None

    def is_known(self, scope: Scope) -> bool:
        """Return whether all declarations of a scope were read."""
        return self.resolve(scope) in self._known

    def uses(self) -> Iterable[NameUse]:
        """Return all uses."""
        return (use for reading in self.readings.values() for use in reading.uses)

    def declarations(self) -> Iterable[Declaration]:
        """Return all declarations."""
        return (one for reading in self.readings.values() for one in reading.declarations)

    def calls(self) -> Iterable[CallSite]:
        """Return all calls."""
        return (call for reading in self.readings.values() for call in reading.calls)

    def has_names(self, path: str) -> bool:
        """Return whether a file was read and belongs to its format."""
        return path in self.readings and bool(self.readings[path].scopes)

    def line(self, path: str, number: int) -> str:
        """Return a line of a file that was read, or ""."""
        rows = self.texts.get(path, [])
        return rows[number - 1].rstrip("\r") if 0 < number <= len(rows) else ""


def _text(blob: bytes | None) -> str:
    if blob is None:
        raise UnreadableDataError("it cannot be read as a text")
    if len(blob) > BYTES:
        raise UnreadableDataError(f"it has more than {BYTES >> 20} MB")
    return blob.decode("utf-8", "replace").removeprefix("\ufeff")
