"""Run the search: changed symbols, the files that import them, and their references."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from deeprepo.impact.changes import MOVED, REPLACED, ChangedFile, ChangedSymbol, Dependents, TreeEntry
from deeprepo.impact.concurrency import together
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.language import Language, leading
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import replace
from deeprepo.impact.uses.breaks import means_another
from deeprepo.impact.uses.budget import LISTED, Gaps, SearchLimits, by_risk, is_minified, listed
from deeprepo.impact.uses.exports import Exports
from deeprepo.impact.uses.importing import Scene, beside, importing
from deeprepo.impact.uses.lost import lost_modules
from deeprepo.impact.uses.overrides import overrides_of
from deeprepo.impact.uses.prototypes import DECLARATION, HeadersByDefinition, merge_prototypes
from deeprepo.impact.uses.reach import Reach, both
from deeprepo.impact.uses.reexports import add_reexports
from deeprepo.impact.uses.search import ALL_LINES, Search
from deeprepo.impact.uses.steps import TRACE, kept_by
from deeprepo.impact.uses.symbols import ChangedSource, changed_contract, changed_symbols, read, with_moves
from deeprepo.impact.uses.targets import use_targets
from deeprepo.impact.values import Definition


async def find(
    tree: Tree,
    files: Sequence[ChangedFile],
    budget: SearchLimits = SearchLimits(),  # noqa: B008 - frozen
) -> Dependents:
    """Return what the change can break."""
    gaps = Gaps()
    added_lines = {file.path: _added_lines(file) for file in files}
    changed_files = by_language(files, budget, gaps)
    parts = await together(*(_of_language(tree, one, mine, added_lines, budget) for one, mine in changed_files))
    references = tuple(reference for part in parts for reference in part.references)
    by_key = {item.key: item for part in parts for item in part.symbols}
    if any(row.is_lost or row.likely for row in references):
        # imported here because few changes leave a reference to a removed name behind
        from deeprepo.impact.uses.closed_world import with_resolutions

        references = await with_resolutions(tree, files, by_key, references)
    gaps.add(*tree.stopped_searches, *(sentence for part in parts for sentence in part.missed_uses))
    gaps.add(*(sentence for part in parts for sentence in part.cut), hides_uses=False)
    return Dependents(
        symbols=tuple(symbol for part in parts for symbol in part.symbols),
        files=tuple(dependent for part in parts for dependent in part.files),
        references=references,
        cut=tuple(gaps.all),
        missed_uses=tuple(gaps.hiding_uses),
        subclasses=tuple(one for part in parts for one in part.subclasses),
    )


def by_language(
    files: Sequence[ChangedFile], budget: SearchLimits, gaps: Gaps
) -> list[tuple[Language, list[ChangedFile]]]:
    """Return the changed files of each language, riskiest first, up to the limit."""
    rows = [one for one in by_risk(files) if one.is_analyzed or one.skip in (MOVED, REPLACED)]
    searched = [row for row in rows if filetype(row.path).is_parsed]
    unparsed: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row not in searched and (extra := filetype(row.path).extra):
            unparsed[extra].append(row.path)
    for extra, paths in unparsed.items():
        kinds = listed(sorted({PurePosixPath(path).suffix for path in paths}))
        gaps.add(f"{kinds} files are not parsed, so references to changes in {listed(paths)} were not searched")
        gaps.add(f"to parse {kinds} files, {budget.install(extra)}", hides_uses=False)
    if len(searched) > budget.files:
        gaps.add(f"dependents were searched for only {budget.files} of the {len(searched)} changed source files")
    mine: dict[str, list[ChangedFile]] = defaultdict(list)
    for file in searched[: budget.files]:
        mine[filetype(file.path).folder].append(file)
    return [(leading(folder), files) for folder, files in mine.items()]


async def _of_language(
    tree: Tree,
    language: Language,
    files: Sequence[ChangedFile],
    added_lines: Mapping[str, Collection[int]],
    budget: SearchLimits,
) -> Dependents:
    """Return the dependents of one language's changed files. `added_lines`: those of the whole change."""
    gaps = Gaps()
    sources = await _sources(tree, language, files, budget, gaps)
    head, base = await both(tree, language)
    exports = _register(sources, head, base)
    symbols, headers = await _with_contracts(tree, exports, sources, budget, gaps)
    scene = Scene(sources, symbols, head, base, exports, budget, gaps, headers)
    importers = await importing(scene)
    await add_reexports(scene, importers)
    broken_imports = await lost_modules(head, base, importers.lost)
    targets = await use_targets(scene, importers)
    references = await Search(scene, importers, targets, added_lines, broken_imports).run()
    signatures = {item.key: item.before.signature for item in scene.every_symbol if item.before is not None}
    references = kept_by(
        means_another,
        references,
        (row for row in references if row.is_bound or not means_another(signatures.get(row.symbol), row)),
    )
    overrides = await overrides_of(scene, importers, targets)
    unread = [f"{path}: {why}, so its references were not searched" for path, why in sorted(head.unread.items())]
    gaps.add(*head.unused[:LISTED], hides_uses=False)
    gaps.add(
        *_without_content(language, await tree.entries()),
        *unread,
        hides_uses=any(target.contract for target in targets),
    )
    return Dependents(
        tuple(scene.every_symbol),
        (*importers.files, *beside(scene, references)),
        (*broken_imports, *references),
        tuple(gaps.all),
        tuple(gaps.hiding_uses),
        overrides,
    )


