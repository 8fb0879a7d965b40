"""Find who imports the changed files: directly, through a header, or through a file that exports their names again.

A broken import of a removed file resolves in the base tree and not in the head tree.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from deeprepo.impact import resolving
from deeprepo.impact.changes import ChangedSymbol, Dependent, Query, Reference, TargetState
from deeprepo.impact.concurrency import together
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.text.lines import file_lines
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.budget import Gaps, SearchLimits
from deeprepo.impact.uses.exports import Exports
from deeprepo.impact.uses.prototypes import HeadersByDefinition
from deeprepo.impact.uses.reach import Reach
from deeprepo.impact.uses.symbols import ChangedSource, may_be_elsewhere
from deeprepo.impact.uses.targets import WHOLE_MODULE, Bindings, Local, Meaning, UseTarget
from deeprepo.impact.values import MODULE, Link, Outline

BARRELS = frozenset({"__init__", "index"})
LOST = frozenset({"removed", "renamed"})  # contract changes that also break imports
HOPS = 2  # from one such file to the next
# A statement that always refers to a file of the tree.
RELATIVE = re.compile(
    r"['\"][./]|\brequire_relative\b|\bfrom\s++\.|\b(?:crate|self|super)::|^\s*+(?:pub(?:\([^()]*\))?\s++)?mod\b|__DIR__"
)


class Scene(Struct, frozen=True):
    """What is known about the changed files of one language; the steps of its search share it."""

    sources: list[ChangedSource]
    symbols: dict[str, tuple[ChangedSymbol, ...]]
    head: Reach
    base: Reach
    exports: Exports
    budget: SearchLimits
    gaps: Gaps
    declarations: HeadersByDefinition

    @property
    def changed_paths(self) -> set[str]:
        """The changed files that exist after the change."""
        return {source.file.path for source in self.sources if source.file.status != "deleted"}

    @property
    def every_symbol(self) -> list[ChangedSymbol]:
        """The changed definitions of all files."""
        return [item for items in self.symbols.values() for item in items]


class Importers(Struct):
    """The files that import a changed file, and what each of them imports."""

    links: dict[str, list[Link]] = field(default_factory=lambda: defaultdict(list))  # importer -> relevant imports
    lost: dict[str, list[Link]] = field(default_factory=lambda: defaultdict(list))  # importer -> those of removed files
    # imported file -> the changed files whose names it exports: itself, or those behind it
    behind: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    dependents: dict[tuple[str, str], Dependent] = field(default_factory=dict)  # by changed file and importer

    def note(self, path: str, link: Link, via: str | None = None, target: str = "") -> None:
        """Note that a file imports a changed one; `via` another one, which the import leads to."""
        key = target or link.target, path
        earlier = self.dependents.get(key)
        names = link.names | earlier.names if earlier else link.names
        line, way = (earlier.line, earlier.via) if earlier else (link.line, via)
        self.dependents[key] = Dependent(path, key[0], names, line, way, is_test(path))

    @property
    def files(self) -> tuple[Dependent, ...]:
        """The importers of each changed file, those outside tests first."""
        return tuple(sorted(self.dependents.values(), key=lambda one: (one.target, one.test, one.path)))


async def importing(scene: Scene) -> Importers:
    """Return the files that import a changed one, directly or through a header."""
    here = scene.changed_paths
    past = {old for source in scene.sources if (old := source.file.old_path) and old not in scene.head.paths}
    found = Importers()
    for path in here | past:
        found.behind[path].add(path)
    direct, former = await together(scene.head.importers(here), scene.base.importers(past))
    moves = {source.file.old_path: source.file.path for source in scene.sources}
    others = {path: tuple(item for item in items if moves[item.target] != path) for path, items in former.items()}
    former = {path: items for path, items in others.items() if items}
    for importers in (direct, former):
        for path, items in importers.items():
            found.links[path] += items
            for item in items:
                found.note(path, item)
    for path, items in former.items():
        found.lost[path] += items
    # unchanged headers that declare definitions of a changed file
    headers = {header for headers in scene.declarations.values() for header in headers if header not in here}
    headers &= scene.head.paths
    for header in headers:
        found.behind[header].add(header)
    for path, items in (await scene.head.importers(headers) if headers else {}).items():
        found.links[path] += [item for item in items if item not in found.links[path]]
    return found


def beside(scene: Scene, references: Iterable[Reference]) -> tuple[Dependent, ...]:
    """Return files that use a changed name without importing it, with their first such line."""
    dependents_found: dict[tuple[str, str], Dependent] = {}
    for row in sorted((row for row in references if row.is_bound), key=lambda row: (row.path, row.line)):
        target = row.symbol.rpartition(":")[0]
        if row.path in scene.head.visible_files(target):
            earlier = dependents_found.get((target, row.path))
            names = frozenset({row.name}) | (earlier.names if earlier else frozenset())
            line = earlier.line if earlier else row.line
            dependents_found[target, row.path] = Dependent(row.path, target, names, line, None, row.test)
    return tuple(dependents_found.values())


# --- Which files export the changed names again? ---


async def add_reexports(scene: Scene, found: Importers) -> None:
    """Add the files that import a changed name from a file that exports it again."""
    changed_paths = scene.changed_paths
    wanted_names = await _wanted_names(scene, changed_paths)
    importers: Mapping[str, Sequence[Link]] = {path: tuple(links) for path, links in found.links.items()}
    visited = set(changed_paths)
    known_paths = {target for target, _ in found.dependents} | changed_paths
    for _ in range(HOPS):
        barrels = {
            path for path, items in importers.items() if await _hands_on(scene, path, items, found.behind, wanted_names)
        }
        for barrel in sorted(barrels) * HOPS:  # again, since the origins of one may be known after another
            found.behind[barrel] |= {o for item in importers[barrel] for o in found.behind.get(item.target, ())}
        by_barrel = await scene.head.importers(barrels - visited)
        for barrel in barrels - visited - {item.target for items in by_barrel.values() for item in items}:
            del found.behind[barrel]  # no file imports from it
        visited |= barrels
        importers = by_barrel
        for path, items in importers.items():
            for item in items:
                changed_files = _behind(found, path, item, wanted_names)
                if changed_files and item not in found.links[path]:
                    found.links[path].append(item)
                for origin in known_paths & changed_files:
                    found.note(path, item, item.target, origin)


def _behind(found: Importers, path: str, item: Link, wanted_names: Mapping[str, frozenset[str]]) -> set[str]:
    """Return the changed files whose names an import takes from a file that re-exports them."""
    origins = found.behind.get(item.target, set()) - {path}
    return {one for one in origins if "*" in item.names or item.names & wanted_names.get(one, frozenset())}


async def _wanted_names(scene: Scene, changed_paths: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the names of each changed file that changed, are no longer exported, or are declared in a header."""
    names_by_path: dict[str, frozenset[str]] = {}
    for path in changed_paths:
        items = scene.symbols.get(path, ())
        names_by_path[path] = _outer_names(items) | ({"default"} if items else set())
        names_by_path[path] |= await gone_names(scene.exports, path)
    for (_, name), headers in scene.declarations.items():
        for header in headers:
            names_by_path[header] = names_by_path.get(header, frozenset()) | {name.partition(".")[0]}
    return names_by_path


