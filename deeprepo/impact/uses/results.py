"""Find uses of a function or dictionary that no longer work with its new result."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from deeprepo.impact.changes import ChangedSymbol, Query, Reference, ResultMisuse
from deeprepo.impact.language import language_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.results import Misuse, Result, Way, misuse, results, results_of, ways_of
from deeprepo.impact.structs import replace
from deeprepo.impact.text.lines import file_lines, says
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.sides import Exports
from deeprepo.impact.values import Definition, Side

VARIABLE = "variable"
# Code that assigns a constant from outside its file.
OTHER_VALUE = r"\.NAME\s*(?::[^=]{1,80})?=(?!=)|(?:attr|patch|dict)\w{0,20}\(.{0,200}[\"'](?:[\w.]+\.)?NAME[\"']"


async def with_misuses(
    tree: Tree, symbols: Sequence[ChangedSymbol], references: Sequence[Reference]
) -> tuple[Reference, ...]:
    """Return the references, with what is wrong for certain uses of a changed result or dictionary."""
    used = {row.symbol for row in references if row.is_certain and row.form != "import"}
    pairs = {
        f"{item.symbol.path}:{item.symbol.name}": (item.before, item.after)
        for item in symbols
        if f"{item.symbol.path}:{item.symbol.name}" in used
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
    misused: dict[Reference, Reference] = {}
    for path, text in texts.items():
        mine, language = [row for row in rows if row.path == path], language_of(path)
        calls = tuple(sorted({(row.name, row.line) for row in mine}))
        told_ways = ways_of(language, text, calls) if language is not None else None
        if language is None or told_ways is None:
            continue
        ways = dict(zip(calls, told_ways, strict=True))
        for row in mine:
            before, after = changed[row.symbol]
            wrong = misuse(language, before, after, ways[row.name, row.line])
            if wrong is not None:
                misused[row] = _with(row, wrong, before, after, file_lines(text))
    replaced = await _replaced(tree, {pairs[row.symbol][1] for row in misused})
    misused = {
        row: told for row, told in misused.items() if replaced.isdisjoint(((row.symbol, ""), (row.symbol, row.path)))
    }
    constants = {key: changed[key] for key, (_, new) in pairs.items() if key in changed and new.kind == VARIABLE}
    misused |= await _of_constants(tree, constants, references)
    return tuple(misused.get(row, row) for row in references)


def _with(row: Reference, wrong: Misuse, before: Result, after: Result, lines: Sequence[str]) -> Reference:
    """Return the reference with what is wrong, at the line where it fails."""
    is_other = before.kind != after.kind and before.awaits == after.awaits
    told = ResultMisuse(wrong.says, wrong.happens, (wrong.line or before.line, after.line), wrong.rule)
    language = language_of(row.path)
    given = {"nothing": language.results.nothing_is if language is not None else "", "tuple": "a tuple"}
    if is_other and after.kind in given:
        told = replace(told, gives=given[after.kind])
    line = max(wrong.at, row.line)
    return replace(row, line=line, text=lines[line - 1].rstrip("\r"), misuse=told)


async def _of_constants(
    tree: Tree, constants: Mapping[str, tuple[Result, Result]], references: Sequence[Reference]
) -> dict[Reference, Reference]:
    """Return the reads of removed keys of dictionaries, unless some code may add keys."""
    misused: dict[Reference, Reference] = {}
    for key, (before, after) in constants.items():
        home, _, name = key.rpartition(":")
        rows = [row for row in references if row.symbol == key and row.is_certain and row.form != "import"]
        names = {(home, name), *((row.path, row.name) for row in rows)}
        language, has_lost = language_of(home), bool(before.keys.keys() - after.keys)
        texts = await tree.read_many(sorted({path for path, _ in names})) if has_lost else {}
        ways = {one: _reads(texts.get(one[0], b""), *one) for one in sorted(names)} if has_lost else {}
        found: dict[Reference, Reference] = {}
        for row in rows if language is not None and None not in ways.values() else ():
            mine = [
                way for way in ways.get((row.path, row.name)) or () if way.line == row.line or way.form == "searched"
            ]
            wrong = misuse(language, before, after, mine) if language is not None else None
            if wrong is not None:
                found[row] = _with(row, wrong, before, after, file_lines(texts[row.path]))
        given = Query([OTHER_VALUE.replace("NAME", name)], syntax="perl", limit=1)
        if found and not await tree.grep_lines(given):
            misused |= found
    return misused


def _reads(source: bytes, path: str, name: str) -> tuple[Way, ...] | None:
    """Return how a file reads a name; None if it may change the value or that is unknown."""
    language = language_of(path)
    lines = {number for number, line in enumerate(source.split(b"\n"), 1) if name.encode() in line}
    file = results(language, source, lines) if language is not None else None
    return file.reads(name) if file is not None else None


async def class_of_result(
    tree: Tree, exports: Exports, path: str, called: str, known: dict[Definition, Result | None]
) -> str:
    """Return the class of a called function's results, as PATH:NAME; "" if unknown.

    `known`: a cache of results.
    """
    function = await _meaning(exports, path, called)
    if function is None or function.called is None:
        return ""
    if function not in known:
        known |= await _results(tree, [function])
    result = known.setdefault(function, None)
    of = await _meaning(exports, function.path, result.made) if result is not None and not result.awaits else None
    return f"{of.path}:{of.name}" if of is not None and of.kind == "class" else ""


async def _meaning(exports: Exports, path: str, written: str) -> Definition | None:
    """Return the definition that a name refers to, if it is unique in its file: also a member written with its class."""
    found = await exports.named(path, written) if written else None
    owner, _, member = written.replace("::", ".").rpartition(".")
    of = await exports.named(path, owner) if found is None and owner else None
    holder = found or of
    outline = await exports.outline("head", holder.path) if holder is not None else None
    name = found.name if found is not None else f"{of.name}.{member}" if of is not None else ""
    rows = [one for one in outline.definitions if one.name == name] if outline is not None else []
    return rows[0] if len(rows) == 1 else None


async def _replaced(tree: Tree, symbols: Iterable[Definition]) -> set[tuple[str, str]]:
    """Return functions that other code may replace, as pairs of a key and a file.

    The file is the one whose calls are affected, or "" for all. A function is replaced by an override, a
    second definition, an assignment, or a quoted name in a test, as mocks use it.
    """
    replaced = set[tuple[str, str]]()
    for one in symbols:
        language = language_of(one.path)
        if language is None or not (ways := language.results.replaced):
            continue
        pattern = "|".join(ways.values()).replace("NAME", re.escape(one.short))
        files = [f"*{suffix}" for suffix in language.files.suffixes]
        owner = one.name.rpartition(".")[0].rpartition(".")[2]
        heirs = await tree.grep(Query([owner], files, word=True)) if owner else ()
        for path, line, text in await tree.grep_lines(Query([pattern], files, "perl")):
            is_here, tests = path == one.path, is_test(path)
            is_asked = {"assigned": True, "defined": is_here or path in heirs, "bound": is_here, "quoted": tests}
            forms = [ways[key] for key, holds in is_asked.items() if holds]
            is_its_own = is_here and one.start <= line <= one.end
            if not is_its_own and any(says(form, one.short, text) for form in forms):
                replaced.add((f"{one.path}:{one.name}", path if tests else ""))
    return replaced


def _may_differ(before: Definition, after: Definition) -> bool:
    """Return whether two definitions can have different results: their results are inferred, or their heads differ."""
    language = language_of(after.path)
    if language is not None and before.kind == after.kind == VARIABLE:
        return language.results.inferred and "." not in after.name
    if not before.called or not after.called or language is None:
        return False
    return language.results.inferred or (language.results.counted and before.head != after.head)


async def _results(tree: Tree, symbols: Sequence[Definition]) -> dict[Definition, Result | None]:
    """Return the result of each definition, reading each file once."""
    by_file: dict[tuple[str, Side], list[Definition]] = defaultdict(list)
    for symbol in symbols:
        by_file[symbol.path, symbol.side].append(symbol)
    by_symbol: dict[Definition, Result | None] = {}
    for (path, side), mine in by_file.items():
        language, source = language_of(path), await tree.read(path, side)
        spans = {symbol: (symbol.short, symbol.start, symbol.end) for symbol in mine}
        wanted = tuple(sorted({*spans.values()}))
        told = results_of(language, source, wanted) if language is not None and source is not None else None
        if told is not None:
            results_by_span = dict(zip(wanted, told, strict=True))
            by_symbol |= {symbol: results_by_span[span] for symbol, span in spans.items()}
    return by_symbol
