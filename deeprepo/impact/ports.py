"""Define the interface of the trees that are searched."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from deeprepo.impact.changes import Query, TreeEntry
from deeprepo.impact.values import Side


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
