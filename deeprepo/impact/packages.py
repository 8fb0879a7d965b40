"""Describe packages as manifests declare and require them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol, TypeVar, runtime_checkable

from deeprepo.impact.paths import is_below
from deeprepo.impact.structs import Struct

T = TypeVar("T")
Exact = Annotated[T, "exact"]  # a name or path that is looked up elsewhere and must not be rewritten as text
Origin = Literal["registry", "path", "git", "workspace"]
# When a break reaches a repository: with its next build, its dependency's next release, or an explicit
# upgrade.
Arrival = Literal["build", "release", "upgrade"]
# Constraints that every version satisfies.
LATEST = frozenset({"", "*", "latest", "x", "+", "latest.release", "LATEST", "RELEASE"})


class Package(Struct, frozen=True):
    """A package that a repository provides."""

    language: str
    name: str
    folder: str = ""  # of its manifest
    roots: tuple[str, ...] = ()  # its folders and files
    entries: tuple[str, ...] | None = None  # importable files; None stands for all

    def holds(self, path: str) -> bool:
        """Return whether a file belongs to the package."""
        return any(is_below(path, root) for root in self.roots)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A package that a manifest requires."""

    language: Exact[str]
    name: Exact[str]
    constraint: Exact[str] = ""  # as written: ">=2.3,<3"; for git, the branch or tag
    origin: Exact[Origin] = "registry"
    path: Exact[str] = ""  # of the manifest
    fixed: bool = False  # for git: a tag or commit, not a branch
    locked: Exact[str] = ""  # the version in a lock file

    @property
    def arrival(self) -> Arrival:
        """When a break of the package reaches this requirement."""
        if self.origin in ("path", "workspace") or (self.origin == "git" and not (self.fixed or self.locked)):
            return "build"
        if self.origin == "git" or self.locked:
            return "upgrade"
        asked = self.constraint.strip()
        opened = asked in LATEST or (asked.startswith(">") and "<" not in asked and "==" not in asked)
        return "release" if opened else "upgrade"

    @property
    def version(self) -> str:
        """The version in use, as far as it is known."""
        return self.locked or self.constraint.strip()


class Packaging(Protocol):
    """Reads the packages and requirements of a language. A module `manifest` in its folder satisfies it."""

    @property
    def MANIFESTS(self) -> tuple[str, ...]:  # noqa: N802 - a constant of the module
        """The base names or path suffixes of manifests, with *."""

    @property
    def LOCKS(self) -> Mapping[str, str]:  # noqa: N802 - as above
        """Lock file -> the pattern of a version, in which NAME is the package."""

    def packages(self, manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
        """Return the packages that a tree provides."""

    def requirements(self, manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
        """Return the packages that a tree requires."""


@runtime_checkable
class Linking(Protocol):
    """A packaging in which names are not enough to link two trees."""

    def links(self, packages: Sequence[Package], folders: Sequence[str]) -> Mapping[str, bytes]:
        """Return configuration files with which imports in one tree resolve to packages of the other.

        They belong in a folder next to both trees. `folders`: those of the requiring manifests.
        """