async def _hands_on(
    scene: Scene,
    path: str,
    items: Iterable[Link],
    origins: Mapping[str, set[str]],
    wanted_names: Mapping[str, frozenset[str]],
) -> bool:
    """Return whether a file may re-export a changed name: as a package, or by a statement that hands it on."""
    stem = posixpath.splitext(posixpath.basename(path))[0]
    for item in items:
        names = frozenset().union(*(wanted_names.get(one, frozenset()) for one in origins.get(item.target, ())))
        is_taken = bool(names) and ("*" in item.names or not names.isdisjoint(item.names))
        if is_taken and (stem in BARRELS or item.public):
            return True
        if is_taken and scene.head.language.scope.exports:
            outline = await scene.exports.outline("head", path)
            return outline is not None and not outline.names.isdisjoint(names)
    return False


def _outer_names(items: Iterable[ChangedSymbol]) -> frozenset[str]:
    return frozenset(side.name.partition(".")[0] for item in items for side in item.sides)


# --- Which imports of removed files are broken? ---


async def lost_modules(head: Reach, base: Reach, lost_imports: Mapping[str, Sequence[Link]]) -> tuple[Reference, ...]:
    """Return the broken imports.

    `lost_imports`: file of the head tree -> its imports of removed files. Guarded imports do not count.
    """
    if not lost_imports:
        return ()
    alive = {posixpath.splitext(path)[0] for path in head.paths} | {posixpath.dirname(path) for path in head.paths}
    references: list[Reference] = []
    for path, source in (await head.tree.read_many(sorted(lost_imports))).items():
        resolved_lines = {item.line for item in await head.links(path)}
        if path in head.unread:
            continue
        # if imports name what a file declares, these names are gone as well
        is_by_path = bool(head.language.loader) or not head.declares_content
        items = [item for item in lost_imports[path] if is_by_path]
        uses = resolving.uses(path, source, {word for item in items for word in _import_words(item)})
        guarded_names = {use.name for use in uses if use.is_guarded and use.form == "import"}
        lines = file_lines(source)
        for item in _one_each(items, base):
            is_lost = item.line not in resolved_lines and item.line <= len(lines)
            is_expected = not guarded_names.isdisjoint(_import_words(item))
            if is_lost and not is_expected and head.language.loader in lines[item.line - 1]:
                missing = head.language.whole_files or _stem(item.target) not in alive
                missing = missing and not await _may_be_package(head, item, lines[item.line - 1])
                references.append(_reference(item, path, lines, missing=missing))
    return tuple(references)


