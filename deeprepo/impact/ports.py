"""Define the interfaces of languages, their manifests and the trees that are searched."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol, runtime_checkable

from deeprepo.impact.changes import Query, TreeEntry
from deeprepo.impact.packages import Package, Requirement
from deeprepo.impact.values import Clues, Link, Side


class Tree(Protocol):
    """Read access to both trees of a change. Git provides it; no file is opened in a work tree."""

    @property
    def stopped_searches(self) -> Sequence[str]:
        """The sentences for searches that were stopped early."""

    async def entries(self, side: Side = "head") -> Mapping[str, TreeEntry]:
        """Return every path of one side."""

    async def read(self, path: str, side: Side = "head") -> bytes | None:
        """Return a file's content; None if it does not exist, is not a file or exceeds the size limit."""

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """Return the contents of many files; those for which `read` returns None are omitted."""

    async def grep(self, query: Query) -> frozenset[str]:
        """Return the paths of text files that match any of the patterns."""

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """Return the matching lines as (path, line, text), ordered by path."""


class Project(Protocol):
    """Resolves imports of a language on one side of the change."""

    def clues(self, path: str) -> Clues:
        """Return what a file that imports `path` must contain."""

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Link, ...]:
        """Return a file's imports that resolve to the tree.

        With `words`, only statements with one of them are used.
        """

    def statements(self, path: str, source: bytes) -> tuple[Link, ...]:
        """Return the imports that a file writes as statements. Each wildcard import is one of them."""

    @property
    def declares_content(self) -> bool:
        """Whether files declare what they contain, independent of their paths."""

    def register(self, path: str, source: bytes) -> None:
        """Register the content of a changed file, on either side, before any other request.

        Only languages with namespaces need it.
        """

    def visible_files(self, path: str) -> Collection[str]:
        """Return the other files whose names the path sees without an import; the path itself need not exist."""

    def sees(self, path: str, other: str) -> bool:
        """Return whether a file is built with another one, without a project boundary between them."""


class Packaging(Protocol):
    """Reads the packages and requirements of a language.

    A module `manifest` in the language's folder satisfies it.
    """

    MANIFESTS: tuple[str, ...]  # base names or path suffixes, with *
    LOCKS: Mapping[str, str]  # lock file -> the pattern of a version, in which NAME stands for the package

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
