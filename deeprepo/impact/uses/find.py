"""Run the search: changed definitions, the files that import them, and their references.

The class of a member's receiver is often unknown. Then only the name counts, if nothing else in the tree has it or the
receiver is likely to be of the class. So the rest of the tree is searched by name.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import PurePosixPath

from deeprepo.impact import resolving
from deeprepo.impact.changes import MOVED, REPLACED, ChangedFile, ChangedSymbol, Dependents, Reference, TreeEntry
from deeprepo.impact.concurrency import OwnTime, together
from deeprepo.impact.everyday import is_specific
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.language import Language, leading
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct, field, replace
from deeprepo.impact.text.lines import MINIFIED_LINE, defined_names, file_lines, is_minified
from deeprepo.impact.text.paths import is_output, is_test, is_vendored
from deeprepo.impact.uses.breaks import means_another
from deeprepo.impact.uses.budget import LISTED, Gaps, SearchLimits, listed
from deeprepo.impact.uses.exports import Exports
from deeprepo.impact.uses.gone import target_state, with_resolutions
from deeprepo.impact.uses.importing import (
    Importers,
    Scene,
    add_reexports,
    beside,
    bindings_of,
    gone_names,
    importing,
    is_imported,
    is_written,
    lost_modules,
    searched_names,
    use_targets,
)
from deeprepo.impact.uses.names import Names
from deeprepo.impact.uses.overrides import overrides_of
from deeprepo.impact.uses.prototypes import HeadersByDefinition, Symbols, merge_prototypes
from deeprepo.impact.uses.reach import Reach, both
from deeprepo.impact.uses.references import OWN, Evidence, SearchedFile, cases_of, is_reached_by_name, reference
from deeprepo.impact.uses.steps import TRACE, kept_by
from deeprepo.impact.uses.symbols import ChangedSource, changed_contract, changed_symbols, read, with_doubts, with_moves
from deeprepo.impact.uses.targets import Bindings, UseTarget
from deeprepo.impact.values import Definition, SomeUses, Use

NAME = re.compile(r"[A-Za-z_$][\w$]*")
PORTION = 200  # files that are read at once
SHORT = 3  # letters; a shorter name is only searched in importers


async def find(
    tree: Tree,
    files: Sequence[ChangedFile],
    budget: SearchLimits = SearchLimits(),  # noqa: B008 - frozen
) -> Dependents:
    """Return what the change can break."""
    gaps = Gaps()
    changed_files = by_language(files, budget, gaps)
    parts = await together(*(_of_language(tree, one, mine, budget) for one, mine in changed_files))
    references = tuple(reference for part in parts for reference in part.references)
    by_key = {item.key: item for part in parts for item in part.symbols}
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
    rows = [one for one in sorted(files, key=_risk) if one.is_analyzed or one.skip in (MOVED, REPLACED)]
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


def _risk(file: ChangedFile) -> tuple[bool, bool, bool, int, str]:
    """Sort existing files that lose a name first, then those with changed definitions; tests and new files last."""
    lines = [line for hunk in file.hunks for line in hunk.lines]
    before, after = (
        {name for line in lines if line.kind == kind for name in defined_names(line.text[:MINIFIED_LINE])}
        for kind in "-+"
    )
    removed = sum(line.kind == "-" for line in lines)
    return is_test(file.path), before <= after, not before, -removed, file.path


async def _of_language(
    tree: Tree, language: Language, files: Sequence[ChangedFile], budget: SearchLimits
) -> Dependents:
    gaps = Gaps()
    sources = await _sources(tree, language, files, budget, gaps)
    head, base = await both(tree, language)
    exports = _register(sources, head, base)
    symbols = with_moves(sources, {source.file.path: changed_symbols(source) for source in sources})
    headers: HeadersByDefinition = {}
    if language.has_headers:
        symbols, headers = await merge_prototypes(tree, exports, sources, symbols)
    symbols = await _with_contracts(symbols, exports, sources, budget, gaps)
    if not budget.sites:
        changed = {side.path for rows in symbols.values() for item in rows if item.contract for side in item.sides}
        sources = [source for source in sources if await _may_break(source, changed, exports)]
    scene = Scene(sources, symbols, head, base, exports, budget, gaps, headers)
    importers = await importing(scene)
    await add_reexports(scene, importers)
    broken_imports = await lost_modules(head, base, importers.lost)
    targets = await use_targets(scene, importers)
    if not budget.sites:
        # one that only has the same name may be what a use means instead
        names = {short for target in targets if target.may_break for short in target.shorts}
        targets = [target for target in targets if not target.shorts.isdisjoint(names)]
    references = await _references(scene, importers, targets, broken_imports)
    signatures = {item.key: item.before.signature for item in scene.every_symbol if item.before is not None}
    references = kept_by(
        means_another,
        references,
        (row for row in references if row.is_bound or not means_another(signatures.get(row.symbol), row)),
    )
    has_members = any(side.owner for item in scene.every_symbol for side in item.sides)
    overrides = await overrides_of(scene, importers, targets) if has_members else ()
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


async def _may_break(source: ChangedSource, changed: Collection[str], exports: Exports) -> bool:
    """Return whether a file's change may break its users. `changed`: the files with changed contracts."""
    file = source.file
    if file.status == "added":
        return False
    is_lost = file.status == "deleted" or file.old_path != file.path
    return is_lost or file.path in changed or is_test(file.path) or bool(await gone_names(exports, file.path))


