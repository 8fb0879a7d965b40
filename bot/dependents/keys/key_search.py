"""Keys that a change renames or removes and that other files still say: of data, settings, the environment, routes, columns, parts of templates.

No syntax ties the two ends together. They agree on a text, across languages: what a view calls `order_total`, a template reads. So
nothing is proven here: each line that still says a distinctive key which the change takes away is open until somebody has read it.

- **Renamed**: a line is edited in place, and another word stands where the key stood. The files that still say the old one are left behind,
  however many they are and even if others still write it: they agreed with this file.
- **Removed**: the key is set or declared on a line that goes, and nothing in the tree sets or declares it any more.

No line that the change adds takes a key off the list, unless it defines the same key again (`definitions`): a comment, a text, a value
and another reader define nothing.
"""

import re
from collections import defaultdict
from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from bot.dependents.budget import SearchLimits
from bot.dependents.byname import COMMON, suffix
from bot.dependents.keys.dotted_keys import dotted_keys
from bot.dependents.keys.forms import SCHEMA, SETS, form_in_tree, gives, is_key_like
from bot.dependents.keys.given_names import given_names
from bot.dependents.keys.key import Key, read_texts
from bot.dependents.keys.line_search import LineSearch, Row, added_lines
from bot.dependents.keys.naming_tables import NAMINGS
from bot.dependents.keys.removals import removed_keys
from bot.dependents.keys.route_methods import lost_methods
from bot.dependents.keys.routes import is_said, segments, shapes, with_slashes
from bot.dependents.keys.tied_keys import tied_keys
from bot.dependents.keys.words import (
    LONG_LINE,
    PLAIN,
    any_alone_pattern,
    as_written,
    header_of,
    is_distinctive,
    is_route,
)
from bot.machine.concurrency import together
from bot.ports import Tree
from bot.text.lines import code_of
from bot.values import ChangedFile, Dependents, Query, Reference, Side

_KeyRow = tuple[str, int, str, str]  # path, line, text, word
_FormRow = tuple[str, int, str, str]  # path, line, text, what the line does with the key
ROWS = 5_000
WORD = re.compile(r"\w+", re.ASCII)
CUT_LINE, LONGEST_LETTER = 2_000, 4  # bytes: of a line that a search hands back at most, and of a letter
TOGETHER = 4  # plain words, the lines of which one search may hand back
APART = 20  # plain words that are looked up one by one, where all of them together are everywhere
FILES = 60  # that say a key of several words: in more it is a word of its own
FEW = 6  # the same for a key of one word, and for one that is removed and not renamed
DECLARED = 8  # the same for one that settings or a schema lose


async def lost_keys(
    tree: Tree,
    files: Sequence[ChangedFile],
    suffixes: Collection[str],
    budget: SearchLimits,
    parts: Awaitable[Sequence[Dependents]],
) -> Dependents:
    """The lines that still say keys which the change takes away. `suffixes`: those of the languages that are parsed; `parts`: what each of these says."""
    texts = await read_texts(tree, files)
    search = LineSearch(tree, added_lines(files))
    keys = removed_keys(files, suffixes, budget.keys, texts, search.cut)
    of_tied = await tied_keys(search, files, suffixes, texts, parts) if budget.sites else []
    references = await _of_keys(search, keys, suffixes) if keys and budget.sites else []
    places_found = {(row.path, row.line, row.name) for row in references}
    references += [row for row in of_tied if (row.path, row.line, row.name) not in places_found]
    for rows in (
        await given_names(search, NAMINGS, files, texts) if budget.sites else [],
        await _of_paths(search, files) if budget.sites else [],
        await lost_methods(search, files, texts) if budget.sites else [],
        await dotted_keys(search, files, suffixes, texts) if budget.sites else [],
    ):
        lines_found = {(row.path, row.line) for row in references}
        references += [row for row in rows if (row.path, row.line) not in lines_found]
    return search.dependents(references)


async def _of_paths(search: LineSearch, files: Sequence[ChangedFile]) -> list[Reference]:
    """The lines that ask for a file which went by the name that its framework makes of its path."""
    if all(file.old_path in (None, file.path) and file.status != "deleted" for file in files):
        return []
    from bot.dependents.keys.view_names import view_names

    return await view_names(search, files)