async def _may_be_package(head: Reach, item: Link, line: str) -> bool:
    """Return whether a manifest has the name of the removed module, so that a package may provide it now."""
    packaging, word = head.language.packaging, posixpath.basename(_stem(item.target))
    if packaging is None or RELATIVE.search(line):
        return False
    is_first = re.search(rf"(?<![\w./:\\]){re.escape(word)}(?!\w)", line, re.IGNORECASE) is not None
    return is_first and bool(await head.tree.grep(Query([word], packaging.MANIFESTS, word=True)))


def _one_each(items: Sequence[Link], base: Reach) -> list[Link]:
    """Return one import for each namespace, since a removed package counts once."""
    distinct_imports: list[Link] = []
    for item in sorted(items, key=lambda item: (item.line, item.target)):
        if not any(
            item.line == other.line and item.target in base.visible_files(other.target) for other in distinct_imports
        ):
            distinct_imports.append(item)
    return distinct_imports


def _stem(path: str) -> str:
    return posixpath.splitext(path)[0].removesuffix("/__init__").removesuffix("/index")


def _import_words(item: Link) -> frozenset[str]:
    here = {part for _, name in item.aliases for part in name.split(".")}
    return (item.names - {"*"}) | here | {posixpath.basename(_stem(item.target))}


def _reference(item: Link, path: str, lines: Sequence[str], *, missing: bool) -> Reference:
    """Return the reference to a removed file.

    Without `missing`, another file may take its place or be generated.
    """
    name, text = posixpath.basename(_stem(item.target)), lines[item.line - 1].rstrip("\r")
    state: TargetState = "lost" if missing else "unknown"
    symbol, test = f"{item.target}:{MODULE}", is_test(path)
    return Reference(symbol, name, path, item.line, text, MODULE, None, "bound", state, test, form="import")


# --- Which names do the imports of a file bind? ---


