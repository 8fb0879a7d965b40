"""Run the search: changed symbols, the files that import them, and their references."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from deeprepo.impact.changes import MOVED, REPLACED, ChangedFile, ChangedSymbol, Dependents, Query, TreeEntry
from deeprepo.impact.concurrency import together
from deeprepo.impact.family import Family
from deeprepo.impact.language import rules_of
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import replace
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.uses import symbols
from deeprepo.impact.uses.attributes import attribute_targets
from deeprepo.impact.uses.budget import LISTED, SearchLimits, by_risk, is_minified
from deeprepo.impact.uses.importing import beside, importing
from deeprepo.impact.uses.indirect import Indirect, merge_prototypes
from deeprepo.impact.uses.lost import lost_modules
from deeprepo.impact.uses.overrides import subclasses
from deeprepo.impact.uses.scene import Scene
from deeprepo.impact.uses.search import ALL_LINES, Search, use_targets
from deeprepo.impact.uses.sides import Exports, Reach, both
from deeprepo.impact.uses.symbols import ChangedSource, contract
from deeprepo.impact.uses.texts import also_says
from deeprepo.impact.values import Definition


async def find(
    tree: Tree,
    files: Sequence[ChangedFile],
    languages: Mapping[str, Family],
    budget: SearchLimits = SearchLimits(),  # noqa: B008 - frozen
) -> Dependents:
    """Return what the change can break. `languages`: name -> language; a file's suffix selects the language."""
    cut: list[str] = []
    missed_uses: list[str] = []
    changed_files = _choose(files, languages, budget, cut)
    missed_uses += cut
    suffixes = [suffix for language in languages.values() for suffix in language.SUFFIXES]
    fresh = {file.path: _fresh(file) for file in files}
    by_language = await together(
        *(_of_language(tree, language, mine, fresh, budget, cut) for language, mine in changed_files)
    )
    found_symbols = [symbol for part in by_language for symbol in part.symbols]
    found = [reference for part in by_language for reference in part.references]
    in_texts = await also_says(tree, files, found_symbols, found, suffixes, budget)
    parts = (*by_language, in_texts)
    cut += [*in_texts.cut, *tree.stopped_searches]
    references = [*in_texts.references]
    if changed_files:
        from deeprepo.impact.uses.lacking import lacking_parts  # imported here because it loads the grammars

        lacking, not_looked = await lacking_parts(tree, files, found_symbols, references, fresh)
        references += lacking
        missed_uses += not_looked
    # only needed if the change removes something
    from deeprepo.impact.uses.name_check import with_resolutions

    references = await with_resolutions(tree, files, found_symbols, references)
    return Dependents(
        symbols=tuple(symbol for part in parts for symbol in part.symbols),
        files=tuple(dependent for part in parts for dependent in part.files),
        references=tuple(references),
        cut=tuple(dict.fromkeys(cut)),
        missed_uses=tuple(
            dict.fromkeys(
                [
                    *missed_uses,
                    *tree.stopped_searches,
                    *(sentence for part in parts for sentence in part.missed_uses),
                ]
            )
        ),
        subclasses=tuple(heir for part in parts for heir in part.subclasses),
    )


def _language(path: str, languages: Mapping[str, Family]) -> Family | None:
    suffix = posixpath.splitext(path)[1].lower()
    return next((language for language in languages.values() if suffix in language.SUFFIXES), None)


def _choose(
    files: Sequence[ChangedFile], languages: Mapping[str, Family], budget: SearchLimits, cut: list[str]
) -> list[tuple[Family, list[ChangedFile]]]:
    """Return the changed files with a language, riskiest first, up to the limit."""
    pairs = [
        (_language(file.path, languages), file) for file in files if file.is_analyzed or file.skip in (MOVED, REPLACED)
    ]
    order = {file.path: rank for rank, file in enumerate(by_risk(file for lang, file in pairs if lang is not None))}
    language_files = sorted(
        ((lang, file) for lang, file in pairs if lang is not None), key=lambda row: order[row[1].path]
    )
    if len(language_files) > budget.files:
        cut.append(
            f"dependents were searched for only {budget.files} of the {len(language_files)} changed source files"
        )
    mine: dict[str, tuple[Family, list[ChangedFile]]] = {}
    for language, file in language_files[: budget.files]:
        mine.setdefault(language.NAME, (language, []))[1].append(file)
    return list(mine.values())