def _without_content(language: Language, entries: Mapping[str, TreeEntry]) -> list[str]:
    oversized = [path for path, entry in entries.items() if entry.size < 0 and path.endswith(language.suffixes)]
    if not oversized:
        return []
    kind = language.title or language.folder
    return [f"{kind} files were not searched, because the clone lacks their content: {listed(oversized)}"]


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
    symbols: Symbols, exports: Exports, sources: Sequence[ChangedSource], budget: SearchLimits, gaps: Gaps
) -> Symbols:
    """Return the changed definitions of each file with the changes of their contracts."""
    by_path = {("base", source.file.old_path or source.file.path): source for source in sources}
    by_path |= {("head", source.file.path): source for source in sources}

    def text_of(symbol: Definition | None) -> str:
        source = by_path.get((symbol.side, symbol.path)) if symbol is not None else None
        return source.lines(symbol) if symbol is not None and source is not None else ""

    def weighed(item: ChangedSymbol) -> ChangedSymbol:
        return replace(item, contract=changed_contract(item, text_of(item.before), text_of(item.after)))

    limited = _limit({path: [*map(weighed, items)] for path, items in symbols.items()}, budget, gaps)
    return await with_doubts(limited, exports)


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


# --- Which references do the files have? ---


async def _references(
    scene: Scene, importers: Importers, targets: Sequence[UseTarget], broken_imports: Sequence[Reference]
) -> tuple[Reference, ...]:
    """Return the references to all targets, those that prove a break first. `broken_imports`: those of removed files."""
    if not targets:
        return ()
    names = Names(scene.head.tree)
    mentions, alone = await together(_files_with_members(scene, targets, names), _alone(scene, targets, names))
    evidence = Evidence(
        scene.head.tree,
        scene.head.language,
        scene.exports,
        names,
        importers.links,
        importers.behind,
        lost_imports={(row.path, row.symbol.rpartition(":")[0]): row.missing for row in broken_imports},
        alone=alone,
        names_after=frozenset(target.after.short for target in targets if target.after is not None),
    )
    homes = {home for target in targets for home in target.homes}
    near = {*importers.links, *homes, *(mate for home in homes for mate in scene.exports.visible_files(home))}
    search = Search(scene, importers, targets, evidence, near, mentions)
    paths = sorted({*near, *mentions}, key=lambda path: (path not in near, path))
    for at in range(0, len(paths), PORTION):  # limits how many texts are in memory
        portion = paths[at : at + PORTION]
        sources = await scene.head.tree.read_many(portion)
        await search.miss_unread(portion, sources)
        if late := await search.read(sources):
            search.miss_late([*late, *paths[at + PORTION :]])
            break
    return kept_by(Search.limited, chain.from_iterable(search.found.values()), search.limited())


async def _alone(scene: Scene, targets: Sequence[UseTarget], names: Names) -> frozenset[str]:
    """Return the rare names that nothing in the head gives, except for changed definitions."""
    language = scene.head.language
    # a function call may look like a member call
    is_bare = language.receivers.bare_members == "calls"
    special = {
        short
        for target in targets
        if (is_reached_by_name(target) or (is_bare and not target.owner))
        and (target.is_gone or target.has_new_signature or target.contract)
        for short in target.shorts
        if is_specific(short) or target.is_extension
    }
    renewed = [target for target in targets if target.has_new_signature]
    changed = {(home, short) for target in renewed for home in target.homes for short in target.shorts}
    times = Counter(short for target in renewed for short in target.shorts)
    special -= language.ambient | {short for short, many in times.items() if many > 1}
    where = await names.files(language, special) or {}
    few = [name for name, paths in where.items() if len(paths) <= scene.budget.far]
    places = [(name, one.path) for name in few for one in (await names.givers(few))[name]]
    return frozenset(few) - {
        name for name, path in places if path.endswith(language.suffixes) and (path, name) not in changed
    }


