"""Wrappers around trees that cache searches, or exclude generated files from searches."""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import TypeVar

from bot.file_kinds import is_excluded_from_search
from bot.ports import RunnableTree
from bot.values import Query, Side, TreeEntry
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import replace
from deeprepo.impact.views import TreeView

MAX_EXCLUDED = 60  # files and folders that a search excludes
Found = TypeVar("Found")


class CachedTree(TreeView):
    """A tree that caches its searches. Implements `ports.RunnableTree`.

    The results of a search that was stopped early are not cached.
    """

    def __init__(self, tree: RunnableTree) -> None:
        super().__init__(tree)
        self._runnable = tree
        self._locks: dict[Query, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._paths: dict[Query, frozenset[str]] = {}
        self._lines: dict[Query, tuple[tuple[str, int, str], ...]] = {}

    async def archive(self, side: Side, most: int) -> bytes:
        """Return one side as a tar archive."""
        return await self._runnable.archive(side, most)

    async def with_contents(self, contents: Mapping[Side, Mapping[str, bytes]]) -> RunnableTree:
        """Return both trees with other contents for some files."""
        copy = await self._runnable.with_contents(contents)
        return self if copy is self._runnable else CachedTree(copy)

    async def grep(self, query: Query) -> frozenset[str]:
        """Return the paths of the text files in which any of the patterns occurs."""
        return await self._once(self._paths, self._tree.grep, query)

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """Return the matching lines."""
        return await self._once(self._lines, self._tree.grep_lines, query)

    async def _once(
        self, known: dict[Query, Found], search: Callable[[Query], Awaitable[Found]], query: Query
    ) -> Found:
        async with self._locks[query]:
            if query in known:
                return known[query]
            stopped = len(self.stopped_searches)
            found = await search(query)
            if len(self.stopped_searches) == stopped:
                known[query] = found
            return found


class WrittenTree(TreeView):
    """A tree whose searches exclude files that are never shown. Implements `ports.Tree`."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._without: dict[Side, tuple[str, ...]] = {}

    async def grep(self, query: Query) -> frozenset[str]:
        """Return the paths of the text files in which any of the patterns occurs."""
        return await self._tree.grep(await self._narrowed(query))

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """Return the matching lines."""
        return await self._tree.grep_lines(await self._narrowed(query))

    async def _narrowed(self, query: Query) -> Query:
        if query.side not in self._without:
            self._without[query.side] = _excluded_paths(await self._tree.entries(query.side))
        return replace(query, without=self._without[query.side])


def _excluded_paths(entries: Mapping[str, TreeEntry]) -> tuple[str, ...]:
    """Return the paths to exclude from searches, largest first, with whole folders where possible."""
    left_out = {path: entry.size for path, entry in entries.items() if is_excluded_from_search(path, entry.size)}
    searched = {folder for path in entries.keys() - left_out.keys() for folder in _folders(path)}
    sizes: Counter[str] = Counter()
    for path, size in left_out.items():
        sizes[next((folder for folder in _folders(path) if folder not in searched), path)] += size
    return tuple(path for path, _ in sizes.most_common(MAX_EXCLUDED))


def _folders(path: str) -> Iterator[str]:
    """Yield the folders that contain a file, outermost first."""
    return (path[: at.start()] for at in re.finditer("/", path))
