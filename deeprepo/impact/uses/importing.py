"""Find who imports the changed files: directly, through a header, or through re-exports."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType

from deeprepo.impact import resolving
from deeprepo.impact.changes import ChangedSymbol, Dependent, Query, Reference
from deeprepo.impact.concurrency import together
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.budget import Gaps, SearchLimits
from deeprepo.impact.uses.indirect import HeadersByDefinition
from deeprepo.impact.uses.sides import NOT_HANDED_ON, Exports, Reach, globs
from deeprepo.impact.uses.symbols import ChangedSource
from deeprepo.impact.values import MODULE, Link, Use

BARRELS = frozenset({"__init__", "index"})
HOPS = 2  # from barrel to barrel
OFFERED_HOPS = 8  # files through which a re-export is followed
ALIASES = 4  # assignments through which an imported name is followed
LONGEST_LINE = 400  # characters of a line
MOST_LINES = 20_000
WORD = re.compile(r"[\w$]+")
# The text before a name that is the whole value of another name.
GIVEN = re.compile(r"(?<![=!<>])=\s*(?:\(\s*|<[\w$.]+>\s*|[\w$]+\??\.)*$")

Meaning = tuple[str, str]  # a changed file and a name in it; "*" is the whole file
ExportingFiles = Mapping[str, Mapping[str, Collection[Meaning]]]  # file -> exported name -> its meanings


class Scene(Struct):
    """What is known about the changed files of one language; the steps of its search share it."""

    sources: list[ChangedSource]
    symbols: dict[str, tuple[ChangedSymbol, ...]]
    head: Reach
    base: Reach
    exports: Exports
    budget: SearchLimits
    gaps: Gaps
    declarations: HeadersByDefinition = field(default_factory=dict)
    # What `importing` finds: file -> relevant imports.
    importers: dict[str, list[Link]] = field(default_factory=lambda: defaultdict(list))
    # File -> imports of removed files.
    lost_imports: dict[str, list[Link]] = field(default_factory=lambda: defaultdict(list))
    # file -> changed files that it re-exports
    origins: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    # File -> exported name -> changed names behind it.
    exporting_files: dict[str, dict[str, set[Meaning]]] = field(default_factory=lambda: defaultdict(dict))
    former: dict[str, list[Link]] = field(default_factory=dict)  # changed file -> its former imports

    @property
    def every_symbol(self) -> list[ChangedSymbol]:
        """The changed definitions of all files."""
        return [item for items in self.symbols.values() for item in items]


class Local(Struct, frozen=True):
    """A local name for something imported."""

    here: str
    imported_file: str
    there: str  # its name in the imported file
    receiver: str = ""  # the qualifier before the name
    span: tuple[int, int] | None = None  # the lines in which it applies; None stands for all
    line: int = 0  # of the import


class Bindings(Struct):
    """The imports of one file that concern changed files."""

    locals: dict[Meaning, set[Local]] = field(default_factory=lambda: defaultdict(set))
    # file -> pairs of local name and imported file
    modules: dict[str, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    # file -> files imported with a wildcard
    stars: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    # name and line of the assignments that are followed
    assignments: set[tuple[str, int]] = field(default_factory=set)

    def starred_file(self, origin: str) -> str:
        """Return the file behind the wildcard import that provides a file's names: the file itself if possible."""
        files = self.stars.get(origin, ())
        return origin if origin in files else min(files, default="")

    def writings(self, origin: str, name: str) -> Iterator[tuple[str, str]]:
        """Yield each way to write a name of a file, with the imported file."""
        for one in self.locals.get((origin, name), ()):
            yield f"{one.receiver}.{one.here}" if one.receiver else one.here, one.imported_file
        for here, imported_file in self.modules.get(origin, ()):
            yield f"{here}.{name}", imported_file

    def follow(self, uses: Iterable[Use]) -> frozenset[str]:
        """Add assignments that rename a bound name, such as `total = lib.total`, and return the new names."""
        aliases: set[str] = set()
        aliased_uses = [use for use in uses if use.alias and (use.alias, use.line) not in self.assignments]
        meanings_by_way: dict[str, set[tuple[str, str, str]]] = {}
        for (origin, name), local_names in self.locals.items() if aliased_uses else ():
            for one in local_names:
                way = f"{one.receiver}.{one.here}" if one.receiver else one.here
                meanings_by_way.setdefault(way, set()).add((origin, name, one.imported_file))
        for use in aliased_uses:
            modules = self.modules.items() if use.receiver else ()
            meanings = {
                (o, use.name, imported_file)
                for o, pairs in modules
                for here, imported_file in pairs
                if here == use.receiver
            }
            meanings |= meanings_by_way.get(f"{use.receiver}.{use.name}" if use.receiver else use.name, set())
            for origin, name, imported_file in meanings:
                span = None if use.function == MODULE else use.span
                self.locals[origin, name].add(Local(use.alias, imported_file, name, span=span))
                self.assignments.add((use.alias, use.line))
                aliases.add(use.alias)
        return frozenset(aliases)


