"""What handles every variant of a type, one by one: a new variant leaves it without a branch for that one.

Only a place that names all variants that were there, has no branch for the rest and does not name the new one is reported.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from bot.dependents.importing import Scene
from bot.dependents.propose import globs
from bot.ports import Decisions, Language
from bot.text.lines import file_lines
from bot.text.paths import is_test
from bot.values import ChangedSymbol, Dependents, Outline, Query, Reference

CLOSED = re.compile(r"\b(?:enum|sealed)\b|\(\s*+(?:enum\.)?\w*Enum\s*+\)")  # a type whose variants are all in one file
HEAD = 4  # lines in which a type says what it is
LONGEST = 20_000  # characters of what handles variants
MOST = 200  # files that are read for one type


async def without_a_branch(scene: Scene, language: Language) -> Dependents:
    """The places that handle all variants of a type but those that the change adds to it."""
    decisions = language.TRAITS.decisions
    if decisions is None:
        return Dependents(())
    symbols: list[ChangedSymbol] = []
    references: list[Reference] = []
    for source in scene.sources:
        before, after = _variants(source.old), _variants(source.new)
        lines = file_lines(source.after)
        for owner in () if is_test(source.file.path) else sorted(before.keys() & after.keys()):
            symbol = next((one for one in source.new.symbols if one.name.rpartition(".")[2] == owner), None)
            new_variants = after[owner] - before[owner]
            is_grown = new_variants and len(before[owner]) > 1 and before[owner] < after[owner]
            if symbol is None or not is_grown or not CLOSED.search("\n".join(lines[symbol.start - 1 :][:HEAD])):
                continue
            rows = await _of_type(scene, language, decisions, owner, before[owner], new_variants)
            key = f"{symbol.path}:{symbol.name}"
            references += [
                Reference(key, owner, path, line, text, "", None, sure=True, test=is_test(path))
                for path, line, text in rows
            ]
            symbols += [ChangedSymbol(symbol, symbol, "signature", ("definition",))] if rows else []
    return Dependents(tuple(symbols), references=tuple(references))


def _variants(outline: Outline) -> Mapping[str, frozenset[str]]:
    """The name of a type -> the names of its variants: its constants, the classes in it or in its file that extend it."""
    names: defaultdict[str, set[str]] = defaultdict(set)
    bases = dict(outline.bases)
    for one in outline.symbols:
        owner, _, short = one.name.rpartition(".")
        if one.kind == "variable":
            names[owner.rpartition(".")[2]].add(short)
        if one.kind in ("variable", "class"):
            for base in bases.get(short, ()):
                names[base].add(short)
    return {owner: frozenset(shorts) for owner, shorts in names.items() if owner}


async def _of_type(
    scene: Scene,
    language: Language,
    decisions: Decisions,
    owner: str,
    before: frozenset[str],
    added_names: frozenset[str],
) -> list[tuple[str, int, str]]:
    """The place, the line and its text of each block that names all of these variants, none of the new ones and no rest."""
    tree = scene.head.tree
    paths = await tree.grep(Query([max(before, key=len)], globs=globs(language), word=True))
    rows: list[tuple[str, int, str]] = []
    for path, source in (await tree.read_many(sorted(paths)[:MOST])).items():
        code = source.decode("utf-8", "replace")
        if not re.search(rf"\b{re.escape(owner)}\b", code):
            continue
        lines = file_lines(source)
        for start, block in _blocks(code, decisions.opens):
            words = set(re.findall(r"\w+", block))
            if before <= words and not added_names & words and not decisions.rest.search(block):
                line = code.count("\n", 0, start) + 1
                rows.append((path, line, lines[line - 1]))
    return rows


def _blocks(code: str, opens: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The blocks in braces that a decision opens, each with its place."""
    starts: list[int] = []
    for match in re.finditer(r"[{}]", code):
        if match[0] == "{":
            starts.append(match.start())
        elif starts:
            start = starts.pop()
            if match.start() - start <= LONGEST and opens.search(code, max(0, start - 300), start):
                yield start, code[start : match.start()]