async def _of_keys(search: LineSearch, keys: Sequence[Key], suffixes: Collection[str]) -> list[Reference]:
    """The unchanged lines that say one of the keys, and are likely to mean it."""
    words = {key.word: key for key in keys}
    known_names = await _known(search.tree, {name for key in keys for name in key.names}, suffixes)
    lines, is_whole = await _lines(search.tree, words, suffixes)
    references: list[Reference] = []
    for word, key in words.items():
        unchanged_rows = [row for row in lines[word] if search.is_old(row[0], row[1])]
        is_renamed = bool(key.names - known_names)
        if key.is_dropped:  # who declared the column, or dropped it before, does not read it
            unchanged_rows = [row for row in unchanged_rows if not (row[3] == SETS and SCHEMA.search(row[0]))]
        if key.is_dropped or SCHEMA.search(key.path):
            from bot.dependents.schemas.migrations import is_of_the_past  # here: few changes drop a column

            unchanged_rows = [row for row in unchanged_rows if not is_of_the_past(row[0])]
        if is_renamed and is_route(word) and len({row[0] for row in unchanged_rows}) > FILES:
            unchanged_rows = await _of_the_same(search.tree, key, unchanged_rows)
        if _left_behind(key, unchanged_rows, is_renamed=is_renamed):
            rows = [row[:3] for row in unchanged_rows]
            references += search.mentions(f"{key.path}:{word}", word, rows, f"say {word}", owner=key.path)
    if not is_whole:
        search.overflow(ROWS, "hold keys that the change takes away")
    return references


async def _lines(
    tree: Tree, keys: Mapping[str, Key], suffixes: Collection[str]
) -> tuple[dict[str, list[_FormRow]], bool]:
    """The lines of the head that say a key, by its word, with what they do; whether these are all of them."""
    found_rows = await _lines_with(tree, keys, "head")
    lines: dict[str, list[_FormRow]] = defaultdict(list)
    given = {word for path, _, text, word in found_rows.rows if keys[word].is_announced and gives(word, path, text)}
    for path, line, text, word in found_rows.rows:
        if word in given:
            continue
        what = form_in_tree(word, path, text, suffixes)
        if what and (not is_route(word) or is_said(word, keys[word].role, as_written(word, text))):
            lines[word].append((path, line, text, what))
    return lines, found_rows.is_whole


async def _known(tree: Tree, names: Collection[str], suffixes: Collection[str]) -> frozenset[str]:
    """Those of the words in the place of keys that were keys before the change. One of too many lines is no new word."""
    found_rows = await _lines_with(tree, names, "base")
    known_names = {
        name
        for path, _, text, name in found_rows.rows
        if form_in_tree(name, path, text, suffixes)
        and (len(name) >= PLAIN or suffix(path) in suffixes or is_key_like(name, code_of(text, path)))
    }
    return frozenset(known_names | found_rows.everywhere)


async def _of_the_same(tree: Tree, key: Key, rows: Sequence[_FormRow]) -> list[_FormRow]:
    """Where too many files say a route, those lines that say it behind a segment which its own file declares."""
    content = (await tree.read_many([key.path])).get(key.path, b"").decode("utf-8", "replace")
    own = {part for line in content.split("\n") for part in segments(with_slashes(code_of(line, key.path)))}
    before = re.compile(rf"/([A-Za-z][\w-]*)(?:/[{{$<][^/]*)?{re.escape(key.word)}(?![\w$])(?!-\w)")
    return [row for row in rows if not own.isdisjoint(before.findall(row[2]))]


def _left_behind(key: Key, rows: Sequence[_FormRow], *, is_renamed: bool) -> bool:
    """Whether the lines that still say a key are likely to mean what this file called so."""
    others = {path for path, _, _, _ in rows if path != key.path}
    if key.is_dropped:
        return 0 < len(others) <= FILES
    plain = not is_distinctive(key.word)
    is_common = plain or key.word in COMMON
    route = is_route(key.word)
    mine = [row for row in rows if row[0] == key.path and not (route and _is_another(key, row[2]))]
    if key.is_undefined:  # its file has lines that look as if they set it
        mine = []
    if not key.sets and not route and any(what == SETS for _, _, _, what in mine):
        return False  # a reader of it went, and the file gives it a value as before
    is_telling = key.sets or not mine or (not plain and not route)
    if is_renamed and is_telling and (key.sets or not plain or route):
        few = is_common and (key.role != "whole" or not route)
        return bool(rows) and len(others) <= (FEW if few else FILES)
    if any(what == SETS for _, _, _, what in mine):
        return False
    if key.in_settings:  # a line that still sets it sets what nobody reads, a line that reads it gets nothing
        return 0 < len(others) <= DECLARED
    alone = not any(what == SETS for _, _, _, what in rows)
    return key.sets and alone and (route or not plain) and 0 < len(others) <= FEW


