"""What manifests tell: who offers and who takes which package."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from posixpath import dirname
from typing import Annotated, Literal, TypeVar

from deeprepo.impact.paths import is_below
from deeprepo.impact.structs import Struct

T = TypeVar("T")
Exact = Annotated[T, "exact"]  # a name or a path that others look up: no text that anybody may change
Origin = Literal["registry", "path", "git", "workspace"]
# When a break reaches a repository: with its next build, with the next release of what it takes, or when somebody upgrades it.
Arrival = Literal["build", "release", "upgrade"]
# Constraints that any version meets.
LATEST = frozenset({"", "*", "latest", "x", "+", "latest.release", "LATEST", "RELEASE"})


class Package(Struct, frozen=True, eq=False):
    """What a repository offers under a name that other manifests can write."""

    language: str
    name: str
    folder: str = ""  # of its manifest
    roots: tuple[str, ...] = ()  # folders and files that it consists of
    entries: tuple[str, ...] | None = None  # files that importers can name; None: any
    # Of one that is published: the version that its manifest writes, and the files whose names are its public ones.
    version: str = ""
    doors: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Package) and self._offered == other._offered

    def __hash__(self) -> int:
        return hash(self._offered)

    @property
    def _offered(self) -> tuple[object, ...]:
        """What makes two packages the same, whatever was published of them."""
        return self.language, self.name, self.folder, self.roots, self.entries

    def holds(self, path: str) -> bool:
        """Return whether a file is a part of the package."""
        return any(is_below(path, root) for root in self.roots)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A package that a manifest asks for."""

    language: Exact[str]
    name: Exact[str]
    constraint: Exact[str] = ""  # as written: ">=2.3,<3"; of git the branch or the tag
    origin: Exact[Origin] = "registry"
    path: Exact[str] = ""  # of the manifest
    fixed: bool = False  # of git: a tag or a commit, not a branch
    locked: Exact[str] = ""  # the version that a lock file names

    @property
    def arrival(self) -> Arrival:
        """Return when a break of the package reaches who asks for it so."""
        if self.origin in ("path", "workspace") or (self.origin == "git" and not (self.fixed or self.locked)):
            return "build"
        if self.origin == "git" or self.locked:
            return "upgrade"
        asked = self.constraint.strip()
        opened = asked in LATEST or (asked.startswith(">") and "<" not in asked and "==" not in asked)
        return "release" if opened else "upgrade"

    @property
    def version(self) -> str:
        """Return the version that is in use, as far as the repository tells."""
        return self.locked or self.constraint.strip()


@dataclass(frozen=True, slots=True)
class DependencyRules:
    """How code asks for the dependencies that its manifests list, and how much a manifest proves."""

    suffixes: tuple[str, ...]  # of the code
    asking: Callable[[str], str]  # dependency -> Perl pattern of the lines that may ask for it
    called: Callable[[bytes], frozenset[str]]  # manifest -> the names under which others can ask for what it describes
    # Whether an import, as it is written, asks for a dependency. None: each line that matches `asking` does.
    means: Callable[[str, str], bool] | None = None
    # The dependencies of one manifest, where it takes more than `requirements` to know them.
    declared: Callable[[str, Mapping[str, bytes]], frozenset[str]] | None = None
    # The dependencies of one manifest that come with what it describes: without those that only its developers get.
    shipped: Callable[[str, bytes], frozenset[str]] | None = None
    folder: Callable[[str], str] = dirname  # manifest -> the folder for whose code it lists dependencies
    own: str = (
        ""  # pattern of the lines by which a tree defines what a dependency would bring; NAME stands for the word
    )
    # The nearest manifest alone decides, and a package that it does not list cannot be imported.
    is_closed: bool = False
    doubt: str = ""  # pattern of what makes the same uncertain in a file
    shared: str = ""  # a file with this name gives modules each other's dependencies
    local: tuple[Origin, ...] = ()  # a dependency of such an origin has to be in the tree, under its name
    passes_on: bool = False  # a dependency always brings its own dependencies to whoever lists it


class PackageRow(Struct, frozen=True):
    """A package that a repository offers or takes, as an index of many repositories keeps it."""

    role: Literal["offers", "takes"]
    language: str
    name: str
    version: str = ""  # as its manifest asks for it
    arrival: str = ""  # when a break of it reaches who takes it
