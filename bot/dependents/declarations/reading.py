"""What a data file declares and uses: names, each in a scope, which is one module, workflow, chart, Makefile or package."""

import posixpath
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

Certainty = Literal["sure", "removed", "hint"]


class UnreadableDataError(Exception):
    """A data file that cannot be read to its end. Its text is a phrase: what depends on the file stays open with it."""


class Scope(NamedTuple):
    """A room of names: their kind, and the folder, the file or the part of it that has them."""

    kind: str  # a key of `KINDS`
    place: str


class Declaration(NamedTuple):
    """A name that a scope offers."""

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
    identity: str  # of the call in its file


@dataclass(slots=True)
class DataReading:
    """One file."""

    declarations: list[Declaration] = field(default_factory=list)
    uses: list[NameUse] = field(default_factory=list)
    calls: list[CallSite] = field(default_factory=list)
    scopes: set[Scope] = field(
        default_factory=set
    )  # all of whose names its files declare: what is absent there is nowhere
    loose: set[Scope] = field(
        default_factory=set
    )  # scopes that something out of sight may add to: only what goes is missed
    doubts: dict[Scope, str] = field(default_factory=dict)  # scopes that may have names which nobody writes, and why
    aliases: dict[Scope, Scope] = field(default_factory=dict)  # scope -> the one that is meant
    parts: dict[Scope, set[Scope]] = field(default_factory=dict)  # scope -> others whose names it has too
    needs: set[str] = field(default_factory=set)  # files that have to be read with it
    mates: frozenset[str] = frozenset()  # the same, one set for all files of a folder
    is_foreign: bool = False  # the file turned out to be of no format


class Paths:
    """The files of one side."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = frozenset(paths)
        self._ordered: Sequence[str] = sorted(self._paths)
        folders: dict[str, list[str]] = defaultdict(list)
        for path in self._ordered:
            folders[posixpath.dirname(path)].append(path)
        self._folders: Mapping[str, Sequence[str]] = folders
        self._stems: dict[str, frozenset[str]] = {}
        self._groups: dict[tuple[str, str], frozenset[str]] = {}

    def __contains__(self, path: object) -> bool:
        return path in self._paths

    def inside(self, folder: str) -> Sequence[str]:
        """The files of a folder, without those of the folders in it."""
        return self._folders.get(folder, ())

    def group(self, kind: str, folder: str, choose: Callable[[], Iterable[str]]) -> frozenset[str]:
        """The files that belong together in a folder, chosen once."""
        key = (kind, folder)
        if key not in self._groups:
            self._groups[key] = frozenset(choose())
        return self._groups[key]

    def stems(self, folder: str) -> frozenset[str]:
        """The names of the files and folders in a folder, with and without what follows their first dot."""
        if folder not in self._stems:
            start = f"{folder}/" if folder else ""
            names = {path[len(start) :].partition("/")[0] for path in self.below(folder)}
            self._stems[folder] = frozenset(names | {name.partition(".")[0] for name in names})
        return self._stems[folder]

    def below(self, folder: str) -> Iterator[str]:
        """Give the files of a folder and of all that are in it."""
        start = f"{folder}/" if folder else ""
        for at in range(bisect_left(self._ordered, start), len(self._ordered)):
            if not self._ordered[at].startswith(start):
                return
            yield self._ordered[at]

    def above(self, folder: str, name: str) -> str | None:
        """The nearest file of a name, in a folder or in one around it."""
        while True:
            if (path := posixpath.join(folder, name)) in self._paths:
                return path
            if not folder:
                return None
            folder = posixpath.dirname(folder)


class Format(Protocol):
    """One format of data files. A module satisfies it."""

    def read(self, path: str, text: str, paths: Paths) -> DataReading:
        """What the file declares and uses. Raises `UnreadableDataError`."""


def beside(folder: str, path: str) -> str | None:
    """Return the path that a folder means by a relative one; None outside the tree."""
    target = posixpath.normpath(posixpath.join(folder, path))
    return None if target.startswith(("..", "/")) else "" if target == "." else target