def _added_lines(file: ChangedFile) -> Collection[int]:
    """Return the lines that a change adds to a file: all, if its patch is unreadable."""
    unread = file.is_unreviewed and not file.hunks and file.status != "deleted"
    return ALL_LINES if unread else file.added_lines


def _without_content(language: Language, entries: Mapping[str, TreeEntry]) -> list[str]:
    """Return the sentence about files whose content the clone lacks."""
    oversized = [path for path, entry in entries.items() if entry.size < 0 and path.endswith(language.suffixes)]
    if not oversized:
        return []
    files = f"{language.title or language.folder} {'file was' if len(oversized) == 1 else 'files were'}"
    return [f"{len(oversized)} {files} not searched, because the clone lacks their content: {listed(oversized)}"]


def _register(sources: Iterable[ChangedSource], head: Reach, base: Reach) -> Exports:
    """Register the changed files on both sides.

    The head also gets their former content, to find remaining users.
    """
    exports = Exports({"head": head, "base": base})
    for source in sources:
        if source.before:
            base.project.register(source.file.old_path or source.file.path, source.before)
            exports.know("base", source.file.old_path or source.file.path, source.old)
        if source.before and source.file.old_path == source.file.path:
            head.project.register(source.file.path, source.before)
        if source.after:
            head.project.register(source.file.path, source.after)
            exports.know("head", source.file.path, source.new)
        if source.before and source.after and head.is_same(source.old, source.new):
            exports.moved(source.file.old_path or source.file.path, source.file.path)
    return exports


async def _with_contracts(
    tree: Tree, exports: Exports, sources: Sequence[ChangedSource], budget: SearchLimits, gaps: Gaps
) -> tuple[dict[str, tuple[ChangedSymbol, ...]], HeadersByDefinition]:
    """Return the changed definitions of each file, with the changes of their contracts, and who declares them."""
    found = with_moves(sources, {source.file.path: changed_symbols(source) for source in sources})
    merged, headers = await merge_prototypes(tree, exports, sources, found)
    by_path = {("base", source.file.old_path or source.file.path): source for source in sources}
    by_path |= {("head", source.file.path): source for source in sources}

    def text_of(symbol: Definition | None) -> str:
        source = by_path.get((symbol.side, symbol.path)) if symbol is not None else None
        return source.lines(symbol) if symbol is not None and source is not None else ""

    def weighed(item: ChangedSymbol) -> ChangedSymbol:
        return replace(item, contract=changed_contract(item, text_of(item.before), text_of(item.after)))

    limited = _limit({path: [*map(weighed, items)] for path, items in merged.items()}, budget, gaps)
    return await with_doubts(limited, exports), headers


