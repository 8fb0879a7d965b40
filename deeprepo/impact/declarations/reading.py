"""Collect the names that a data file declares and uses.

Each name is in a scope: a module, workflow, chart, Makefile or package.
"""

import posixpath
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from deeprepo.impact.structs import Struct, field

MOST = 50_000  # names in one file, which YAML aliases can multiply
# in a module, which is a folder
MODULE_KINDS = frozenset({"variable", "local", "module", "output", "resource"})
Certainty = Literal["sure", "removed", "hint"]


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
    """A use of a name in a scope.

    A "sure" use breaks if the name is undeclared. "removed": an unknown declaration is possible, but hardly
    of a name that the change removes. "hint": it may refer to what the change removes.
    """

    scope: Scope
    name: str
    path: str
    line: int
    certainty: Certainty = "sure"


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
    scopes: set[Scope] = field(default_factory=set)  # scopes that are declared completely by the files read
    doubts: set[Scope] = field(default_factory=set)  # scopes that may have unwritten names
    aliases: dict[Scope, Scope] = field(default_factory=dict)  # scope -> the scope that it stands for
    parts: dict[Scope, set[Scope]] = field(default_factory=dict)  # scope -> scopes whose names it includes
    needs: set[str] = field(default_factory=set)  # files that must be read as well
    mates: frozenset[str] = frozenset()  # the same, one shared set for all files of a folder
    visited: set[int] = field(default_factory=set)  # YAML parts, so that aliases are read once
    is_unknown_format: bool = False  # the file belongs to no format

    def declare(self, scope: Scope, name: str, line: int, *, is_required: bool = False) -> None:
        """Add a declaration."""
        self.scopes.add(scope)
        self.declarations.append(Declaration(scope, name, self.path, line, is_required))
        self._count()

    def use(self, scope: Scope, name: str, line: int, certainty: Certainty = "sure") -> None:
        """Add a use."""
        self.uses.append(NameUse(scope, name, self.path, line, certainty))
        self._count()

    def _count(self) -> None:
        if len(self.declarations) + len(self.uses) > MOST:
            raise UnreadableDataError(f"it contains more than {MOST:,} names")


class Paths:
    """The files on one side."""

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
        """Return the files directly in a folder."""
        return self._folders.get(folder, ())

    def names(self, folder: str) -> frozenset[str]:
        """Return the names in a folder, with and without suffixes."""
        start = f"{folder}/" if folder else ""
        names = (path[len(start) :].partition("/")[0] for path in self.below(folder))
        return self.group("names", folder, lambda: {form for name in names for form in (name, name.partition(".")[0])})

    def below(self, folder: str) -> Iterator[str]:
        """Yield the files in a folder and its subfolders."""
        start = f"{folder}/" if folder else ""
        return (path for path in self._paths if path.startswith(start))

    def group(self, kind: str, folder: str, choose: Callable[[], Iterable[str]]) -> frozenset[str]:
        """Return a group of files in a folder, computed once."""
        key = (kind, folder)
        if key not in self._groups:
            self._groups[key] = frozenset(choose())
        return self._groups[key]

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
