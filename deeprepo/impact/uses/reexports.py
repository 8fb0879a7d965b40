"""Follow changed names through the files that export them again: by a barrel, an import or an assignment."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from deeprepo.impact import resolving
from deeprepo.impact.changes import ChangedSymbol, Query
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.uses.exports import NOT_HANDED_ON
from deeprepo.impact.uses.importing import Importers, Meaning, Scene
from deeprepo.impact.uses.reach import globs
from deeprepo.impact.uses.targets import Bindings, bind
from deeprepo.impact.values import MODULE, Link

BARRELS = frozenset({"__init__", "index"})
HOPS = 2  # from barrel to barrel
OFFERED_HOPS = 8  # files through which a re-export is followed
ALIASES = 4  # assignments through which an imported name is followed
LONGEST_LINE = 400  # characters of a line
MOST_LINES = 20_000
WORD = re.compile(r"[\w$]+")
# The text before a name that is the whole value of another name.
GIVEN = re.compile(r"(?<![=!<>])=\s*(?:\(\s*|<[\w$.]+>\s*|[\w$]+\??\.)*$")


async def add_reexports(scene: Scene, found: Importers) -> None:
    """Add the files that import a changed name from a file that exports it again."""
    former, changed_paths = _former_imports(scene), scene.changed_paths
    wanted_names = await _wanted_names(scene, changed_paths)
    importers: Mapping[str, Sequence[Link]] = {path: tuple(links) for path, links in found.links.items()}
    visited = set(changed_paths)
    known_paths = {target for target, _ in found.dependents} | changed_paths
    offers = ReExports(scene, found, former, await _contract_names(scene, changed_paths))
    for hop in range(OFFERED_HOPS):
        barrels = {path for path, items in importers.items() if _hands_on(path, items, found.behind, wanted_names)}
        barrels = barrels if hop < HOPS else set()
        for barrel in sorted(barrels) * HOPS:  # again, since the origins of one may be known after another
            found.behind[barrel] |= {o for item in importers[barrel] for o in found.behind.get(item.target, ())}
        by_name = await offers.takers(importers, barrels)
        by_barrel = await scene.head.importers(barrels - visited)
        targets = {item.target for item in chain(former, *by_barrel.values())}
        for barrel in barrels - visited - targets:  # no file imports from it
            del found.behind[barrel]
        visited |= barrels
        importers = {path: (*by_barrel.get(path, ()), *by_name.get(path, ())) for path in {**by_barrel, **by_name}}
        for path, items in importers.items():
            for item in items:
                changed_files = _behind(found, path, item, wanted_names)
                if changed_files and item not in found.links[path]:
                    found.links[path].append(item)
                for origin in known_paths & changed_files:
                    found.note(path, item, item.target, origin)
        if not importers:
            return
    if await offers.takers(importers, ()):
        scene.gaps.add(f"re-exports were followed through at most {OFFERED_HOPS} files")


def _former_imports(scene: Scene) -> list[Link]:
    """Return what the changed files imported before the change."""
    return [
        item
        for source in scene.sources
        if source.before and source.after
        for item in scene.base.resolve(source.file.old_path or source.file.path, source.before)
    ]


def _behind(found: Importers, path: str, item: Link, wanted_names: Mapping[str, frozenset[str]]) -> set[str]:
    """Return the changed files whose names an import takes from a file that re-exports them."""
    is_all = "*" in item.names
    origins = found.behind.get(item.target, set()) - {path}
    behind = {one for one in origins if is_all or item.names & wanted_names.get(one, frozenset())}
    exported_names = found.reexports.get(item.target, {})
    names = exported_names if is_all else item.names & exported_names.keys()
    return behind.union(origin for name in names for origin, _ in exported_names[name])


class ReExports(Struct):
    """The changed names that their importers export again, by an import or an assignment."""

    scene: Scene
    found: Importers
    former: Sequence[Link]  # what the changed files imported before the change
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
        taken: dict[str, set[str]] = defaultdict(set)  # file -> what is imported from it
        for item in chain(self.former, *imports_by_path.values()):
            taken[item.target] |= item.names
        new: set[str] = set()
        for path, ways in sorted(candidates.items()):
            if path not in barrels and taken[path].isdisjoint({"*", *ways}):
                continue  # no file imports it
            exported_names = ways if path in known else await self._offered(path, ways)
            earlier_names = self.found.reexports[path]
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
        origins = {path: {one for one in every if self.names.get(one)} for path, every in self.found.behind.items()}
        for path, items in importers.items():
            bindings = bind(items, origins, self.found.reexports)
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
        """Return local name -> changed names that it refers to."""
        ways: dict[str, set[Meaning]] = defaultdict(set)
        for (origin, name), local_names in bindings.locals.items():
            for local in local_names if self._counts((origin, name)) else ():
                if not local.receiver and "." not in local.here:
                    ways[local.here].add((origin, name))
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
            starred_names = self.found.reexports.get(star, {}).keys() - outline.names - NOT_HANDED_ON
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
            assigns = (
                "=" in row
                and (language := language_of(path)) is not None
                and language.captures("@alias", "bindings", "receivers")
            )
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
        exports = {(name, local) for outline in outlines if outline is not None for name, local in outline.exports}
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
