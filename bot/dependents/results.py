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
    called = {row.symbol for row in references if row.call and row.is_certain}
    changed: dict[str, tuple[Result, Result]] = {}
    for item in symbols:
        key = f"{item.symbol.path}:{item.symbol.name}"
        if (
            key in called
            and item.before is not None
            and item.after is not None
            and _may_differ(item.before, item.after)
        ):
            before, after = await _result(tree, item.before), await _result(tree, item.after)
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


async def _result(tree: Tree, symbol: Symbol) -> Result | None:
    language, source = language_of(symbol.path), await tree.read(symbol.path, symbol.side)
    file = (
        results(language, source, (symbol.start, symbol.end)) if language is not None and source is not None else None
    )
    return file.result(symbol.short, symbol.start, symbol.end) if file is not None else None
