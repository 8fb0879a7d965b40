"""Describe packages as manifests declare and require them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol, TypeVar, runtime_checkable

from deeprepo.impact.paths import is_below
from deeprepo.impact.structs import Struct

T = TypeVar("T")
Exact = Annotated[T, "exact"]  # a name or path that is looked up elsewhere and must not be rewritten as text


class Package(Struct, frozen=True):
    """A package that a repository provides."""

    language: str
    name: str
    folder: str = ""  # of its manifest

    def holds(self, path: str) -> bool:
        """Return whether a file is in the package's folder."""
        return is_below(path, self.folder)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A package that a manifest names."""

    language: Exact[str]
    name: Exact[str]
    path: Exact[str]  # of the manifest
    line: str  # of the manifest, with the name


def plain_name(name: str) -> str:
    """Return a package's name for comparison, without differences of case and separators."""
    return name.lower().replace("_", "-").replace(".", "-").strip("-")


class Packaging(Protocol):
    """Reads the packages of a language. A module `manifest` in its folder satisfies it."""

    @property
    def MANIFESTS(self) -> tuple[str, ...]:  # noqa: N802 - a constant of the module
        """The base names or path suffixes of manifests, with *."""

    def packages(self, manifests: Mapping[str, bytes]) -> tuple[Package, ...]:
        """Return the packages that a tree provides."""


@runtime_checkable
class Linking(Protocol):
    """A packaging in which names are not enough to link two trees."""

    def links(self, packages: Sequence[Package], folders: Sequence[str]) -> Mapping[str, bytes]:
        """Return configuration files with which imports in one tree resolve to packages of the other.

        They belong in a folder next to both trees. `folders`: those of the requiring manifests.
        """
