"""Prove nothing about a removed name that the change itself uses in new code.

Authors don't write a name that they remove. If an added line uses it, something provides it there and perhaps for
other lines as well: a library, a macro, or an unrecognized form of definition. This does not apply to a name that
moved, and a definition of something else with the same name is not a use of it. Neither are new lines of a file that
imports the name from the file that had it, if that file does not contain the name anymore: the author forgot them.
A function's use on another object or module (`json.load`) says nothing about a use without it (`load`).
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from deeprepo.impact.changes import ChangedFile, ChangedSymbol, Reference
from deeprepo.impact.filetypes import family
from deeprepo.impact.ports import Tree
from deeprepo.impact.resolution import Unknown
from deeprepo.impact.resolving import outline
from deeprepo.impact.structs import replace
from deeprepo.impact.text.lines import file_lines, is_comment
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.steps import record
from deeprepo.impact.values import MODULE

NewUse = tuple[str, int, frozenset[str]]  # path and line, and the words before the dots ("" without one)
_OWNER = r"(?:(?<![\w$])([\w$]++)[ \t]*+(?:\?\.|\.|::|->)[ \t]*+)?"
_QUOTED = re.compile(r"\"[^\"\n]*+\"|(?<!\w)'[^'\n]*+'")


async def unless_reused(
    tree: Tree, files: Sequence[ChangedFile], symbols: Iterable[ChangedSymbol], references: Sequence[Reference]
) -> list[Reference]:
    """Return the references. Those whose missing name is in added code are only likely to be broken."""
    moved = {item.key for item in symbols if item.before and item.after and item.before.short == item.after.short}
    accusing = [
        row
        for row in references
        if row.missing
        and row.missing_part is None
        and row.symbol not in moved
        and not row.symbol.endswith(f":{MODULE}")
    ]
    if not accusing:
        return list(references)
    families = {family(row.path) for row in accusing}
    written: dict[str, list[NewUse]] = {row.name: [] for row in accusing}
    words = {name: re.compile(rf"{_OWNER}(?<![\w$]){re.escape(name.rstrip('()'))}(?![\w$])") for name in written}
    sources = await tree.read_many([file.path for file in files if file.added_lines and family(file.path) in families])
    added = {file.path: file.added_lines for file in files}
    for path, source in sources.items():
        for number, line in _code(path, source, added[path]):
            for name, word in words.items():
                uses = list(word.finditer(line))
                own = _defined(path, source).get(name, ()) if uses else (number,)
                if number not in own and added[path] >= {*own}:
                    written[name].append((path, number, frozenset(use[1] or "" for use in uses)))
    forgotten = await _forgotten_imports(tree, accusing, words)
    doubts = {row: place for row in accusing if (place := _first(row, written[row.name], forgotten)) is not None}
    doubtful_lines = {(row.path, row.line) for row in doubts}
    rows = []
    for row in references:
        if row in doubts:
            there, number, _ = doubts[row]
            why = Unknown(f"{there}:{number}, which the change adds, uses this name", is_by_line=False)
            record(row.use_place, "still provided", f"open, {why.reason}", unless_reused)
            rows.append(replace(row, target_state="likely", resolution=why))
        elif row.missing and (row.path, row.line) in doubtful_lines and row not in accusing:  # its file
            rows.append(replace(row, target_state="unknown"))
        else:
            rows.append(row)
    return rows


async def _forgotten_imports(
    tree: Tree, accusing: Sequence[Reference], words: Mapping[str, re.Pattern[str]]
) -> frozenset[tuple[str, str]]:
    """Return the files (with the symbols) that import a name from a file that does not contain it anymore."""
    imports = [row for row in accusing if row.form == "import" and row.is_bound]
    homes = await tree.read_many(list(dict.fromkeys(_home(row) for row in imports)))
    return frozenset(
        (row.path, row.symbol)
        for row in imports
        if not words[row.name].search(homes.get(_home(row), b"").decode("utf-8", "replace"))
    )


def _home(row: Reference) -> str:
    """Return the path of the file that had the name."""
    return row.symbol.rpartition(":")[0]


def _code(path: str, source: bytes, numbers: Iterable[int]) -> Iterator[tuple[int, str]]:
    """Yield the lines of these numbers without strings; no comments."""
    lines = file_lines(source)
    for number in numbers:
        if 0 < number <= len(lines) and not is_comment(lines[number - 1], path):
            yield number, _QUOTED.sub('""', lines[number - 1])


@lru_cache(maxsize=8)
def _defined(path: str, source: bytes) -> dict[str, frozenset[int]]:
    """Return the names that a file defines, with the lines of their definitions."""
    lines = defaultdict[str, set[int]](set)
    for symbol in outline(path, source, "head").definitions:
        lines[symbol.short].add(symbol.line)
    return {name: frozenset(some) for name, some in lines.items()}


def _first(row: Reference, places: Sequence[NewUse], forgotten: Collection[tuple[str, str]]) -> NewUse | None:
    """Return the first of the places in the reference's language. Tests provide nothing for other code."""
    is_function = row.name[:1].islower() and "." not in row.symbol.rpartition(":")[2]
    return next(
        (
            place
            for place in sorted(places, key=lambda place: place[:2])
            if family(place[0]) == family(row.path)
            and (place[0], row.symbol) not in forgotten
            and not (is_function and all(owner and owner not in row.text for owner in place[2]))
            and (not is_test(place[0]) or row.test or is_test(_home(row)))
        ),
        None,
    )
