"""A tree in front of another one."""

from collections.abc import Mapping, Sequence

from impact.changes import Query, TreeEntry
from impact.ports import Tree
from impact.values import Side


class TreeView:
    """A tree in front of another one: it passes every question on, and a kind of it overrides what it answers otherwise."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    @property
    def stopped_searches(self) -> Sequence[str]:
        """A sentence for each search that was ended before it was done."""
        return self._tree.stopped_searches

    async def entries(self, side: Side = "head") -> Mapping[str, TreeEntry]:
        """Every path of one side."""
        return await self._tree.entries(side)

    async def read(self, path: str, side: Side = "head") -> bytes | None:
        """The content of a file, as `read_many` has it."""
        return (await self.read_many([path], side)).get(path)

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """The contents of many files."""
        return await self._tree.read_many(paths, side)

    async def grep(self, query: Query) -> frozenset[str]:
        """Paths of the text files in which any of the patterns occurs."""
        return await self._tree.grep(query)
