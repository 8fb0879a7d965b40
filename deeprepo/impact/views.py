"""Wrap a tree in a view that subclasses override."""

from collections.abc import Mapping, Sequence

from deeprepo.impact.changes import Query, TreeEntry
from deeprepo.impact.ports import Tree
from deeprepo.impact.values import Side


class TreeView:
    """A wrapper around a tree that delegates every call; subclasses override some of them."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    @property
    def stopped_searches(self) -> Sequence[str]:
        """The sentences for searches that were stopped early."""
        return self._tree.stopped_searches

    async def entries(self, side: Side = "head") -> Mapping[str, TreeEntry]:
        """Return every path of one side."""
        return await self._tree.entries(side)

    async def read(self, path: str, side: Side = "head") -> bytes | None:
        """Return the content of a file from `read_many`."""
        return (await self.read_many([path], side)).get(path)

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """Return the contents of many files."""
        return await self._tree.read_many(paths, side)

    async def grep(self, query: Query) -> frozenset[str]:
        """Return the paths of text files that match any of the patterns."""
        return await self._tree.grep(query)

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """Return the matching lines as (path, line, text)."""
        return await self._tree.grep_lines(query)