def _is_another(key: Key, text: str) -> bool:
    """Whether a line of the key's own file says another route that has the same segment."""
    return key.role != "start" and key.shapes.isdisjoint(shapes(key.word, as_written(key.word, text)))


@dataclass(frozen=True, slots=True)
class _FoundRows:
    """The lines of a tree that hold some words."""

    rows: Sequence[_KeyRow]
    is_whole: bool = True  # whether these are all lines of the words that are not everywhere
    everywhere: frozenset[str] = frozenset()  # words whose lines are too many


async def _lines_with(tree: Tree, words: Collection[str], side: Side) -> _FoundRows:
    """The lines that hold one of the words. Plain words that are everywhere would hide the others: then each is looked up by itself."""
    rows, is_whole = await _rows(tree, words, side)
    if is_whole:
        return _FoundRows(rows)
    distinctive_words = [word for word in words if is_distinctive(word)]
    plain = sorted({*words} - {*distinctive_words}, key=lambda word: (-len(word), word))
    (rows, is_whole), parts = await together(
        _rows(tree, distinctive_words, side), _rows_of_each(tree, plain[:APART], side)
    )
    everywhere = {word for word in plain[:APART] if not parts[word][1]}
    more = chain.from_iterable(parts[word][0] for word in plain[:APART] if parts[word][1])
    return _FoundRows([*rows, *more], is_whole, frozenset(everywhere.union(plain[APART:])))


async def _rows(tree: Tree, words: Collection[str], side: Side) -> tuple[list[_KeyRow], bool]:
    """(path, line, text, word) of the lines that hold one of the words; whether these are all of them."""
    if not words:
        return [], True
    found_rows = await tree.grep_lines(Query([_any_pattern(words)], syntax="perl", side=side, limit=ROWS))
    return _with_words(found_rows, words), len(found_rows) < ROWS


async def _rows_of_each(tree: Tree, words: Sequence[str], side: Side) -> Mapping[str, tuple[list[_KeyRow], bool]]:
    """The same for each of the words by itself: names in one search of the tree, while there is room for the lines of them all."""
    names = [word for word in words if WORD.fullmatch(word) and not header_of(word)]
    limit = (
        min(len(names), TOGETHER) * ROWS
    )  # of more each is looked up by itself: so many lines at once take too much memory
    found_rows = (
        await tree.grep_lines(Query([_any_pattern(names)], syntax="perl", side=side, limit=limit)) if names else ()
    )
    rows_by_name: dict[str, list[Row]] = {name: [] for name in names if len(found_rows) < limit}
    look, cut_lines = re.compile(_any_pattern(names), re.ASCII), 0
    for row in found_rows if rows_by_name else ():
        names_found = {*look.findall(row[2])}
        for name in names_found:
            rows_by_name[name].append(row)
        cut_lines += len(row[2]) * LONGEST_LETTER >= CUT_LINE  # what it holds behind its cut, nobody sees
    by_word = {
        name: (_with_words(rows, [name]), len(rows) < ROWS)
        for name, rows in rows_by_name.items()
        if len(rows) >= ROWS or len(rows) + cut_lines < ROWS
    }
    others = [word for word in words if word not in by_word]
    return by_word | dict(zip(others, await together(*(_rows(tree, [word], side) for word in others)), strict=True))


def _any_pattern(words: Collection[str]) -> str:
    return any_alone_pattern(sorted(words, key=lambda word: (-len(word), word)))


def _with_words(found_rows: Sequence[Row], words: Collection[str]) -> list[_KeyRow]:
    """The lines, each with every one of the words that its code holds."""
    look = re.compile(_any_pattern(words))
    by_header = {header_of(word): word for word in words if header_of(word)}
    return [
        (path, line, text.rstrip("\r"), word)
        for path, line, text in found_rows
        for word in sorted(
            {
                _as_asked(word_found, words, by_header)
                for word_found in look.findall(with_slashes(code_of(text[:LONG_LINE], path)))
            }
        )
    ]


def _as_asked(word_found: str, words: Collection[str], by_header: Mapping[str, str]) -> str:
    """The key that was found, as it was asked for: a header as the change writes it, a route with its slash."""
    if word_found in words:
        return word_found
    return by_header.get(header_of(word_found)) or f"/{word_found}"