async def _of_language(
    tree: Tree,
    language: Family,
    files: Sequence[ChangedFile],
    fresh: Mapping[str, Collection[int]],
    budget: SearchLimits,
    cut: list[str],
) -> Dependents:
    """Return the dependents of one language's changed files.

    `fresh` contains the lines that the whole change adds.
    """
    missed_uses: list[str] = []
    sources = await _sources(tree, language, files, budget, missed_uses)
    lacking = _lacking(language, await tree.entries())
    head, base = await both(tree, language)
    cut += [*missed_uses, *lacking, *head.unused[:LISTED]]
    exports = _tell(sources, head, base)
    own_symbols = symbols.with_moves(sources, {source.file.path: symbols.changed_symbols(source) for source in sources})
    indirect = Indirect(tree, language, head, exports, {source.file.path: source for source in sources})
    symbols_by_file = await indirect.find(own_symbols)
    sources = list(indirect.sources.values())
    missed_uses += indirect.cut
    merged_symbols, headers = await merge_prototypes(tree, exports, sources, symbols_by_file)
    weighed_symbols = _weigh(sources, merged_symbols, indirect)
    limited_symbols = await _exact(_limit(weighed_symbols, budget, cut, missed_uses), exports, head.tree)
    scene = Scene(sources, limited_symbols, head, base, exports, headers)
    dependents = await importing(scene)
    missed_uses += scene.missed_uses
    broken_imports = await lost_modules(head, base, scene.lost_imports)
    search = Search(scene, budget, fresh, broken_imports, cut)
    targets = await use_targets(scene)
    references = await search.run([*targets, *await attribute_targets(scene)])
    # imported here because grammars load with the first search
    from deeprepo.impact.uses.former_meaning import of_the_change

    references = await of_the_change(tree, scene, references)
    references = tuple(replace(row, symbol=indirect.promoted.get(row.symbol, row.symbol)) for row in references)
    unread = [f"{path}: {why}, so its references were not searched" for path, why in sorted(head.unread.items())]
    cut += unread
    missed_uses += search.missed_uses + ([*lacking, *unread] if search.has_contract else [])
    not_looked: list[str] = []
    below = await subclasses(scene, language, targets, budget, not_looked)
    cut += not_looked
    missed_uses += not_looked
    every = [item for items in scene.symbols.values() for item in items]
    return Dependents(
        tuple(item for item in every if f"{item.symbol.path}:{item.symbol.name}" not in indirect.promoted),
        (*dependents, *beside(scene, references)),
        (*broken_imports, *references),
        missed_uses=tuple(missed_uses),
        subclasses=below,
    )


def _fresh(file: ChangedFile) -> Collection[int]:
    """Return the lines that a change adds to a file: all, if its patch is unreadable."""
    unread = file.is_unreviewed and not file.hunks and file.status != "deleted"
    return ALL_LINES if unread else file.added_lines


def _lacking(language: Family, entries: Mapping[str, TreeEntry]) -> list[str]:
    """Return the sentence about files whose content the clone lacks."""
    oversized = [path for path, entry in entries.items() if entry.size < 0 and path.endswith(language.SUFFIXES)]
    if not oversized:
        return []
    paths_text = ", ".join(oversized[:LISTED]) + (", ..." if len(oversized) > LISTED else "")
    return [
        f"{len(oversized)} {language.rules.title or language.NAME} files were not searched, because the clone lacks their content: {paths_text}"
    ]


def _tell(sources: Iterable[ChangedSource], head: Reach, base: Reach) -> Exports:
    """Register the changed files on both sides.

    The head also gets their former content, to find remaining users.
    """
    exports = Exports({"head": head, "base": base})
    for source in sources:
        if source.before:
            base.project.learn(source.file.old_path or source.file.path, source.before)
            exports.know("base", source.file.old_path or source.file.path, source.old)
        if source.before and source.file.old_path == source.file.path:
            head.project.learn(source.file.path, source.before)
        if source.after:
            head.project.learn(source.file.path, source.after)
            exports.know("head", source.file.path, source.new)
        if source.before and source.after and head.is_same(source.old, source.new):
            exports.went(source.file.old_path or source.file.path, source.file.path)
    return exports


async def _exact(
    symbols_by_file: Mapping[str, Sequence[ChangedSymbol]], exports: Exports, tree: Tree
) -> dict[str, tuple[ChangedSymbol, ...]]:
    """Return the symbols. A signature that may not be the one in use is marked as opaque.

    That is so if another file that may be built instead defines the name differently, or redefines it.
    """
    redefined = await _redefined(symbols_by_file, tree)
    alike: dict[object, set[str]] = defaultdict(set)
    for items in symbols_by_file.values():
        for item in items:
            alike[_takes(item)].add(item.symbol.path)
    exact: dict[str, tuple[ChangedSymbol, ...]] = {}
    for path, items in symbols_by_file.items():
        doubtful = [
            item.change == "signature"
            and (
                (item.symbol.path, item.symbol.short) in redefined
                or await exports.elsewhere(item.symbol.path, item.symbol.name, but=alike[_takes(item)])
            )
            for item in items
        ]
        exact[path] = tuple(
            replace(item, before=_opaque(item.before), after=_opaque(item.after)) if is_doubtful else item
            for item, is_doubtful in zip(items, doubtful, strict=True)
        )
    return exact