def bind(
    imports: Iterable[Link],
    origins: Mapping[str, Collection[str]],
    exporting_files: ExportingFiles = MappingProxyType({}),
) -> Bindings:
    """Return the names that a file's imports bind.

    `origins`: imported file -> changed files that it re-exports; `exporting_files`: files that re-export single names.
    """
    bindings = Bindings()
    for item in imports:
        here = dict(item.aliases)
        for origin in origins.get(item.target, ()):
            for name in item.names:
                if name != "*":
                    local_name = here.get(name, name)
                    one = Local(local_name, item.target, name, line=item.line)
                    bindings.locals[origin, name].add(one)
                    if "." in local_name:  # a qualified name: the module is also written where it is used
                        bindings.modules[origin].add((local_name.rpartition(".")[0], item.target))
                elif "*" in here:
                    bindings.modules[origin].add((here["*"], item.target))
                else:
                    bindings.stars[origin].add(item.target)
        for there, meanings in exporting_files.get(item.target, {}).items():
            for origin, name in meanings:
                _bind_offer(bindings, item, there, origin, name)
    return bindings


def _bind_offer(bindings: Bindings, item: Link, there: str, origin: str, name: str) -> None:
    """Bind a name that a file re-exports, if the import takes it."""
    here = dict(item.aliases)
    ways = [here.get(there, there).rpartition(".")[::2]] if there in item.names else []
    if "*" in item.names:
        ways.append((here.get("*", ""), there))
    for receiver, local_name in ways:
        if name == "*":
            spelling = f"{receiver}.{local_name}" if receiver else local_name
            bindings.modules[origin].add((spelling, item.target))
        else:
            bindings.locals[origin, name].add(Local(local_name, item.target, there, receiver))


async def importing(scene: Scene) -> tuple[Dependent, ...]:
    """Return the files that import a changed one, directly or through a re-export."""
    here = {source.file.path for source in scene.sources if source.file.status != "deleted"}
    past = {old for source in scene.sources if (old := source.file.old_path) and old not in scene.head.paths}
    for source in scene.sources:
        if source.before and source.after:
            old_path = source.file.old_path or source.file.path
            scene.former[source.file.path] = list(scene.base.resolve(old_path, source.before))
    direct, former = await together(scene.head.importers(here), scene.base.importers(past))
    moves = {source.file.old_path: source.file.path for source in scene.sources}
    others = {path: tuple(item for item in items if moves[item.target] != path) for path, items in former.items()}
    former = {path: items for path, items in others.items() if items}
    dependents_found: dict[tuple[str, str], Dependent] = {}
    for path in here | past:
        scene.origins[path].add(path)
    for importers, imports_kept in ((direct, scene.importers), (former, scene.lost_imports)):
        for path, items in importers.items():
            imports_kept[path] += items
            for item in items:
                _note(dependents_found, path, item, None)
    for path, items in former.items():
        scene.importers[path] += items
    all_importers = {**direct, **await _declaring(scene, here)}
    await _through_barrels(scene, all_importers, here, dependents_found)
    return tuple(sorted(dependents_found.values(), key=lambda item: (item.target, item.test, item.path)))


def _note(
    dependents_found: dict[tuple[str, str], Dependent], path: str, item: Link, via: str | None, target: str = ""
) -> None:
    key = target or item.target, path
    earlier = dependents_found.get(key)
    names = item.names | earlier.names if earlier else item.names
    line, way = (earlier.line, earlier.via) if earlier else (item.line, via)
    dependents_found[key] = Dependent(path, key[0], names, line, way, is_test(path))


