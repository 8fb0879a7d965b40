"""The lines of a tree that hold keys."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from bot.dependents.keys.routes import with_slashes
from bot.dependents.keys.words import LONG_LINE, alone_pattern, header_of, is_distinctive
from bot.machine.concurrency import together
from bot.ports import Tree
from bot.text.lines import code_of
from bot.values import Query, Side

KeyRow = tuple[str, int, str, str]  # path, line, text, word
ROWS = 5_000
APART = 20  # plain words that are looked up one by one, where all of them together are everywhere


@dataclass(frozen=True, slots=True)
class FoundRows:
    """The lines of a tree that hold some words."""

    rows: Sequence[KeyRow]
    is_whole: bool = True  # whether these are all lines of the words that are not everywhere
    everywhere: frozenset[str] = frozenset()  # words whose lines are too many


async def lines_with(tree: Tree, words: Collection[str], side: Side) -> FoundRows:
    """The lines that hold one of the words. Plain words that are everywhere would hide the others: then each is looked up by itself."""
    rows, is_whole = await _rows(tree, words, side)
    if is_whole:
        return FoundRows(rows)
    distinctive_words = [word for word in words if is_distinctive(word)]
    plain = sorted({*words} - {*distinctive_words}, key=lambda word: (-len(word), word))
    (rows, is_whole), *parts = await together(
        _rows(tree, distinctive_words, side), *(_rows(tree, [word], side) for word in plain[:APART])
    )
    everywhere = {word for word, (_, is_all) in zip(plain, parts, strict=False) if not is_all}
    more = chain.from_iterable(mine for mine, is_all in parts if is_all)
    return FoundRows([*rows, *more], is_whole, frozenset(everywhere.union(plain[APART:])))


async def _rows(tree: Tree, words: Collection[str], side: Side) -> tuple[list[KeyRow], bool]:
    """(path, line, text, word) of the lines that hold one of the words; whether these are all of them."""
    if not words:
        return [], True
    either = "|".join(alone_pattern(word) for word in sorted(words, key=lambda word: (-len(word), word)))
    pattern = rf"(?:{either})"
    look = re.compile(pattern)
    by_header = {header_of(word): word for word in words if header_of(word)}
    found_rows = await tree.grep_lines(Query([pattern], syntax="perl", side=side, limit=ROWS))
    rows = [
        (path, line, text.rstrip("\r"), word)
        for path, line, text in found_rows
        for word in sorted(
            {
                _bare(word_found, words, by_header)
                for word_found in look.findall(with_slashes(code_of(text[:LONG_LINE], path)))
            }
        )
    ]
    return rows, len(found_rows) < ROWS


def _bare(word_found: str, words: Collection[str], by_header: Mapping[str, str]) -> str:
    """The key that was found, as it was asked for: a header as the change writes it, a route with its slash."""
    if word_found in words:
        return word_found
    return by_header.get(header_of(word_found)) or f"/{word_found}"
