"""Search the dependents, and by name the rest of the tree, for references to the changed definitions.

The class of a member's receiver is often unknown. Then only the name counts, if nothing else in the tree has
it or the receiver is likely to be of the class.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from deeprepo.impact import resolving
from deeprepo.impact.changes import Reference
from deeprepo.impact.concurrency import OwnTime, together
from deeprepo.impact.everyday import is_specific
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.text.paths import is_output, vendored_folder
from deeprepo.impact.uses.budget import is_minified, listed
from deeprepo.impact.uses.certainty import OWN, Case, Evidence, SearchedFile, connection, target_state
from deeprepo.impact.uses.importing import Importers, Scene
from deeprepo.impact.uses.names import Names
from deeprepo.impact.uses.sites import match, reference
from deeprepo.impact.uses.steps import TRACE, kept_by
from deeprepo.impact.uses.targets import Bindings, UseTarget, bindings_of, is_imported, searched_names
from deeprepo.impact.values import Import, SomeUses, Use

NAME = re.compile(r"[A-Za-z_$][\w$]*")
IMPORTS = re.compile(r"^\s*+(?:import|from|use|using)\b")
LONG_LINE = 400  # characters; longer lines are cut
PORTION = 200  # files that are read at once
ALIASES = 4  # assignments through which an imported name is followed
SHORT = 3  # letters; a shorter name is only searched in importers
ALL_LINES = range(1, 1 << 30)  # lines of a changed file whose added lines are unknown


class Search(Struct):
    """One search over the files of one language."""

    scene: Scene
    importers: Importers
    targets: Sequence[UseTarget]
    added_lines: Mapping[str, Collection[int]]
    broken_imports: Sequence[Reference]  # imports of removed files

    async def run(self) -> tuple[Reference, ...]:
        """Return the references to all targets, those that prove a break first."""
        if not self.targets:
            return ()
        head = self.scene.head
        looked_up = Names(head.tree)
        by_name, evidence = await together(self._by_name(looked_up), self._evidence(looked_up))
        near = self._near()
        paths = sorted({*near, *by_name}, key=lambda path: (path not in near, path))
        files = SearchedFiles(self, evidence, near, by_name)
        for at in range(0, len(paths), PORTION):  # limits how many texts are in memory
            portion = paths[at : at + PORTION]
            sources = await head.tree.read_many(portion)
            await self._miss_unread(portion, sources)
            late = await files.search(sources)
            if late:
                self._miss_late([*late, *paths[at + PORTION :]])
                break
        found = files.found
        return kept_by(Search._limit, chain.from_iterable(found.values()), self._limit(found))

    @property
    def with_contract(self) -> list[UseTarget]:
        """The targets whose contract changed."""
        return [target for target in self.targets if target.contract]

    async def _evidence(self, names: Names) -> Evidence:
        """Return the evidence about references, with the names that only changed definitions have."""
        scene, language = self.scene, self.scene.head.language
        # a function call may look like a member call
        is_bare = language.receivers.bare_members == "calls"
        special = {
            short
            for target in self.targets
            if (target.reached_by_name or (is_bare and not target.owner))
            and (target.is_gone or target.has_new_signature or target.contract)
            for short in target.shorts
            if is_specific(short) or target.is_extension
        }
        renewed = [target for target in self.targets if target.has_new_signature]
        changed = {(home, short) for target in renewed for home in target.homes for short in target.shorts}
        times = Counter(short for target in renewed for short in target.shorts)
        special -= language.ambient | {short for short, many in times.items() if many > 1}
        return Evidence(
            scene.head.tree,
            language,
            scene.exports,
            names,
            self.importers.links,
            self.importers.behind,
            lost_imports={(row.path, row.symbol.rpartition(":")[0]): row.is_lost for row in self.broken_imports},
            alone=await names.alone(language, special, scene.budget.far, changed),
            names_after=frozenset(target.after.short for target in self.targets if target.after is not None),
        )

    def _near(self) -> set[str]:
        """Return the files connected to the change, even if they do not contain its names."""
        homes = {home for target in self.targets for home in target.homes}
        visible_files = {mate for home in homes for mate in self.scene.exports.visible_files(home)}
        return {*self.importers.links, *homes, *visible_files}

    async def _by_name(self, looked_up: Names) -> dict[str, set[str]]:
        """Return file -> members that it mentions, for names that are not too common."""
        words = {
            s for t in self.targets if t.reached_by_name for s in t.shorts if len(s) >= SHORT and not s.startswith("__")
        }
        where = await looked_up.files(self.scene.head.language, words)
        if where is None:  # try only the names whose references must be checked
            contract_names = {short for target in self.with_contract for short in target.shorts}
            where = await looked_up.files(self.scene.head.language, words & contract_names)
            sentence = "too many lines contain the names of changed members, so some names were not searched"
            self.miss(sentence, hides_uses=where is None)
        paths_by_word: dict[str, set[str]] = defaultdict(set)
        common = sorted(name for name, paths in (where or {}).items() if len(paths) > self.scene.budget.far)
        if common:
            sentence = f"members with common names were only searched in importing files: {listed(common)}"
            self.miss(sentence, hides_uses=False)
        for name, paths in (where or {}).items():
            for path in paths if name not in common else ():
                paths_by_word[path].add(name)
        return paths_by_word

    def _limit(self, references: Mapping[str, list[Reference]]) -> tuple[Reference, ...]:
        """Only the best references of each definition are kept, and of two on a line the one that is bound.

        The order is: proven breaks, bound ones, those outside tests, calls, then top-level code. Top-level
        code matters because it registers types, routes and event handlers.
        """
        references_kept: list[Reference] = []
        contract_keys = {target.key for target in self.with_contract}
        bound = {row.place for rows in references.values() for row in rows if row.is_bound}
        for key, name_references in references.items():
            rows = [row for row in name_references if row.is_bound or row.place not in bound]
            rows = sorted(
                dict.fromkeys(rows),  # unlike a set, this keeps the order of equal rows the same in every process
                key=lambda row: (
                    not row.is_lost,
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
            most = self.scene.budget.contract_sites if key in contract_keys else self.scene.budget.sites
            if len(rows) > most:
                sentence = f"{key}: {most} of its {len(rows)} uses are listed"
                self.miss(sentence, hides_uses=key in contract_keys)
            references_kept += rows[:most]
        return tuple(references_kept)

    def miss(self, sentence: str, *, hides_uses: bool = True) -> None:
        """Say what is not searched."""
        self.scene.gaps.add(sentence, hides_uses=hides_uses and bool(self.with_contract))

    def _miss_late(self, paths: Sequence[str]) -> None:
        """Report the files for which no time was left."""
        files = "1 file" if len(paths) == 1 else f"{len(paths)} files"
        seconds = f"{self.scene.budget.seconds:g} s"
        self.miss(f"after {seconds} of CPU time, {files} were left unsearched for references: {listed(paths)}")

    async def _miss_unread(self, wanted_paths: Iterable[str], received_paths: Collection[str]) -> None:
        """Report files that are too large to read."""
        entries = await self.scene.head.tree.entries()
        missing_paths = [
            path
            for path in wanted_paths
            if path in entries
            and path not in received_paths
            and entries[path].kind == "file"
            and entries[path].size
            and not _is_not_edited(path)
        ]
        if missing_paths:
            self.miss(f"files that are too large were not searched for references: {listed(missing_paths)}")


def _is_not_edited(path: str) -> bool:
    """Return whether a file is generated or vendored."""
    return is_output(path) or vendored_folder(path) is not None


class SearchedFiles(Struct):
    """The files of a search, and the references found in them."""

    of: Search
    evidence: Evidence
    near: Collection[str]  # the files connected to the change
    by_name: Mapping[str, Collection[str]]  # file -> members that it mentions
    found: dict[str, list[Reference]] = field(default_factory=lambda: defaultdict(list))  # by target
    own_time: OwnTime = field(default_factory=OwnTime)

    async def search(self, sources: Mapping[str, bytes]) -> Sequence[str]:
        """Search some files, and return those for which no time was left."""
        budget = self.of.scene.budget
        for count, (path, source) in enumerate(sources.items()):
            if self.own_time.seconds > budget.seconds:
                return [*sources][count:]
            if len(source) > budget.bytes:
                self._miss_large(path, source)
            else:
                await self.own_time.of(self._file(path, source))
        return ()

    async def _file(self, path: str, source: bytes) -> None:
        """Add the references of one file."""
        scene = self.of.scene
        bound = bindings_of(self.of.importers, path)
        homes = {home for target in self.of.targets for home in target.homes}
        for home in {home for home in homes if path in scene.exports.visible_files(home)}:
            bound.stars[home].add("")  # without an import, there is no exporting file
        mine = self.targets_of(path, bound)
        uses = self._uses(path, source, mine, bound) if mine else ()
        if (trace := TRACE.get()) is not None:
            trace.searched(path, searched_names(mine, bound), uses)
        if not uses:
            return
        lines = file_lines(source)
        import_lines = [line[:LONG_LINE] for line in lines if IMPORTS.match(line)]
        import_words = frozenset(word for line in import_lines for word in NAME.findall(line))
        external = await self._external(path, source, uses, self._judged_by_name(mine))
        file = SearchedFile(path, source, uses, bound, import_words, external)
        imports = await self._imports(path, uses)
        for target in mine:
            for hit in match(target, uses, bound, path, imports):
                case = Case(self.evidence, target, hit, file)
                case.connection = await connection(case)
                row = reference(target, hit, path, lines, case.connection, await target_state(case))
                self.found[target.key].append(row)

    def targets_of(self, path: str, bound: Bindings) -> list[UseTarget]:
        """Return the targets that a file may use: it imports, contains or mentions them, and they are visible there."""
        words_here = self.by_name.get(path, ())
        return [
            target
            for target in self.of.targets
            if (not target.shorts.isdisjoint(words_here) or path in target.homes or is_imported(target, bound))
            and target.is_visible(path)  # checked last, because it is slow
            and self.of.scene.head.sees(path, target.homes)
        ]

    def _uses(self, path: str, source: bytes, targets: Sequence[UseTarget], bound: Bindings) -> Sequence[Use]:
        """Return the references in a file, including those under names assigned in it."""
        wanted_names = own_names = searched_names(targets, bound)
        uses = resolving.uses(path, source, wanted_names)
        for _ in range(ALIASES):
            more_names = bound.follow(uses) - wanted_names
            if not more_names:
                break
            wanted_names = own_names | more_names
            uses = resolving.uses(path, source, wanted_names)
        if isinstance(uses, SomeUses) and not any(note.startswith(f"{path}: ") for note in self.of.scene.gaps.all):
            sentence = f"{path} has too many references or generated code, so some references may be missing"
            # people do not edit such a file: it is generated again after the change
            self.of.miss(sentence, hides_uses=not (is_output(path) or is_minified(source)))
        return uses

    async def _imports(self, path: str, uses: Sequence[Use]) -> tuple[Import, ...]:
        """Return the imports of a file in which several lines import one name; otherwise none."""
        lines = defaultdict[str, set[int]](set)
        for use in uses:
            if use.form == "import":
                lines[use.name].add(use.line)
        if max(map(len, lines.values()), default=0) < 2:  # noqa: PLR2004
            return ()
        outline = await self.of.scene.exports.outline("head", path)
        return outline.imports if outline is not None else ()

    def _judged_by_name(self, targets: Iterable[UseTarget]) -> frozenset[str]:
        """Return the names for which the origin of the receiver matters; capitalized fields always count."""
        has_fields = self.of.scene.head.language.receivers.capital_members
        contract_names = {name for item in targets if has_fields and item.contract for name in item.shorts}
        return frozenset({*self.evidence.alone, *contract_names})

    async def _external(
        self, path: str, source: bytes, uses: Sequence[Use], judged_names: Collection[str]
    ) -> frozenset[str]:
        """Return receivers of these names that come from outside the tree."""
        language = self.of.scene.head.language
        judged = [use for use in uses if use.form == "member" and use.name in judged_names]
        receivers = {use.receiver for use in judged}
        roots = {receiver: root[0] for receiver in receivers if (root := NAME.match(receiver)) and root[0] not in OWN}
        if not roots:
            return frozenset()
        rows = resolving.uses(path, source, frozenset(roots.values()))
        import_lines = {use.name: use.line for use in rows if use.form == "import"}
        imports = await self.of.scene.head.links(path) if import_lines else ()
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
        names_here = {name for target in self.of.with_contract for name in target.shorts if name.encode() in source}
        is_near = path in self.near
        if names_here and (is_near or any(map(is_specific, names_here))) and not _is_not_edited(path):
            self.of.miss(
                f"{path} has more than {self.of.scene.budget.bytes:,} bytes, so its references to {min(names_here)} were not searched"
            )