async def _declaring(scene: Scene, here: set[str]) -> Mapping[str, tuple[Link, ...]]:
    """Return who imports an unchanged header that declares definitions of a changed file."""
    declaring = {header for headers in scene.declarations.values() for header in headers} - here
    headers = {header for header in declaring if header in scene.head.paths}
    importers = await scene.head.importers(headers) if headers else {}
    for header in headers:
        scene.origins[header].add(header)
    for path, items in importers.items():
        scene.importers[path] += [item for item in items if item not in scene.importers[path]]
    return {path: tuple(scene.importers[path]) for path in importers}


async def _through_barrels(
    scene: Scene,
    direct: Mapping[str, tuple[Link, ...]],
    changed_paths: set[str],
    dependents_found: dict[tuple[str, str], Dependent],
) -> None:
    """Add the files that import a changed name from a file that re-exports it."""
    wanted_names = await _wanted_names(scene, changed_paths)
    importers, visited = direct, set(changed_paths)
    known_paths = {target for target, _ in dependents_found} | changed_paths
    offers = ReExports(scene, await _contract_names(scene, changed_paths))
    for hop in range(OFFERED_HOPS):
        barrels = {path for path, items in importers.items() if _hands_on(path, items, scene.origins, wanted_names)}
        barrels = barrels if hop < HOPS else set()
        for barrel in sorted(barrels) * 2:  # twice, since one may import another, in a fixed order
            scene.origins[barrel] |= {o for item in importers[barrel] for o in scene.origins.get(item.target, ())}
        takers = await offers.takers(importers, barrels)
        importers = await scene.head.importers(barrels - visited)
        targets = {item.target for items in importers.values() for item in items}
        targets |= {item.target for items in scene.former.values() for item in items}
        for barrel in barrels - visited - targets:  # no file imports from it
            del scene.origins[barrel]
        visited |= barrels
        importers = {
            path: (*importers.get(path, ()), *takers.get(path, ()))
            for path in [*importers, *(path for path in takers if path not in importers)]
        }
        for path, items in importers.items():
            for item in items:
                changed_files = _behind(scene, path, item, wanted_names)
                if changed_files and item not in scene.importers[path]:
                    scene.importers[path].append(item)
                for origin in known_paths & changed_files:
                    _note(dependents_found, path, item, item.target, origin)
        if not importers:
            return
    if await offers.takers(importers, ()):
        scene.gaps.add(f"re-exports were followed through at most {OFFERED_HOPS} files")


def _behind(scene: Scene, path: str, item: Link, wanted_names: Mapping[str, frozenset[str]]) -> set[str]:
    """Return the changed files whose names an import takes from a file that re-exports them."""
    is_all = "*" in item.names
    origins = scene.origins.get(item.target, set()) - {path}
    behind = {one for one in origins if is_all or item.names & wanted_names.get(one, frozenset())}
    exported_names = scene.exporting_files.get(item.target, {})
    names = exported_names if is_all else item.names & exported_names.keys()
    return behind.union(origin for name in names for origin, _ in exported_names[name])


