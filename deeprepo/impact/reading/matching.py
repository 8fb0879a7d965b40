"""Run a language's queries on a file.

Queries used together are compiled into one, so that a tree is walked once.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from time import thread_time

from tree_sitter import Language as Grammar
from tree_sitter import Node, Query, QueryCursor

from deeprepo.impact.halves import Captures, Row, join
from deeprepo.impact.kept import Kept
from deeprepo.impact.language import Language
from deeprepo.impact.parsing import refuse
from deeprepo.impact.reading.unreadable import TOO_LONG, Unreadable

# Limits for unfinished matches of a query. A query that needs more loses matches, so its result is discarded
# and the next limit is tried. Only nested code, such as a chain of a thousand calls, needs more than the first:
# patterns that would wait in a row of siblings are written in halves (see `halves.py`).
UNFINISHED = (64, 256, 1_024, 4_096, 16_384)
SLOWER = 16  # the most by which a limit's attempt is slower than the previous one's: the square of their factor
# Seconds of computing that all queries on one file may take. py-tree-sitter 0.26 reads freed memory if a query
# has a `progress_callback`, so a query cannot be stopped. It is not started if it may exceed the limit.
QUERYING = 10.0
SPENT = 8_000_000  # bytes of code for which the seconds spent are remembered
DEFINED = ("defs", "imports", "open", "guards", "objects")  # queries that are run together
BOUND = ("bindings", "types", "receivers")  # likewise
NEAR = 300  # bytes; places that are closer together are read as one part
ByteRanges = tuple[tuple[int, int], ...]  # byte ranges
ALL_BYTES: ByteRanges = ((0, (1 << 32) - 1),)


class Rows(tuple[Captures, ...]):  # noqa: SLOT001 - what it keeps is computed once
    """The results of queries, by row or by capture."""

    @cached_property
    def _by_key(self) -> Mapping[str, list[Captures]]:
        rows: dict[str, list[Captures]] = defaultdict(list)
        for found in self:
            for key in found:
                rows[key].append(found)
        return rows

    def of(self, *keys: str) -> Iterator[tuple[Node, Captures]]:
        """Yield each node of these captures, with its row."""
        for key in keys:
            for found in self._by_key.get(key, ()):
                for node in found[key]:
                    yield node, found

    def has(self, key: str) -> bool:
        """Return whether a row has this capture."""
        return key in self._by_key

    def under(self, prefix: str) -> Iterator[tuple[str, Node, Captures]]:
        """Yield each node of the captures with a prefix, with the rest of the capture's name and the row."""
        for key in [one for one in self._by_key if one.startswith(prefix)]:
            for node, found in self.of(key):
                yield key.removeprefix(prefix), node, found


class Several:
    """The results of several queries combined."""

    def __init__(self, *queries: Rows) -> None:
        self._queries = queries

    def of(self, *keys: str) -> Iterator[tuple[Node, Captures]]:
        """Yield each node of these captures, with its row."""
        return ((node, found) for key in keys for rows in self._queries for node, found in rows.of(key))


@lru_cache(maxsize=12)
def matches(language: Language, names: tuple[str, ...], root: Node, parts: ByteRanges = ()) -> Mapping[str, Rows]:
    """Return the results of queries in a file or parts of it, by query.

    The latest results are cached. Raises `Unreadable`, now and on later calls, if a query takes too much time
    or memory.
    """
    found: dict[str, list[Captures]] = {name: [] for name in names}
    code = root.text or b""
    spent = _spent(language, code)
    for word in dict.fromkeys(word for name in names for word in language.texts(name)):
        query = language.query(names, word) if has(code, word) else None
        if query is None:
            continue
        rows = _run(query.query, root, parts or ALL_BYTES, spent)
        if rows is None:
            refuse(language.grammar, code)
            raise Unreadable(TOO_LONG)
        for pattern, captures in join(rows, query.halves, language.nodes.stacked):
            found[query.names[pattern]].append(captures)
    return {name: Rows(rows) for name, rows in found.items()}


def has(code: bytes, word: str) -> bool:
    """Return whether code contains a word or matches a `/pattern/`."""
    return re.search(word[1:-1].encode(), code) is not None if word[:1] == "/" else word.encode() in code


def matches_at(language: Language, name: str, root: Node, places: Sequence[tuple[int, int]]) -> Rows:
    """Return the results of a query at some places, given in order; in a long file this takes 1 % of the time."""
    return matches(language, (name,), root, joined(places))[name]


def joined(places: Iterable[tuple[int, int]]) -> ByteRanges:
    """Return the parts of a file that contain some places, given in order."""
    parts: list[tuple[int, int]] = []
    for start, end in places:
        if parts and start - parts[-1][1] <= NEAR:
            parts[-1] = parts[-1][0], max(end, parts[-1][1])
        else:
            parts.append((start, end))
    return tuple(parts)


_SPENT = Kept[tuple[Grammar, bytes], list[float]](SPENT)


def _spent(language: Language, code: bytes) -> list[float]:
    """Return the seconds of each attempt to query a file, to which further attempts are added."""
    key = language.grammar, code
    spent = _SPENT.get(key)
    if spent is None:
        spent = []
        _SPENT.put(key, spent, len(code))
    return spent


def _run(query: Query, root: Node, parts: ByteRanges, spent: list[float]) -> list[Row] | None:
    expected = 0.0
    for limit in UNFINISHED:
        if sum(spent) + expected > QUERYING:
            return None
        start = thread_time()
        cursor = QueryCursor(query, match_limit=limit)
        found: list[Row] = []
        is_whole = True
        for begin, end in parts:
            cursor.set_byte_range(begin, end)
            found += cursor.matches(root)
            is_whole = is_whole and not cursor.did_exceed_match_limit
        spent.append(thread_time() - start)
        if is_whole:
            return found
        expected = spent[-1] * SLOWER
    return None