async def _redefined(symbols_by_file: Mapping[str, Sequence[ChangedSymbol]], tree: Tree) -> Collection[tuple[str, str]]:
    """Return the paths and names of changed signatures for which another file has a line that redefines the name."""
    found = set[tuple[str, str]]()
    for path, items in symbols_by_file.items():
        pattern = rules_of(path).redefines
        names = {item.symbol.short for item in items if pattern and item.change == "signature"}
        any_name = pattern.replace("NAME", f"(?:{'|'.join(map(re.escape, sorted(names)))})")
        rows = await tree.grep_lines(Query([any_name], syntax="perl")) if names else ()
        found |= {
            (path, name)
            for other, _, line in rows
            for name in names.intersection(re.findall(r"\w+", line))
            if other != path and re.search(pattern.replace("NAME", re.escape(name)), line)
        }
    return found


def _takes(item: ChangedSymbol) -> object:
    """Return a key of a definition's name and its parameters on both sides."""
    return (item.symbol.name, *(side and side.signature and side.signature.forms for side in (item.before, item.after)))


def _opaque(one: Definition | None) -> Definition | None:
    if one is None or one.signature is None:
        return one
    return replace(one, signature=replace(one.signature, opaque=True))


async def _sources(
    tree: Tree, language: Family, files: Sequence[ChangedFile], budget: SearchLimits, cut: list[str]
) -> list[ChangedSource]:
    before = await tree.read_many([file.old_path for file in files if file.old_path], "base")
    after = await tree.read_many([file.path for file in files if file.status != "deleted"])
    changed_sources = []
    for file in files:
        old = before.get(file.old_path) if file.old_path else None
        new = after.get(file.path) if file.status != "deleted" else None
        if any(len(source) > budget.bytes or is_minified(source) for source in (old, new) if source is not None):
            cut.append(f"{file.path} is too large or minified, so its definitions were not compared")
        elif old is not None or new is not None:
            changed_sources.append(read := symbols.read(file, language, old, new))
            if why := read.new.unread or read.old.unread:
                cut.append(f"{file.path}: {why}: its definitions were not compared")
        else:
            cut.append(file.unread)
    return changed_sources


def _weigh(
    sources: Sequence[ChangedSource], symbols_by_file: Mapping[str, tuple[ChangedSymbol, ...]], indirect: Indirect
) -> dict[str, tuple[ChangedSymbol, ...]]:
    """Return the changed definitions with their contract changes.

    Adding a required constructor counts as a change of parameters.
    """
    lines: dict[tuple[str, str], tuple[str, ...]] = {}
    for source in sources:
        lines["base", source.file.old_path or source.file.path] = file_lines(source.before)
        lines["head", source.file.path] = file_lines(source.after)

    def text_of(symbol: Definition | None) -> str:
        one = indirect.originals.get(symbol, symbol) if symbol is not None else None
        return "\n".join(lines.get((one.side, one.path), [])[one.start - 1 : one.end]) if one is not None else ""

    def weighed(item: ChangedSymbol) -> ChangedSymbol:
        is_implied = item.before in indirect.implied_constructors
        changes = ("parameters",) if is_implied else contract(item, text_of(item.before), text_of(item.after))
        return replace(item, contract=changes)

    return {path: tuple(map(weighed, items)) for path, items in symbols_by_file.items()}


def _limit(
    symbols_by_file: Mapping[str, tuple[ChangedSymbol, ...]],
    budget: SearchLimits,
    cut: list[str],
    missed_uses: list[str],
) -> dict[str, tuple[ChangedSymbol, ...]]:
    """Limit the symbols of a file, keeping those that are most likely to break callers."""
    order = {"removed": 0, "renamed": 0, "signature": 1, "body": 2, "added": 3}

    def weight(item: ChangedSymbol) -> tuple[bool, int]:
        return not item.contract, order[item.change]

    limited_symbols = {}
    for path, items in symbols_by_file.items():
        if len(items) > budget.symbols:
            cut.append(f"{path}: {budget.symbols} of its {len(items)} changed definitions were searched for")
        sorted_items = sorted(items, key=weight)
        limited_symbols[path] = tuple(sorted_items[: budget.symbols])
        if any(item.contract for item in sorted_items[budget.symbols :]):
            missed_uses.append(cut[-1])
    return limited_symbols