async def _sources(
    tree: Tree, language: Language, files: Sequence[ChangedFile], budget: SearchLimits, gaps: Gaps
) -> list[ChangedSource]:
    before = await tree.read_many([file.old_path for file in files if file.old_path], "base")
    after = await tree.read_many([file.path for file in files if file.status != "deleted"])
    changed_sources = []
    for file in files:
        old = before.get(file.old_path) if file.old_path else None
        new = after.get(file.path) if file.status != "deleted" else None
        if any(len(source) > budget.bytes or is_minified(source) for source in (old, new) if source is not None):
            gaps.add(f"{file.path} is too large or minified, so its definitions were not compared")
        elif old is not None or new is not None:
            changed_sources.append(one := read(file, language, old, new))
            if why := one.new.unread or one.old.unread:
                gaps.add(f"{file.path}: {why}: its definitions were not compared")
        else:
            gaps.add(file.unread)
    return changed_sources


def _limit(
    symbols_by_file: Mapping[str, Sequence[ChangedSymbol]], budget: SearchLimits, gaps: Gaps
) -> dict[str, tuple[ChangedSymbol, ...]]:
    """Limit the symbols of a file, keeping those that are most likely to break callers."""
    order = {"removed": 0, "renamed": 0, "signature": 1, "body": 2, "added": 3}

    def weight(item: ChangedSymbol) -> tuple[bool, int]:
        return not item.contract, order[item.change]

    limited_symbols = {}
    for path, items in symbols_by_file.items():
        ordered = sorted(items, key=weight)
        limited_symbols[path] = tuple(ordered[: budget.symbols])
        if left := ordered[budget.symbols :]:
            sentence = f"{path}: {budget.symbols} of its {len(items)} changed definitions were searched for"
            gaps.add(sentence, hides_uses=any(item.contract for item in left))
    return limited_symbols


# --- May another definition be in use instead? Then a changed signature proves nothing. ---


async def with_doubts(
    symbols_by_file: Mapping[str, Sequence[ChangedSymbol]], exports: Exports
) -> dict[str, tuple[ChangedSymbol, ...]]:
    """Return the symbols. A changed signature that may not be the one in use is marked as opaque."""
    alike: dict[object, set[str]] = defaultdict(set)
    for items in symbols_by_file.values():
        for item in items:
            alike[_parameters_key(item)].add(item.symbol.path)
    exact: dict[str, tuple[ChangedSymbol, ...]] = {}
    trace = TRACE.get()
    for path, items in symbols_by_file.items():
        rows = []
        for item in items:
            doubt = ""
            if item.change == "signature":
                doubt = await _doubt(item, exports, alike[_parameters_key(item)])
            if doubt and trace is not None:
                trace.doubts[item.key] = doubt
            rows.append(replace(item, before=_opaque(item.before), after=_opaque(item.after)) if doubt else item)
        exact[path] = tuple(rows)
    return exact


async def _doubt(item: ChangedSymbol, exports: Exports, but: Collection[str]) -> str:
    """Return why another definition may be in use; "" if none may."""
    path, name = item.symbol.path, item.symbol.name
    if _has_overloads_elsewhere(item):
        return "it is only declared now, and another file may define its overloads"
    return "another file of its namespace may define it" if await exports.elsewhere(path, name, but=but) else ""


def _has_overloads_elsewhere(item: ChangedSymbol) -> bool:
    """Return whether a function with overloads is only declared now, so that another file may define all of them."""
    before, after = item.before, item.after
    is_declared = after is not None and after.kind == DECLARATION and before is not None and before.kind != DECLARATION
    return is_declared and before is not None and before.signature is not None and bool(before.signature.overloads)


def _parameters_key(item: ChangedSymbol) -> object:
    """Return a key of a definition's name and its parameters on both sides."""
    return (item.symbol.name, *(side and side.signature and side.signature.forms for side in (item.before, item.after)))


def _opaque(symbol: Definition | None) -> Definition | None:
    if symbol is None or symbol.signature is None:
        return symbol
    return replace(symbol, signature=replace(symbol.signature, opaque=True, doubted=True))
