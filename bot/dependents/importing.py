"""Who imports the changed files: directly, through a header that declares them, through files that hand names on."""

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bot.concurrency import together
from bot.dependents.confirm import Reach
from bot.dependents.exports import Exports
from bot.dependents.prototypes import HeadersByDefinition
from bot.dependents.symbols import ChangedSource
from bot.text.paths import is_test
from bot.values import ChangedSymbol, Dependent, Import, Reference

BARRELS = frozenset({"__init__", "index"})
HOPS = 2


@dataclass(slots=True)
class Scene:
    """Everything known about the changed files of one language."""

    sources: list[ChangedSource]
    symbols: dict[str, tuple[ChangedSymbol, ...]]
    head: Reach
    base: Reach
    exports: Exports
    declarations: HeadersByDefinition = field(default_factory=dict)
    importers: dict[str, list[Import]] = field(default_factory=lambda: defaultdict(list))  # file -> imports that matter
    lost_imports: dict[str, list[Import]] = field(
        default_factory=lambda: defaultdict(list)
    )  # file -> imports of files that are gone
    origins: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # file -> changed files it hands on


async def importing(scene: Scene) -> tuple[Dependent, ...]:
    """The files that import a changed one, directly or through a file that hands its names on."""
    here = {source.file.path for source in scene.sources if source.file.status != "deleted"}
    past = {old for source in scene.sources if (old := source.file.old_path) and old not in scene.head.paths}
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
    dependents_found: dict[tuple[str, str], Dependent], path: str, item: Import, via: str | None, target: str = ""
) -> None:
    key = target or item.target, path
    earlier = dependents_found.get(key)
    names = item.names | earlier.names if earlier else item.names
    line, way = (earlier.line, earlier.via) if earlier else (item.line, via)
    dependents_found[key] = Dependent(path, key[0], names, line, way, is_test(path))


async def _declaring(scene: Scene, here: set[str]) -> Mapping[str, tuple[Import, ...]]:
    """Who imports an unchanged header that declares what a changed file defines."""
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
    direct: Mapping[str, tuple[Import, ...]],
    changed_paths: set[str],
    dependents_found: dict[tuple[str, str], Dependent],
) -> None:
    """Two hops through files that hand names on: whoever takes a changed name from them depends on its file."""
    wanted_names = await _wanted_names(scene, changed_paths)
    importers, visited = direct, set(changed_paths)
    known_paths = {target for target, _ in dependents_found} | changed_paths
    for _ in range(HOPS):
        barrels = {path for path, items in importers.items() if _hands_on(path, items, scene.origins, wanted_names)}
        for barrel in [*barrels, *barrels]:  # twice: one may import another of them
            scene.origins[barrel] |= {o for item in importers[barrel] for o in scene.origins.get(item.target, ())}
        importers = await scene.head.importers(barrels - visited)
        targets = {item.target for items in importers.values() for item in items}
        for barrel in barrels - visited - targets:  # nobody takes anything from it
            del scene.origins[barrel]
        visited |= barrels
        for path, items in importers.items():
            for item in items:
                origins = scene.origins[item.target] - {path}
                takers = [o for o in origins if "*" in item.names or item.names & wanted_names.get(o, frozenset())]
                if takers and item not in scene.importers[path]:
                    scene.importers[path].append(item)
                for origin in known_paths.intersection(takers):
                    _note(dependents_found, path, item, item.target, origin)


async def _wanted_names(scene: Scene, changed_paths: Iterable[str]) -> dict[str, frozenset[str]]:
    """The changed names of each changed file, those that it offers no longer, and those that a header declares."""
    names_by_path: dict[str, frozenset[str]] = {}
    for path in changed_paths:
        items = scene.symbols.get(path, ())
        names_by_path[path] = (_outer_names(items) if items else frozenset()) | await scene.exports.gone_names(path)
    for (_, name), headers in scene.declarations.items():
        for header in headers:
            names_by_path[header] = names_by_path.get(header, frozenset()) | {name.partition(".")[0]}
    return names_by_path


def _hands_on(
    path: str, items: Iterable[Import], origins: Mapping[str, set[str]], wanted_names: Mapping[str, frozenset[str]]
) -> bool:
    """Whether a file may offer a changed name that it imports: by its own name, by a star, or because it says so."""
    stem = posixpath.splitext(posixpath.basename(path))[0]
    for item in items:
        names = frozenset().union(*(wanted_names.get(one, frozenset()) for one in origins.get(item.target, ())))
        is_taken = bool(names) and ("*" in item.names or not names.isdisjoint(item.names))
        whole = "*" in item.names and "*" not in dict(item.aliases)
        if is_taken and (stem in BARRELS or item.public or whole):
            return True
    return False


def _outer_names(items: Iterable[ChangedSymbol]) -> frozenset[str]:
    """The outermost names of changed definitions, before and after."""
    sides = [side for item in items for side in (item.before, item.after) if side is not None]
    return frozenset(side.name.partition(".")[0] for side in sides) | {"default"}


def beside(scene: Scene, references: Iterable[Reference]) -> tuple[Dependent, ...]:
    """Files that use a changed name without importing it: the first such line is the proof."""
    dependents_found: dict[tuple[str, str], Dependent] = {}
    for row in sorted((row for row in references if row.sure), key=lambda row: (row.path, row.line)):
        target = row.symbol.rpartition(":")[0]
        if row.path in scene.head.mates(target):
            earlier = dependents_found.get((target, row.path))
            names = frozenset({row.name}) | (earlier.names if earlier else frozenset())
            line = earlier.line if earlier else row.line
            dependents_found[target, row.path] = Dependent(row.path, target, names, line, None, row.test)
    return tuple(dependents_found.values())
