"""Cache the results of searches in a tree, so that after a push only the changed files are searched again.

A file's search results only depend on its path and content. So the results for a new tree are the earlier
results without the changed files, plus the results of a new search in a tree that consists of the changed
files only.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bot.checkout import git
from deeprepo.impact.reading import memo
from deeprepo.impact.text.paths import name_of, raw_name

MAX_CHANGED = 400  # if more files differ between the two trees, the whole tree is searched again
MAX_LIST_BYTES = 1 << 20  # of the list of changed files
NO_FILE = b"000000"  # the mode that git prints for a file that a tree doesn't contain
TREE = re.compile(r"[0-9a-f]{40,64}")
Row = tuple[str, int, str]  # path, line and text; searches for paths have 0 and ""
Rows = Sequence[Row]


@dataclass(frozen=True, slots=True)
class Difference:
    """How a tree differs from an earlier tree."""

    paths: frozenset[str] = frozenset()  # added, changed and removed files
    tree: str = ""  # the ID of a tree with only the added and changed files, or "" if there are none


class KeptSearches:
    """Runs searches, and caches their results. `folder` is our own git folder, in which trees are created."""

    def __init__(self, folder: str, env: Mapping[str, str]) -> None:
        self._folder, self._env = folder, env
        self._differences: dict[tuple[str, str], Difference | None] = {}
        self._lock = asyncio.Lock()

    async def find(
        self, asked: Sequence[str], tree: str, search: Callable[[str], Awaitable[Rows | None]]
    ) -> Rows | None:
        """Return the results of a search in a tree, or None if it was cut short.

        `search` runs the search in a tree. `asked` is everything else that affects the results, which
        identifies the search in the cache.
        """
        name = memo.name_of(_engine(), ["search", *asked], b"")
        earlier = _read(memo.load(name))
        rows = await self._update(earlier, tree, search) if earlier is not None else None
        if rows is None:
            rows = await search(tree)
        if rows is not None and (earlier is None or earlier[0] != tree):
            memo.keep(name, json.dumps([tree, rows], separators=(",", ":")).encode())
        return rows

    async def _update(
        self, earlier: tuple[str, Rows], tree: str, search: Callable[[str], Awaitable[Rows | None]]
    ) -> Rows | None:
        """Return the results for a tree, based on an earlier tree, or None if that is impossible."""
        difference = await self._difference(earlier[0], tree)
        if difference is None:
            return None
        found = await search(difference.tree) if difference.tree else ()
        if found is None:
            return None
        rows = [hit for hit in earlier[1] if hit[0] not in difference.paths]
        return sorted([*rows, *found], key=lambda hit: raw_name(hit[0])) if found else rows

    async def _difference(self, before: str, after: str) -> Difference | None:
        async with self._lock:
            if (before, after) not in self._differences:
                self._differences[before, after] = await self._compare(before, after)
            return self._differences[before, after]

    async def _compare(self, before: str, after: str) -> Difference | None:
        """Return how two trees differ, or None if the earlier one no longer exists or is too different."""
        if before == after:
            return Difference()
        words = "diff-tree", "-r", "--no-renames", "--raw", "-z", "--no-abbrev", before, after
        done = await git.search(
            *words, cwd=self._folder, env=self._env, seconds=git.MAX_SECONDS, rows=None, most=MAX_LIST_BYTES
        )
        fields = done.out.split(b"\0")[:-1]
        if done.status or done.was_stopped or len(fields) > 2 * MAX_CHANGED:
            return None
        rows = [(*meta.split(), path) for meta, path in zip(fields[::2], fields[1::2], strict=True)]
        present = [mode + b" " + oid + b"\t" + path + b"\0" for _, mode, _, oid, _, path in rows if mode != NO_FILE]
        index_env = {**self._env, "GIT_INDEX_FILE": f"{self._folder}/index-{len(self._differences)}"}
        if present:
            await git.output(
                "update-index", "-z", "--index-info", cwd=self._folder, env=index_env, stdin=b"".join(present)
            )
        tree = await git.output("write-tree", "--missing-ok", cwd=self._folder, env=index_env) if present else b""
        return Difference(frozenset(name_of(hit[-1]) for hit in rows), tree.decode().strip())


def _read(data: bytes | None) -> tuple[str, Rows] | None:
    """Return the tree and the results in cached data, or None if the data is invalid."""
    try:
        tree, rows = json.loads(data or b"")
        return (tree, [(path, line, text) for path, line, text in rows]) if TREE.fullmatch(tree) else None
    except (ValueError, TypeError):
        return None


@cache
def _engine() -> bytes:
    """Return a hash of the code that searches a tree, which is this package. Git's version doesn't matter."""
    return memo.engine_of((Path(__file__).parent,))