class ReExports(Struct):
    """The changed names that their importers export again, by an import or an assignment."""

    scene: Scene
    names: Mapping[str, frozenset[str]]  # changed file -> names with a changed contract
    holders: set[str] = field(default_factory=set)  # files that contain one of the exported names
    # file -> names assigned to other names
    values: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    searched_names: set[str] = field(default_factory=set)

    async def takers(
        self, importers: Mapping[str, Sequence[Link]], barrels: Collection[str]
    ) -> dict[str, tuple[Link, ...]]:
        """Record what these files re-export, and return the importers with their imports."""
        if not any(self.names.values()):
            return {}
        await self._search(frozenset().union(*self.names.values()))
        candidates, known = await self._candidates(importers, barrels)
        names = frozenset(name.partition(".")[0] for ways in candidates.values() for name in ways)
        await self._search(names)
        among = None if "default" in names else self.holders
        imports_by_path = await self.scene.head.importers(candidates, among) if candidates else {}
        former_imports = {path: tuple(items) for path, items in self.scene.former.items()}
        taken: dict[str, set[str]] = defaultdict(set)  # file -> what is imported from it
        for item in chain.from_iterable([*imports_by_path.values(), *former_imports.values()]):
            taken[item.target] |= item.names
        new: set[str] = set()
        for path, ways in sorted(candidates.items()):
            if path not in barrels and taken[path].isdisjoint({"*", *ways}):
                continue  # no file imports it
            exported_names = ways if path in known else await self._offered(path, ways)
            earlier_names = self.scene.exporting_files[path]
            for name, meanings in exported_names.items():
                if not meanings <= earlier_names.get(name, set()):
                    earlier_names.setdefault(name, set()).update(meanings)
                    new.add(path)
        new_imports = {
            path: tuple(item for item in items if item.target in new) for path, items in imports_by_path.items()
        }
        return {path: items for path, items in new_imports.items() if items}

    async def _candidates(
        self, importers: Mapping[str, Sequence[Link]], barrels: Collection[str]
    ) -> tuple[dict[str, dict[str, set[Meaning]]], set[str]]:
        """Return the candidate re-exports of each importer by name, and the files whose exports are known."""
        candidates: dict[str, dict[str, set[Meaning]]] = {}
        known: set[str] = set()
        origins = {path: {one for one in every if self.names.get(one)} for path, every in self.scene.origins.items()}
        for path, items in importers.items():
            bindings = bind(items, origins, self.scene.exporting_files)
            ways = {**self._ways(bindings), **await self._assigned(path, bindings)}
            # it may export them under other names
            if ways and (path in barrels or not _offers_imports(path)):
                ways = await self._offered(path, ways)
                known.add(path)
            if path in barrels:  # it re-exports its origins under their own names anyway
                others = {name: {one for one in every if one[1] != name} for name, every in ways.items()}
                ways = {name: every for name, every in others.items() if every}
            if ways:
                candidates[path] = ways
        return candidates, known

    def _ways(self, bindings: Bindings) -> dict[str, set[Meaning]]:
        """Return local name -> changed names that it stands for."""
        ways: dict[str, set[Meaning]] = defaultdict(set)
        for (origin, name), local_names in bindings.locals.items():
            for one in local_names if self._counts((origin, name)) else ():
                if not one.receiver and "." not in one.here:
                    ways[one.here].add((origin, name))
        for origin, modules in bindings.modules.items():
            for here, _ in modules if self.names.get(origin) else ():
                ways[here].add((origin, "*"))
        return ways

    def _counts(self, meaning: Meaning) -> bool:
        return meaning[1] in self.names.get(meaning[0], ())

    async def _assigned(self, path: str, bindings: Bindings) -> dict[str, set[Meaning]]:
        """Return the names that the file assigns a changed one to."""
        words = {name for origin in bindings.modules for name in self.names.get(origin, ())}
        words |= {one.here for meaning, every in bindings.locals.items() if self._counts(meaning) for one in every}
        if not words:
            return {}
        if words.isdisjoint(self.values.get(path, ())):
            return {}
        source = await self.scene.head.tree.read(path)
        aliases: dict[str, set[Meaning]] = defaultdict(set)
        search_words = words
        for _ in range(ALIASES if source is not None else 0):
            uses = resolving.uses(path, source or b"", search_words)
            search_words = set(bindings.follow(use for use in uses if use.function == MODULE))
            if not search_words:
                break
        alias_names = {name for name, _ in bindings.assignments}
        for meaning, local_names in bindings.locals.items():
            for one in local_names:
                if one.here in alias_names and self._counts(meaning):
                    aliases[one.here].add(meaning)
        return aliases

    async def _offered(self, path: str, ways: Mapping[str, set[Meaning]]) -> dict[str, set[Meaning]]:
        """Return which of the names the file exports."""
        outline = await self.scene.exports.outline("head", path)
        if outline is None:
            return {}
        exported_names = {name: ways[local or name] for name, local in outline.exports if (local or name) in ways}
        for star in await self.scene.exports.stars("head", path) if outline.stars else ():
            starred_names = self.scene.exporting_files.get(star, {}).keys() - outline.names - NOT_HANDED_ON
            exported_names |= {name: ways[name] for name in starred_names & ways.keys()}
        if self.scene.head.visible_files(path):  # its whole namespace sees these names
            own = {symbol.name for symbol in outline.definitions}
            exported_names |= {name: meanings for name, meanings in ways.items() if name in own}
        return exported_names

    async def _search(self, names: frozenset[str]) -> None:
        """Find the lines that contain the names."""
        new = sorted(names - self.searched_names - {"default", "*"})
        self.searched_names.update(new)
        if not new:
            return
        from deeprepo.impact.language import language_of  # grammars load with the first search

        head = self.scene.head
        # one pattern, since git runs each over every line
        any_name = rf"\b(?:{'|'.join(re.escape(name) for name in new)})\b"
        rows = await head.tree.grep_lines(Query([any_name], globs(head.language), syntax="perl", limit=MOST_LINES))
        for path, _, text in rows:
            self.holders.add(path)
            row = text[:LONGEST_LINE]
            assigns = "=" in row and (language := language_of(path)) is not None and language.has_aliases
            for word in WORD.finditer(row) if assigns else ():
                is_value = word[0] in self.searched_names and GIVEN.search(row[: word.start()])
                if is_value and not row[word.end() :].lstrip().startswith(("(", ".", "[")):
                    self.values[path].add(word[0])
        if len(rows) >= MOST_LINES:
            self.scene.gaps.add(
                f"{MOST_LINES:,} or more lines contain names that other files may re-export, so not all of them were checked"
            )


