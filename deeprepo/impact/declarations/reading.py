"""What a data file declares and uses: names, each in a scope, which is one module, workflow, chart, Makefile or package."""

import posixpath
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from deeprepo.impact.structs import Struct, field

MOST = 50_000  # names of one file: aliases of YAML multiply them
MODULE_KINDS = frozenset({"variable", "local", "module", "output", "resource"})  # of a module, which is a folder
Certainty = Literal["sure", "removed", "hint"]


class UnreadableDataError(Exception):
    """A data file that cannot be read to its end. Its text is a phrase: what depends on the file stays open with it."""


class Scope(NamedTuple):
    """A room of names: their kind, and the folder, the file or the part of it that has them."""

    kind: str  # "variable", "job", "target", ...
    place: str


class Declaration(NamedTuple):
    """A name that a scope offers. One with `*` or `%` in it stands for many."""

    scope: Scope
    name: str
    path: str
    line: int
    is_required: bool = False  # a call without it fails


class NameUse(NamedTuple):
    """A name that a file asks a scope for.

    "sure": a name that nobody declares breaks it. "removed": something out of sight may declare it, but hardly what the change took away.
    "hint": what the change took away may be meant.
    """

    scope: Scope
    name: str
    path: str
    line: int
    certainty: Certainty = "sure"


class CallSite(NamedTuple):
    """A call of a scope that has to give all that is required there."""

    scope: Scope
    names: frozenset[str]  # that it gives
    path: str
    line: int
    identity: str  # of the call, its file and its name there


class DataReading(Struct):
    """One file."""

    path: str
    declarations: list[Declaration] = field(default_factory=list)
    uses: list[NameUse] = field(default_factory=list)
    calls: list[CallSite] = field(default_factory=list)
    scopes: set[Scope] = field(default_factory=set)  # all of whose names the files declare that are read with it
    doubts: set[Scope] = field(default_factory=set)  # scopes that may have names which nobody writes
    aliases: dict[Scope, Scope] = field(default_factory=dict)  # scope -> the one that is meant
    parts: dict[Scope, set[Scope]] = field(default_factory=dict)  # scope -> others whose names it has too
    needs: set[str] = field(default_factory=set)  # files that have to be read with it
    mates: frozenset[str] = frozenset()  # the same, one set for all files of a folder
    visited: set[int] = field(default_factory=set)  # parts of YAML: what an alias repeats is read once
    is_foreign: bool = False  # the file turned out to be of no format

    def declare(self, scope: Scope, name: str, line: int, *, is_required: bool = False) -> None:
        """Add a name that the file declares."""
        self.scopes.add(scope)
        self.declarations.append(Declaration(scope, name, self.path, line, is_required))
        self._count()

    def use(self, scope: Scope, name: str, line: int, certainty: Certainty = "sure") -> None:
        """Add a name that the file asks for."""
        self.uses.append(NameUse(scope, name, self.path, line, certainty))
        self._count()

    def _count(self) -> None:
        if len(self.declarations) + len(self.uses) > MOST:
            raise UnreadableDataError(f"it contains more than {MOST:,} names")


class Paths:
    """The files of one side."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = frozenset(paths)
        folders: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._paths):
            folders[posixpath.dirname(path)].append(path)
        self._folders: Mapping[str, Sequence[str]] = folders
        self._groups: dict[tuple[str, str], frozenset[str]] = {}

    def __contains__(self, path: object) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def inside(self, folder: str) -> Sequence[str]:
        """Return the files of a folder, without those of the folders in it."""
        return self._folders.get(folder, ())

    def names(self, folder: str) -> frozenset[str]:
        """Return the names of the files and folders in a folder, with and without what follows their first dot."""
        start = f"{folder}/" if folder else ""
        names = (path[len(start) :].partition("/")[0] for path in self.below(folder))
        return self.group("names", folder, lambda: {form for name in names for form in (name, name.partition(".")[0])})

    def below(self, folder: str) -> Iterator[str]:
        """Give the files of a folder and of all that are in it."""
        start = f"{folder}/" if folder else ""
        return (path for path in self._paths if path.startswith(start))

    def group(self, kind: str, folder: str, choose: Callable[[], Iterable[str]]) -> frozenset[str]:
        """Return the files that belong together in a folder, chosen once."""
        key = (kind, folder)
        if key not in self._groups:
            self._groups[key] = frozenset(choose())
        return self._groups[key]

    def above(self, folder: str, names: Sequence[str]) -> str | None:
        """Return the nearest file with one of these names, in a folder or in one around it."""
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
    """Return the path that a folder means by a relative one; None outside the tree."""
    target = posixpath.normpath(posixpath.join(folder, path))
    return None if target.startswith(("..", "/")) else "" if target == "." else target


def line_finder(text: str) -> Callable[[int], int]:
    """Return what tells the line of a place in a text, from 1."""
    ends = [at for at, letter in enumerate(text) if letter == "\n"]
    return lambda at: bisect_left(ends, at) + 1
