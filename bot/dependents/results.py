"""Calls whose result is another one now: those that took it before the change and cannot take it after it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from bot.ports import Tree
from bot.values import ChangedSymbol, Reference, ResultMisuse, Side, Symbol
from impact.language import language_of
from impact.results import Result, misuse, results


async def with_misuses(
    tree: Tree, symbols: Sequence[ChangedSymbol], references: Sequence[Reference]
) -> tuple[Reference, ...]:
    """The references; a certain call of a function that gives another result now bears what is wrong with it."""
    called = {row.symbol for row in references if row.call and row.is_certain}
    pairs = {
        f"{item.symbol.path}:{item.symbol.name}": (item.before, item.after)
        for item in symbols
        if f"{item.symbol.path}:{item.symbol.name}" in called
        and item.before is not None
        and item.after is not None
        and _may_differ(item.before, item.after)
    }
    told = await _results(tree, [symbol for pair in pairs.values() for symbol in pair])
    changed: dict[str, tuple[Result, Result]] = {}
    for key, (old, new) in pairs.items():
        before, after = told.get(old), told.get(new)
        if before is not None and after is not None and before != after:
            changed[key] = before, after
    rows = [row for row in references if row.symbol in changed and row.call and row.is_certain]
    texts = await tree.read_many(sorted({row.path for row in rows}))
    misused: dict[Reference, ResultMisuse] = {}
    for path, text in texts.items():
        mine, language = [row for row in rows if row.path == path], language_of(path)
        file = results(language, text, {row.line for row in mine}) if language is not None else None
        if language is None or file is None:
            continue
        for row in mine:
            before, after = changed[row.symbol]
            wrong = misuse(language, before, after, file.ways(row.name, row.line))
            if wrong is not None:
                misused[row] = ResultMisuse(wrong.says, wrong.happens, (before.line, after.line))
    return tuple(replace(row, misuse=misused.get(row)) for row in references)


def _may_differ(before: Symbol, after: Symbol) -> bool:
    """Whether two definitions can give different results: their bodies tell it, or their heads are different."""
    language = language_of(after.path)
    if before.signature is None or after.signature is None or language is None:
        return False
    return language.results.inferred or before.signature.text != after.signature.text


async def _results(tree: Tree, symbols: Sequence[Symbol]) -> dict[Symbol, Result | None]:
    """What each function returns; each file is looked at once."""
    by_file: dict[tuple[str, Side], list[Symbol]] = defaultdict(list)
    for symbol in symbols:
        by_file[symbol.path, symbol.side].append(symbol)
    by_symbol: dict[Symbol, Result | None] = {}
    for (path, side), mine in by_file.items():
        language, source = language_of(path), await tree.read(path, side)
        lines = {line for symbol in mine for line in (symbol.start, symbol.end)}
        file = results(language, source, lines) if language is not None and source is not None else None
        if file is not None:
            by_symbol |= {symbol: file.result(symbol.short, symbol.start, symbol.end) for symbol in mine}
    return by_symbol
