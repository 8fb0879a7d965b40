"""Cache the results of searches in a tree, so that in the next tree only changed files are searched.

A search result in a file depends only on its name and content. So after a push, the earlier results without
the changed files are combined with a new search in these files, as a tree of their own under the same names.
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

MOST_CHANGED = 400  # files between two trees; with more, everything is searched again
MOST_BYTES = 1 << 20  # of the list of files
NO_FILE = b"000000"  # mode of a file that a tree does not contain
TREE = re.compile(r"[0-9a-f]{40,64}")
Row = tuple[str, int, str]  # path, line and text; 0 and "" in a search for paths
Rows = Sequence[Row]


@dataclass(frozen=True, slots=True)
class Difference:
    """The files in which a tree differs from an earlier one, and a tree of those it contains; "" for none."""

    paths: frozenset[str] = frozenset()
    tree: str = ""


class KeptSearches:
    """The searches of one change. `folder` is our own git folder, in which trees are created."""

    def __init__(self, folder: str, env: Mapping[str, str]) -> None:
        self._folder, self._env = folder, env
        self._differences: dict[tuple[str, str], Difference | None] = {}
        self._lock = asyncio.Lock()

    async def find(
        self, asked: Sequence[str], tree: str, search: Callable[[str], Awaitable[Rows | None]]
    ) -> Rows | None:
        """Return the results of a search in a tree; None if it was cut short, which is not cached.

        `asked` is everything that affects the results besides the tree.
        """
        name = memo.name_of(_engine(), ["search", *asked], b"")
        former = _read(memo.load(name))
        rows = await self._after(former, tree, search) if former is not None else None
        if rows is None:
            rows = await search(tree)
        if rows is not None and (former is None or former[0] != tree):
            memo.keep(name, json.dumps([tree, rows], separators=(",", ":")).encode())
        return rows

    async def _after(
        self, former: tuple[str, Rows], tree: str, search: Callable[[str], Awaitable[Rows | None]]
    ) -> Rows | None:
        """Return the current results based on the earlier ones; None if that is not possible."""
        difference = await self._difference(former[0], tree)
        if difference is None:
            return None
        found = await search(difference.tree) if difference.tree else ()
        if found is None:
            return None
        rows = [hit for hit in former[1] if hit[0] not in difference.paths]
        return sorted([*rows, *found], key=lambda hit: raw_name(hit[0])) if found else rows

    async def _difference(self, before: str, after: str) -> Difference | None:
        async with self._lock:
            if (before, after) not in self._differences:
                self._differences[before, after] = await self._compare(before, after)
            return self._differences[before, after]

    async def _compare(self, before: str, after: str) -> Difference | None:
        """Return the difference; None if the earlier tree is missing or too different."""
        if before == after:
            return Difference()
        words = "diff-tree", "-r", "--no-renames", "--raw", "-z", "--no-abbrev", before, after
        done = await git.search(
            *words, cwd=self._folder, env=self._env, seconds=git.MOST_SECONDS, rows=None, most=MOST_BYTES
        )
        fields = done.out.split(b"\0")[:-1]
        if done.status or done.was_stopped or len(fields) > 2 * MOST_CHANGED:
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
    """Return the searched tree and the results; None for data in another form."""
    try:
        tree, rows = json.loads(data or b"")
        return (tree, [(path, line, text) for path, line, text in rows]) if TREE.fullmatch(tree) else None
    except (ValueError, TypeError):
        return None


@cache
def _engine() -> bytes:
    """Return what determines how a tree is searched: this package. Git's version does not matter."""
    return memo.engine_of((Path(__file__).parent,))
