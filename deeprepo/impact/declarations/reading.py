"""Collect the names that a data file declares and uses.

Each name is in a scope: a module, workflow, chart, Makefile or package.
"""

import posixpath
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from deeprepo.impact.structs import Struct, field

MOST = 50_000  # names in one file, which YAML aliases can multiply


class UnreadableDataError(Exception):
    """A data file that cannot be read completely.

    The message is a phrase; everything that depends on the file stays open.
    """


class Scope(NamedTuple):
    """A namespace: a kind of names, and the folder, file or part that contains them."""

    kind: str  # "variable", "job", "target", ...
    place: str


class Declaration(NamedTuple):
    """A name declared in a scope. `*` or `%` in it matches many names."""

    scope: Scope
    name: str
    path: str
    line: int
    is_required: bool = False  # a call that omits it fails


class NameUse(NamedTuple):
    """A use of a name in a scope. `is_hint`: it may refer to something else."""

    scope: Scope
    name: str
    path: str
    line: int
    is_hint: bool = False


class CallSite(NamedTuple):
    """A call of a scope, which must provide all required names."""

    scope: Scope
    names: frozenset[str]  # the names provided
    path: str
    line: int
    identity: str  # of the call: its file and name


class DataReading(Struct):
    """The declarations and uses of one file."""

    path: str
    declarations: list[Declaration] = field(default_factory=list)
    uses: list[NameUse] = field(default_factory=list)
    calls: list[CallSite] = field(default_factory=list)
    scopes: set[Scope] = field(default_factory=set)  # those that it belongs to; none if it has another format
    doubts: set[Scope] = field(default_factory=set)  # scopes that may have unwritten names
    aliases: dict[Scope, Scope] = field(default_factory=dict)  # scope -> the scope that it stands for
    parts: dict[Scope, set[Scope]] = field(default_factory=dict)  # scope -> scopes whose names it includes
    visited: set[int] = field(default_factory=set)  # YAML parts, so that aliases are read once

    def declare(self, scope: Scope, name: str, line: int, *, is_required: bool = False) -> None:
        """Add a declaration."""
        self.scopes.add(scope)
        self.declarations.append(Declaration(scope, name, self.path, line, is_required))
        self._count()

    def use(self, scope: Scope, name: str, line: int, *, is_hint: bool = False) -> None:
        """Add a use."""
        self.uses.append(NameUse(scope, name, self.path, line, is_hint))
        self._count()

    def _count(self) -> None:
        if len(self.declarations) + len(self.uses) > MOST:
            raise UnreadableDataError(f"it contains more than {MOST:,} names")


class Paths:
    """The files on one side."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = frozenset(paths)
        inside: dict[str, set[str]] = defaultdict(set)
        for path in self._paths:
            while path:
                folder, _, name = path.rpartition("/")
                if name in inside[folder]:
                    break
                inside[folder].add(name)
                path = folder  # noqa: PLW2901 - to the root
        self._inside: Mapping[str, Collection[str]] = inside

    def __contains__(self, path: object) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def inside(self, folder: str) -> Collection[str]:
        """Return the names of the files and folders directly in a folder."""
        return self._inside.get(folder, ())

    def above(self, folder: str, names: Sequence[str]) -> str | None:
        """Return the nearest file with one of these names, in a folder or its parents."""
        while True:
            for name in names:
                if (path := posixpath.join(folder, name)) in self._paths:
                    return path
            if not folder:
                return None
            folder = posixpath.dirname(folder)


class Format(Protocol):
    """One format of data files. A module satisfies it."""

    def read(self, reading: DataReading, text: str, paths: Paths) -> None:
        """Add what the file declares and uses. Raises `UnreadableDataError`."""


def beside(folder: str, path: str) -> str | None:
    """Return the target of a relative path; None outside the tree."""
    target = posixpath.normpath(posixpath.join(folder, path))
    return None if target.startswith(("..", "/")) else "" if target == "." else target


def line_finder(text: str) -> Callable[[int], int]:
    """Return a function from text positions to 1-based lines."""
    ends = [at for at, letter in enumerate(text) if letter == "\n"]
    return lambda at: bisect_left(ends, at) + 1