def bindings_of(importers: Importers, path: str) -> Bindings:
    """Return the names that a file's imports bind, also through files that export changed ones again."""
    bindings = Bindings()
    for item in importers.links.get(path, ()):
        here = dict(item.aliases)
        for origin in importers.behind.get(item.target, ()):
            for name in item.names:
                if name != "*":
                    local_name = here.get(name, name)
                    bindings.locals[origin, name].add(Local(local_name, item.target, name, line=item.line))
                    if "." in local_name:  # a qualified name: the module is also written where it is used
                        bindings.modules[origin].add((local_name.rpartition(".")[0], item.target))
                elif "*" in here:
                    bindings.modules[origin].add((here["*"], item.target))
                else:
                    bindings.stars[origin].add(item.target)
    return bindings


def searched_names(targets: Iterable[UseTarget], bound: Bindings) -> frozenset[str]:
    """Return the words that may refer to one of the targets in a file."""
    found = set[str]()
    for target in targets:
        found |= target.shorts | _exported_names(target, bound)
        for home, _ in target.exports:
            # also the module before a name, which a parameter may hide
            found.update(here.partition(".")[0] for here, _ in bound.modules.get(home, ()))
    return frozenset(found)


def is_written(target: UseTarget, source: bytes, bound: Bindings) -> bool:
    """Return whether a file contains the target's name, without which it is not parsed."""
    is_member = target.owner and not target.constructor
    names = target.shorts | (set() if is_member else _exported_names(target, bound))
    return WHOLE_MODULE in names or bool(resolving.present(source, {name.rpartition("\\")[2] for name in names}))


def _exported_names(target: UseTarget, bound: Bindings) -> set[str]:
    names = {name for _, name in target.exports}
    return names.union(*((one.here.rpartition(".")[2], one.there) for one in local_names(target, bound)))


def local_names(target: UseTarget, bound: Bindings) -> Iterator[Local]:
    """Yield the local names that a file's imports give the target."""
    for meaning in target.exports:
        yield from bound.locals.get(meaning, ())


def is_imported(target: UseTarget, bound: Bindings) -> bool:
    """Return whether a file imports what it needs to write the target."""
    is_whole = any(home in bound.modules or home in bound.stars for home in target.homes)
    return is_whole or any(meaning in bound.locals for meaning in target.exports)


def classes_of(target: UseTarget, bound: Bindings, path: str) -> dict[str, str]:
    """Return the ways in which a file can write a member's class, with the imported file of each."""
    class_names = {target.owner: "", target.within: ""} if path in target.homes else {}
    outer, _, rest = target.within.partition(".")
    for home, name in target.exports:
        below = f".{rest}" if rest and name == outer else ""
        modules = bound.modules.get(home, ())
        qualified_names = {f"{here}.{name}" for here, _ in modules}
        for way, file in dict(bound.writings(home, name)).items():
            class_names[way if way in qualified_names else f"{way}{below}"] = file
        if home in bound.stars:
            class_names[name] = bound.starred_file(home)
        if name == WHOLE_MODULE and home in target.whole_homes and not rest:
            class_names |= dict(modules)
    return class_names


# --- Which names does a file no longer export? ---


async def gone_names(exports: Exports, path: str) -> frozenset[str]:
    """Return the names that a file no longer exports; empty if that is not certain."""
    if path not in exports.gone:
        names = await _gone_names(exports, path) if await _has_fewer(exports, path) else []
        exports.gone[path] = frozenset([name for name in names if not await may_be_elsewhere(exports, path, name)])
    return exports.gone[path]


async def _gone_names(exports: Exports, path: str) -> list[str]:
    (before, _), (after, is_complete) = await exports.offer("base", path), await exports.offer("head", path)
    was, now = await exports.outline("base", path), await exports.outline("head", path)
    is_certain = is_complete if now is not None else bool(exports.visible_files(path))
    names = [*(before - after)] if is_certain else []
    if was is not None and now is not None:  # what it defined and now imports
        passed_on = (was.defined_names & now.names) - now.defined_names
        names += [name for name in passed_on if await exports.meaning(path, name) == "absent"]
    return sorted(names)


