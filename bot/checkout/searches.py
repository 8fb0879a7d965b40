"""Search trees with `git grep`."""

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal

from bot.checkout import git
from bot.values import Query
from deeprepo.impact.structs import replace
from deeprepo.impact.text.lines import grep_rows
from deeprepo.impact.text.paths import name_of, raw_name

SEARCH_SECONDS = 60.0  # per search
SEARCH_BYTES = 64 << 20  # of a search's results
MATCH_LIMIT = "(*LIMIT_MATCH=1000000)"  # after this many steps in one line, PCRE stops the search
# Threads per search. On two cores, git's default of 8 threads would mostly wait for each other.
THREADS = min(8, os.cpu_count() or 1)
# Limits for combining several texts into one pattern, because PCRE limits a pattern's length
ALTERNATIVES, PATTERN_BYTES = 100, 20_000
# The start of git's message for a pattern that PCRE rejects, such as one over 64 KiB
PATTERN_REJECTED = "fatal: -e option"
# Git's message for a file whose content is missing, which it then leaves out
UNREAD = re.compile(r"^error: '[^':]*:(.*)': unable to read [0-9a-f]+$", re.MULTILINE)
NO_MATCH = 1  # the exit status of `git grep` without matches
Row = tuple[str, int, str]  # path, line and text; searches for paths have 0 and ""
Rows = Sequence[Row]


class _RejectedError(Exception):
    """PCRE rejects a pattern, which is invalid or too large."""

    def __init__(self, result: git.GitResult) -> None:
        super().__init__(result.err)
        self.result = result


class Searches:
    """Searches trees. `folder` is our own git folder.

    The files in `left_out` are not searched. `stopped` gets a sentence for each search that was stopped early.
    """

    def __init__(self, folder: str, env: Mapping[str, str], left_out: Collection[str], stopped: list[str]) -> None:
        self._folder, self._env, self._left_out, self._stopped = folder, env, left_out, stopped

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
        try:
            return await self._search(["-I", *form, *pattern_arguments], tree, places, most)
        except _RejectedError as error:
            if len(query.patterns) > 1:  # too large together, which depends on their form
                middle = len(query.patterns) // 2
                halves = [replace(query, patterns=part) for part in (query.patterns[:middle], query.patterns[middle:])]
                rows = [row for half in halves for row in await self.grep(kind, half, tree, most)]
                return sorted({*rows})[:most]
            if longest <= PATTERN_BYTES:  # it is invalid
                raise git.failure("grep", error.result) from None
            self._stopped.append(
                "a search stopped by a name that is too long for a pattern, so it may have missed something"
            )
            return ()

    async def _search(self, form: Sequence[str], tree: str, places: Sequence[str], most: int | None) -> Rows:
        result = await git.search(
            "grep", "-z", "--full-name", "--no-color", "--threads", str(THREADS), *form, tree, "--", *places,
            cwd=self._folder, env=self._env, seconds=SEARCH_SECONDS,
            rows=most, most=SEARCH_BYTES,
        )  # fmt: skip
        if result.err.startswith(PATTERN_REJECTED):
            raise _RejectedError(result)
        if result.was_stopped or "match failed with error code" in result.err:
            why = (
                f"after {SEARCH_SECONDS:g} s or {SEARCH_BYTES >> 20} MiB"
                if result.was_stopped
                else "at a line that is too hard for it"
            )
            self._stopped.append(f"a search stopped {why}, so it may have missed something")
        elif result.status not in (0, NO_MATCH):
            raise git.failure("grep", result)
        if unread := [*dict.fromkeys(UNREAD.findall(result.err))]:  # named twice
            self._stopped.append(f"a search could not read {_some(unread)}, because this clone lacks the content")
        if most is None:
            return [*_paths(result.out, tree)]
        rows = [*islice(_lines(result.out, tree), most)]
        if len(rows) < most <= result.out.count(b"\n"):  # git was stopped after so many line breaks
            self._stopped.append("a search stopped early, because a file's name contains line breaks")
        return rows


def _some(paths: Sequence[str]) -> str:
    return f"{paths[0]} and {len(paths) - 1:,} more" if len(paths) > 1 else paths[0]


def _except(path: str) -> str:
    return f":(top,exclude,literal){os.fsdecode(raw_name(path))}"


def _paths(out: bytes, tree: str) -> Iterator[Row]:
    return ((name_of(entry[len(tree) + 1 :]), 0, "") for entry in out.split(b"\0") if entry)


def _lines(out: bytes, tree: str) -> Iterator[Row]:
    for path, number, text in grep_rows(out):
        yield name_of(path[len(tree) + 1 :]), number, text[:2000].decode("utf-8", "replace")


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
