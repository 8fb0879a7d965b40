"""Define the interfaces of the trees that are searched, and of what resolves imports in them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from deeprepo.impact.changes import Query, TreeEntry
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