async def _contract_names(scene: Scene, changed_paths: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the names of each changed file with a changed contract, or no longer exported."""
    names_by_path: dict[str, frozenset[str]] = {}
    for path in changed_paths:
        items = [item for item in scene.symbols.get(path, ()) if item.contract]
        names = _outer_names(items)
        outlines = [await scene.exports.outline(side, path) for side in ("head", "base")]
        exports = {(name, local) for one in outlines if one is not None for name, local in one.exports}
        names_by_path[path] = frozenset(name for name, local in exports if (local or name).partition(".")[0] in names)
        names_by_path[path] |= await scene.exports.gone_names(path)
    return names_by_path


async def _wanted_names(scene: Scene, changed_paths: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the names of each changed file that changed, are no longer exported, or are declared in a header."""
    names_by_path: dict[str, frozenset[str]] = {}
    for path in changed_paths:
        items = scene.symbols.get(path, ())
        names_by_path[path] = _outer_names(items) | ({"default"} if items else set())
        names_by_path[path] |= await scene.exports.gone_names(path)
    for (_, name), headers in scene.declarations.items():
        for header in headers:
            names_by_path[header] = names_by_path.get(header, frozenset()) | {name.partition(".")[0]}
    return names_by_path


def _offers_imports(path: str) -> bool:
    """Return whether every name that a file imports can be imported from it."""
    from deeprepo.impact.language import rules_of  # grammars load with the first search

    return rules_of(path).reexports


def _hands_on(
    path: str, items: Iterable[Link], origins: Mapping[str, set[str]], wanted_names: Mapping[str, frozenset[str]]
) -> bool:
    """Return whether a file may re-export a changed name: as a barrel, or by a statement that hands it on."""
    stem = posixpath.splitext(posixpath.basename(path))[0]
    for item in items:
        names = frozenset().union(*(wanted_names.get(one, frozenset()) for one in origins.get(item.target, ())))
        is_taken = bool(names) and ("*" in item.names or not names.isdisjoint(item.names))
        if is_taken and (stem in BARRELS or item.public):
            return True
    return False


def _outer_names(items: Iterable[ChangedSymbol]) -> frozenset[str]:
    """Return the outermost names of changed definitions, before and after."""
    sides = [side for item in items for side in (item.before, item.after) if side is not None]
    return frozenset(side.name.partition(".")[0] for side in sides)


def beside(scene: Scene, references: Iterable[Reference]) -> tuple[Dependent, ...]:
    """Return files that use a changed name without importing it, with their first such line."""
    dependents_found: dict[tuple[str, str], Dependent] = {}
    for row in sorted((row for row in references if row.sure), key=lambda row: (row.path, row.line)):
        target = row.symbol.rpartition(":")[0]
        if row.path in scene.head.visible_files(target):
            earlier = dependents_found.get((target, row.path))
            names = frozenset({row.name}) | (earlier.names if earlier else frozenset())
            line = earlier.line if earlier else row.line
            dependents_found[target, row.path] = Dependent(row.path, target, names, line, None, row.test)
    return tuple(dependents_found.values())
