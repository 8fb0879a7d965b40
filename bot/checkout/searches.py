"""Search trees, and cache the results, so that after a push only the changed files are searched again.

A file's search results only depend on its path and content. So the results for a new tree are the earlier
results without the changed files, plus the results of a new search in a tree that consists of the changed
files only.
"""

import asyncio
import json
import os
import re
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from bot.checkout import git
from bot.values import Query
from deeprepo.impact.reading import memo
from deeprepo.impact.text.paths import name_of, raw_name

MAX_CHANGED = 400  # if more files differ between the two trees, the whole tree is searched again
MAX_LIST_BYTES = 1 << 20  # of the list of changed files
NO_FILE = b"000000"  # the mode that git prints for a file that a tree doesn't contain
TREE = re.compile(r"[0-9a-f]{40,64}")
SEARCH_SECONDS = 60.0  # per search
SEARCH_BYTES = 64 << 20  # of a search's results
MATCH_LIMIT = "(*LIMIT_MATCH=1000000)"  # after this many steps in one line, PCRE stops the search
# Threads per search. On two cores, git's default of 8 threads would mostly wait for each other.
THREADS = min(8, os.cpu_count() or 1)
# Limits for combining several texts into one pattern, because PCRE limits a pattern's length
ALTERNATIVES, PATTERN_BYTES = 100, 20_000
# The start of git's message for a pattern that PCRE rejects, such as one over 64 KiB
PATTERN_REJECTED = "fatal: -e option"
NO_MATCH = 1  # the exit status of `git grep` without matches
Row = tuple[str, int, str]  # path, line and text; searches for paths have 0 and ""
Rows = Sequence[Row]


@dataclass(frozen=True, slots=True)
class Difference:
    """How a tree differs from an earlier tree."""

    paths: frozenset[str] = frozenset()  # added, changed and removed files
    tree: str = ""  # the ID of a tree with only the added and changed files, or "" if there are none


class Searches:
    """Searches trees, and caches the results. `folder` is our own git folder, in which trees are created.

    The files in `left_out` are not searched. `stopped` gets a sentence for each search that was stopped early.
    """

    def __init__(self, folder: str, env: Mapping[str, str], left_out: Collection[str], stopped: list[str]) -> None:
        self._folder, self._env, self._left_out, self._stopped = folder, env, left_out, stopped
        self._differences: dict[tuple[str, str], Difference | None] = {}
        self._lock = asyncio.Lock()

    async def grep(self, kind: Literal["-l", "-n"], query: Query, tree: str, most: int | None = None) -> Rows:
        """Return up to `most` results of a search, of paths (`-l`) or lines (`-n`).

        If a search is stopped early, return what it has found, and add a sentence to `stopped`.
        """
        patterns = [one for pattern in query.patterns if (one := _one_line(pattern, query.syntax))]
        longest = max((len(re.escape(pattern).encode()) for pattern in patterns), default=0)
        is_plain = query.syntax == "fixed" and (len(patterns) == 1 or longest > PATTERN_BYTES // ALTERNATIVES)
        if query.syntax == "fixed" and not is_plain:
            patterns = [
                _any_of(patterns[index : index + ALTERNATIVES], query)
                for index in range(0, len(patterns), ALTERNATIVES)
            ]
        if query.syntax == "perl" and not query.word:
            patterns = _combined(patterns)
        pattern_arguments = [
            part for pattern in patterns for part in ("-e", pattern if is_plain else MATCH_LIMIT + pattern)
        ]
        if not pattern_arguments:
            return ()
        form = [kind, *(["-w"] if query.word and (is_plain or query.syntax == "perl") else [])]
        form += ["-F" if is_plain else "-P"]
        without = [*map(_except, sorted(self._left_out)), *map(_except, query.without)]
        places = [*(query.globs or (["."] if without else [])), *without]
        words = ["-I", *form, *pattern_arguments]
        cut_off: list[Rows] = []

        async def search(tree: str) -> Rows | None:
            rows, is_whole = await self._search(words, tree, places, most)
            if not is_whole:
                cut_off.append(rows)
            return rows if is_whole else None

        found = await self._find([query.side, *words, "--", *places], tree, search)
        rows = found if found is not None else cut_off[-1]
        return rows if most is None else rows[:most]

    async def _search(
        self, form: Sequence[str], tree: str, places: Sequence[str], most: int | None
    ) -> tuple[Rows, bool]:
        """Return the results of one `git grep`, and whether they are complete."""
        result = await git.search(
            "grep", "-z", "--full-name", "--no-color", "--threads", str(THREADS), *form, tree, "--", *places,
            cwd=self._folder, env=self._env, seconds=SEARCH_SECONDS,
            rows=None if most is None else 2 * most, most=SEARCH_BYTES,
        )  # fmt: skip
        # PCRE only rejects a shorter pattern if it is invalid, which is an error.
        is_rejected = result.err.startswith(PATTERN_REJECTED) and max(map(len, form)) > PATTERN_BYTES
        is_incomplete = result.was_stopped or is_rejected or "match failed with error code" in result.err
        if is_incomplete:
            why = (
                f"after {SEARCH_SECONDS:g} s or {SEARCH_BYTES >> 20} MiB"
                if result.was_stopped
                else "by names that are too long for one pattern"
                if is_rejected
                else "at a line that is too hard for it"
            )
            self._stopped.append(f"a search stopped {why}, so it may have missed something")
        elif result.status not in (0, NO_MATCH):
            raise git.failure("grep", result)
        rows = [*(_paths(result.out, tree) if most is None else _lines(result.out, tree))]
        return rows, not is_incomplete and (most is None or result.out.count(b"\n") < 2 * most)

    async def _find(
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
        done = await git.search(*words, cwd=self._folder, env=self._env, most=MAX_LIST_BYTES)
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


def _except(path: str) -> str:
    return f":(top,exclude,literal){os.fsdecode(raw_name(path))}"


def _paths(out: bytes, tree: str) -> Iterator[Row]:
    return ((name_of(entry[len(tree) + 1 :]), 0, "") for entry in out.split(b"\0") if entry)


def _lines(out: bytes, tree: str) -> Iterator[Row]:
    for line in out.split(b"\n"):
        path, _, rest = line.partition(b"\0")
        number, _, text = rest.partition(b"\0")
        if number.isdigit():
            yield name_of(path[len(tree) + 1 :]), int(number), text[:2000].decode("utf-8", "replace")


def _any_of(texts: Sequence[str], query: Query) -> str:
    """Return one pattern for several texts, because git searches every file for each pattern."""
    either = f"(?:{'|'.join(map(re.escape, texts))})"
    return rf"(?<!\w){either}(?!\w)" if query.word else either


def _combined(patterns: Sequence[str]) -> list[str]:
    """With many patterns, git would search a file again after every match."""
    joined: list[list[str]] = []
    for pattern in patterns:
        if not joined or sum(map(len, [pattern, *joined[-1]])) > PATTERN_BYTES:
            joined.append([])
        joined[-1].append(pattern)
    return [f"(?|{'|'.join(f'(?:{one})' for one in some)})" if len(some) > 1 else some[0] for some in joined]


def _one_line(pattern: str, syntax: str) -> str:
    """A fixed string with a line break can't match any line, so it becomes ""."""
    if "\n" not in pattern:
        return pattern
    return "" if syntax == "fixed" else pattern.replace("\\\n", "\\n").replace("\n", "\\n")


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
