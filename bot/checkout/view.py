"""A tree in front of another one: it passes every question on, and a kind of it overrides what it answers otherwise."""

from collections.abc import Mapping, Sequence
from typing import Literal

from bot.ports import Tree
from bot.values import Side, TreeEntry


class TreeView:
    """A tree as another one has it. Satisfies `ports.Tree`."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    @property
    def stopped_searches(self) -> Sequence[str]:
        """A sentence for each search that was ended before it was done."""
        return self._tree.stopped_searches

    async def entries(self, side: Side = "head") -> Mapping[str, TreeEntry]:
        """Every path of one side."""
        return await self._tree.entries(side)

    async def links(self, side: Side = "head") -> Mapping[str, str]:
        """What each symbolic link of one side holds."""
        return await self._tree.links(side)

    async def read(self, path: str, side: Side = "head") -> bytes | None:
        """The content of a file, as `read_many` has it."""
        return (await self.read_many([path], side)).get(path)

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> dict[str, bytes]:
        """The contents of many files."""
        return await self._tree.read_many(paths, side)

    async def grep(
        self,
        patterns: Sequence[str],
        globs: Sequence[str] = (),
        *,
        syntax: Literal["fixed", "perl"] = "fixed",
        word: bool = False,
        side: Side = "head",
    ) -> frozenset[str]:
        """Paths of the text files in which any of the patterns occurs."""
        return await self._tree.grep(patterns, globs, syntax=syntax, word=word, side=side)
