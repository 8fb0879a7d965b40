"""Calls whose result is another one now: those that took it before the change and cannot take it after it."""

from collections.abc import Sequence
from dataclasses import replace

from bot.ports import Tree
from bot.values import ChangedSymbol, Reference, ResultMisuse, Symbol
from impact.language import language_of
from impact.results import Result, misuse, results


async def with_misuses(
    tree: Tree, symbols: Sequence[ChangedSymbol], references: Sequence[Reference]
) -> tuple[Reference, ...]:
    """The references; a certain call of a function that gives another result now bears what is wrong with it."""
    called = {row.symbol for row in references if row.call and (row.sure or row.unique)}
    changed: dict[str, tuple[Result, Result]] = {}
    for item in symbols:
        key = f"{item.symbol.path}:{item.symbol.name}"
        if key in called and item.before is not None and item.after is not None and item.change != "added":
            before, after = await _result(tree, item.before), await _result(tree, item.after)
            if before is not None and after is not None and before != after:
                changed[key] = before, after
    rows = [row for row in references if row.symbol in changed and row.call and (row.sure or row.unique)]
    texts = await tree.read_many(sorted({row.path for row in rows}))
    misused: dict[Reference, ResultMisuse] = {}
    for row in rows:
        language = language_of(row.path)
        file = results(language, texts[row.path]) if language is not None and row.path in texts else None
        if language is None or file is None:
            continue
        before, after = changed[row.symbol]
        wrong = misuse(language, before, after, file.ways(row.name, row.line))
        if wrong is not None:
            misused[row] = ResultMisuse(wrong.says, wrong.happens, (before.line, after.line))
    return tuple(replace(row, misuse=misused.get(row)) for row in references)


async def _result(tree: Tree, symbol: Symbol) -> Result | None:
    language, source = language_of(symbol.path), await tree.read(symbol.path, symbol.side)
    file = results(language, source) if language is not None and source is not None else None
    return file.result(symbol.short, symbol.start, symbol.end) if file is not None else None