async def _files_with_members(scene: Scene, targets: Sequence[UseTarget], names: Names) -> dict[str, set[str]]:
    """Return file -> members that it mentions, for names that are not too common."""
    words = {
        s for t in targets if is_reached_by_name(t) for s in t.shorts if len(s) >= SHORT and not s.startswith("__")
    }
    where = await names.files(scene.head.language, words)
    if where is None:
        sentence = "too many lines contain the names of changed members, so they were only searched in importing files"
        scene.gaps.add(sentence, hides_uses=any(target.contract for target in targets))
        return {}
    if common := sorted(name for name, paths in where.items() if len(paths) > scene.budget.far):
        sentence = f"members with common names were only searched in importing files: {listed(common)}"
        scene.gaps.add(sentence, hides_uses=False)
    mentions: dict[str, set[str]] = defaultdict(set)
    for name in where.keys() - common:
        for path in where[name]:
            mentions[path].add(name)
    return mentions


class Search(Struct):
    """A search over the files of one language, and the references found in them."""

    scene: Scene
    importers: Importers
    targets: Sequence[UseTarget]
    evidence: Evidence
    near: Collection[str]  # the files connected to the change, even if they do not contain its names
    mentions: Mapping[str, Collection[str]]  # file -> members that it mentions
    found: dict[str, list[Reference]] = field(default_factory=lambda: defaultdict(list))  # by target
    own_time: OwnTime = field(default_factory=OwnTime)

    async def read(self, sources: Mapping[str, bytes]) -> Sequence[str]:
        """Search some files, and return those for which no time was left."""
        for count, (path, source) in enumerate(sources.items()):
            if self.own_time.seconds > self.scene.budget.seconds:
                return [*sources][count:]
            if len(source) > self.scene.budget.bytes:
                self._miss_large(path, source)
            else:
                await self.own_time.of(self._file(path, source))
        return ()

    async def _file(self, path: str, source: bytes) -> None:
        scene = self.scene
        bound = bindings_of(self.importers, path)
        homes = {home for target in self.targets for home in target.homes}
        for home in {home for home in homes if path in scene.exports.visible_files(home)}:
            bound.stars[home].add("")  # without an import, there is no exporting file
        mine = [target for target in self.targets_of(path, bound) if is_written(target, source, bound)]
        uses = self._uses(path, source, mine, bound) if mine else ()
        if (trace := TRACE.get()) is not None:
            trace.searched(path, searched_names(mine, bound), uses)
        if not uses:
            return
        lines = file_lines(source)
        external = await self._external(path, source, uses, self._judged_by_name(mine))
        file = SearchedFile(path, source, uses, bound, external)
        for target in mine:
            for case in await cases_of(self.evidence, target, file):
                self.found[target.key].append(reference(case, lines, await target_state(case)))

    def targets_of(self, path: str, bound: Bindings) -> list[UseTarget]:
        """Return the targets that a file may use: it imports, contains or mentions them, and they are visible there."""
        words_here = self.mentions.get(path, ())
        return [
            target
            for target in self.targets
            if (not target.shorts.isdisjoint(words_here) or path in target.homes or is_imported(target, bound))
            and _is_visible(target, path)  # checked last, because it is slow
            and self.scene.head.sees(path, target.homes)
        ]

    def _uses(self, path: str, source: bytes, targets: Sequence[UseTarget], bound: Bindings) -> Sequence[Use]:
        """Return the references in a file."""
        uses = resolving.uses(path, source, searched_names(targets, bound))
        if isinstance(uses, SomeUses) and not any(note.startswith(f"{path}: ") for note in self.scene.gaps.all):
            sentence = f"{path} has too many references or generated code, so some references may be missing"
            # people do not edit such a file: it is generated again after the change
            self.miss(sentence, hides_uses=not (is_output(path) or is_minified(source)))
        return uses

    def _judged_by_name(self, targets: Iterable[UseTarget]) -> frozenset[str]:
        """Return the names for which the origin of the receiver matters; capitalized fields always count."""
        has_fields = self.scene.head.language.receivers.capital_members
        contract_names = {name for item in targets if has_fields and item.contract for name in item.shorts}
        return frozenset({*self.evidence.alone, *contract_names})

    async def _external(
        self, path: str, source: bytes, uses: Sequence[Use], judged_names: Collection[str]
    ) -> frozenset[str]:
        """Return receivers of these names that come from outside the tree."""
        language = self.scene.head.language
        judged = [use for use in uses if use.form == "member" and use.name in judged_names]
        receivers = {use.receiver for use in judged}
        roots = {receiver: root[0] for receiver in receivers if (root := NAME.match(receiver)) and root[0] not in OWN}
        if not roots:
            return frozenset()
        rows = resolving.uses(path, source, frozenset(roots.values()))
        import_lines = {use.name: use.line for use in rows if use.form == "import"}
        imports = await self.scene.head.links(path) if import_lines else ()
        own_names = {
            name.partition(".")[0]
            for item in imports
            for name in (*(dict(item.aliases).get(one, one) for one in item.names), *dict(item.aliases).values())
        }
        own_lines = {item.line for item in imports}  # `from cart import Cart` binds no `cart`
        outside = {name for name, line in import_lines.items() if name not in own_names and line not in own_lines}
        outside |= language.ambient & frozenset(roots.values())
        return frozenset(receiver for receiver, root in roots.items() if root in outside)

    def _miss_large(self, path: str, source: bytes) -> None:
        """Report a file that is too large to search, if it may use a changed contract."""
        names_here = {
            name for target in self.targets if target.contract for name in target.shorts if name.encode() in source
        }
        if names_here and (path in self.near or any(map(is_specific, names_here))) and not is_vendored(path):
            self.miss(
                f"{path} has more than {self.scene.budget.bytes:,} bytes, so its references to {min(names_here)} were not searched"
            )

    def limited(self) -> tuple[Reference, ...]:
        """Only the best references of each definition are kept, and of two on a line the one that is bound.

        The order is: proven breaks, bound ones, those outside tests, calls, then top-level code. Top-level
        code matters because it registers types, routes and event handlers.
        """
        references_kept: list[Reference] = []
        breaking_keys = {target.key for target in self.targets if target.may_break}
        bound = {row.place for rows in self.found.values() for row in rows if row.is_bound}
        for key, name_references in self.found.items():
            rows = [row for row in name_references if row.is_bound or row.place not in bound]
            rows = sorted(
                dict.fromkeys(rows),  # unlike a set, this keeps the order of equal rows the same in every process
                key=lambda row: (
                    not row.missing,
                    not row.likely,
                    not row.is_bound,
                    row.test,
                    not row.call,
                    not row.is_at_top,
                    row.path,
                    row.line,
                    row.name,
                ),
            )
            most = self.scene.budget.contract_sites if key in breaking_keys else self.scene.budget.sites
            if len(rows) > most > 0:
                sentence = f"{key}: {most} of its {len(rows)} uses are listed"
                self.miss(sentence, hides_uses=key in breaking_keys)
            references_kept += rows[:most]
        return tuple(references_kept)

    def miss(self, sentence: str, *, hides_uses: bool = True) -> None:
        """Say what is not searched."""
        self.scene.gaps.add(sentence, hides_uses=hides_uses and any(target.contract for target in self.targets))

    def miss_late(self, paths: Sequence[str]) -> None:
        """Report the files for which no time was left."""
        files = "1 file" if len(paths) == 1 else f"{len(paths)} files"
        seconds = f"{self.scene.budget.seconds:g} s"
        self.miss(f"after {seconds} of CPU time, {files} were left unsearched for references: {listed(paths)}")

    async def miss_unread(self, wanted_paths: Iterable[str], received_paths: Collection[str]) -> None:
        """Report files that are too large to read."""
        entries = await self.scene.head.tree.entries()
        missing_paths = [
            path
            for path in wanted_paths
            if path in entries
            and path not in received_paths
            and entries[path].kind == "file"
            and entries[path].size
            and not is_vendored(path)
        ]
        if missing_paths:
            self.miss(f"files that are too large were not searched for references: {listed(missing_paths)}")


def _is_visible(target: UseTarget, path: str) -> bool:
    """Return whether a file could use a definition before the change."""
    one = target.before or target.after
    return one is None or path in target.homes or one.is_visible(path)