async def _has_fewer(exports: Exports, path: str) -> bool:
    """Return whether a changed file behind this one exports fewer names; unchanged ones are not parsed."""
    before, after = await exports.behind("base", path), await exports.behind("head", path)
    left = [one for one in before if one not in after or not await exports.is_unchanged(one)]
    was = [await exports.outline("base", one) for one in left]
    now = [outline for one in left if one in after and (outline := await exports.outline("head", one)) is not None]
    names = {name for outline in now for name in outline.names}
    own = {name for outline in now for name in outline.defined_names}
    return any(outline is not None and not (outline.names <= names and outline.defined_names <= own) for outline in was)


# --- Which names does the search look for? ---


async def use_targets(scene: Scene, importers: Importers) -> list[UseTarget]:
    """Return targets for changed definitions and for names no longer exported."""
    targets = [await _target(scene, item) for item in scene.every_symbol if item.change != "added"]
    plain_targets = [target for target in targets if not target.owner]
    # a definition that stays may no longer be the module itself
    stays = {(home, WHOLE_MODULE) for target in plain_targets if not target.is_gone for home in target.whole_homes}
    covered_names = {meaning for target in plain_targets for meaning in target.exports} - stays
    for path, origins in sorted(importers.behind.items()):
        known_names = {name for origin, name in covered_names if origin in {path, *origins}}
        lost_names = await gone_names(scene.exports, path) - known_names
        targets += [_lost(path, name) for name in sorted(lost_names)]
    return targets


def _lost(path: str, name: str) -> UseTarget:
    """Return the target for a name that a file no longer exports."""
    homes = frozenset({path})
    return UseTarget(f"{path}:{name}", ((path, name),), frozenset({name}), homes, is_gone=True, whole_homes=homes)


async def _target(scene: Scene, item: ChangedSymbol) -> UseTarget:
    owner = item.sides[0].name.rpartition(".")[0]
    exports, homes, whole_homes = set[Meaning](), set[str](), set[str]()
    for side in item.sides:
        for path in (side.path, *sorted(scene.declarations.get((item.symbol.path, side.name), ()))):
            outline = await scene.exports.outline(side.side, path)
            exported_names = exported_as(outline, side.name, is_visible=bool(scene.head.visible_files(path)))
            exports.update((path, name) for name in exported_names)
            homes.add(path)
            whole_homes.update([path] if outline is not None and outline.is_whole else [])
    return UseTarget(
        key=item.key,
        exports=tuple(sorted(exports)),
        shorts=frozenset(side.short for side in item.sides),
        homes=frozenset(homes),
        symbol=item,
        within=owner,
        is_gone=item.change in LOST and item.symbol.kind != "implementation" and not _may_be_there(scene, item),
        whole_homes=frozenset(whole_homes),
    )


def _may_be_there(scene: Scene, item: ChangedSymbol) -> bool:
    """Return whether a file does not parse and still contains the name, which it may define."""
    from deeprepo.impact.language import language_of  # grammars load with the first search
    from deeprepo.impact.reading.syntax import has_errors

    if (was := item.before) is None:
        return False
    for source in scene.sources:
        if source.file.old_path == was.path and resolving.present(source.after, {was.short}):
            language = language_of(source.file.path)
            return language is not None and has_errors(language, source.after) is not False
    return False


def exported_as(outline: Outline | None, name: str, *, is_visible: bool) -> frozenset[str]:
    """Return the names under which a file exports a definition or a class around it.

    `is_visible`: whether other files see the file's definitions without an import.
    """
    around = {name, *(name[:at] for at, letter in enumerate(name) if letter == ".")}
    found = frozenset(there for there, local in (outline.exports if outline is not None else ()) if local in around)
    return found or frozenset({name.partition(".")[0]} if is_visible else ())
