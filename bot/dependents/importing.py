"""Who imports the changed files: directly, through a header that declares them, through files that hand names on."""

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bot.concurrency import together
from bot.dependents.confirm import Reach
from bot.dependents.declared import Declared
from bot.dependents.exports import Exports
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
    declared: Declared = field(default_factory=dict)
    importers: dict[str, list[Import]] = field(default_factory=lambda: defaultdict(list))  # file -> imports that matter
    lost: dict[str, list[Import]] = field(
        default_factory=lambda: defaultdict(list)
    )  # file -> imports of files that are gone
    origins: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # file -> changed files it hands on


async def importing(scene: Scene) -> tuple[Dependent, ...]:
    """The files that import a changed one, directly or through a file that hands its names on."""
    here = {source.file.path for source in scene.sources if source.file.status != "deleted"}
    past = {old for source in scene.sources if (old := source.file.old_path) and old not in scene.head.paths}
    direct, lost = await together(scene.head.importers(here), scene.base.importers(past))
    moves = {source.file.old_path: source.file.path for source in scene.sources}
    others = {path: tuple(item for item in items if moves[item.target] != path) for path, items in lost.items()}
    lost = {path: items for path, items in others.items() if items}
    found: dict[tuple[str, str], Dependent] = {}
    for path in here | past:
        scene.origins[path].add(path)
    for importers, kept in ((direct, scene.importers), (lost, scene.lost)):
        for path, items in importers.items():
            kept[path] += items
            for item in items:
                _note(found, path, item, None)
    for path, items in lost.items():
        scene.importers[path] += items
    reached = {**direct, **await _declaring(scene, here)}
    await _through_barrels(scene, reached, here, found)
    return tuple(sorted(found.values(), key=lambda item: (item.target, item.test, item.path)))


def _note(found: dict[tuple[str, str], Dependent], path: str, item: Import, via: str | None, target: str = "") -> None:
    key = target or item.target, path
    known = found.get(key)
    names = item.names | known.names if known else item.names
    line, way = (known.line, known.via) if known else (item.line, via)
    found[key] = Dependent(path, key[0], names, line, way, is_test(path))


async def _declaring(scene: Scene, here: set[str]) -> Mapping[str, tuple[Import, ...]]:
    """Who imports an unchanged header that declares what a changed file defines."""
    declaring = {header for listed in scene.declared.values() for header in listed} - here
    headers = {header for header in declaring if header in scene.head.paths}
    reached = await scene.head.importers(headers) if headers else {}
    for header in headers:
        scene.origins[header].add(header)
    for path, items in reached.items():
        scene.importers[path] += [item for item in items if item not in scene.importers[path]]
    return {path: tuple(scene.importers[path]) for path in reached}


async def _through_barrels(
    scene: Scene, direct: Mapping[str, tuple[Import, ...]], changed: set[str], found: dict[tuple[str, str], Dependent]
) -> None:
    """Two hops through files that hand names on: whoever takes a changed name from them depends on its file."""
    wanted = await _asked(scene, changed)
    reached, seen = direct, set(changed)
    known = {target for target, _ in found} | changed
    for _ in range(HOPS):
        barrels = {path for path, items in reached.items() if _hands_on(path, items, scene.origins, wanted)}
        for barrel in [*barrels, *barrels]:  # twice: one may import another of them
            scene.origins[barrel] |= {o for item in reached[barrel] for o in scene.origins.get(item.target, ())}
        reached = await scene.head.importers(barrels - seen)
        taken = {item.target for items in reached.values() for item in items}
        for barrel in barrels - seen - taken:  # nobody takes anything from it
            del scene.origins[barrel]
        seen |= barrels
        for path, items in reached.items():
            for item in items:
                origins = scene.origins[item.target] - {path}
                takers = [o for o in origins if "*" in item.names or item.names & wanted.get(o, frozenset())]
                if takers and item not in scene.importers[path]:
                    scene.importers[path].append(item)
                for origin in known.intersection(takers):
                    _note(found, path, item, item.target, origin)


async def _asked(scene: Scene, changed: Iterable[str]) -> dict[str, frozenset[str]]:
    """The changed names of each changed file, those that it offers no longer, and those that a header declares."""
    found: dict[str, frozenset[str]] = {}
    for path in changed:
        items = scene.symbols.get(path, ())
        found[path] = (_written(items) if items else frozenset()) | await scene.exports.gone(path)
    for (_, name), headers in scene.declared.items():
        for header in headers:
            found[header] = found.get(header, frozenset()) | {name.partition(".")[0]}
    return found


def _hands_on(
    path: str, items: Iterable[Import], origins: Mapping[str, set[str]], wanted: Mapping[str, frozenset[str]]
) -> bool:
    """Whether a file may offer a changed name that it imports: by its own name, by a star, or because it says so."""
    stem = posixpath.splitext(posixpath.basename(path))[0]
    for item in items:
        asked = frozenset().union(*(wanted.get(one, frozenset()) for one in origins.get(item.target, ())))
        taken = bool(asked) and ("*" in item.names or not asked.isdisjoint(item.names))
        whole = "*" in item.names and "*" not in dict(item.aliases)
        if taken and (stem in BARRELS or item.public or whole):
            return True
    return False


def _written(items: Iterable[ChangedSymbol]) -> frozenset[str]:
    """The outermost names of changed definitions, before and after."""
    sides = [side for item in items for side in (item.before, item.after) if side is not None]
    return frozenset(side.name.partition(".")[0] for side in sides) | {"default"}


def beside(scene: Scene, references: Iterable[Reference]) -> tuple[Dependent, ...]:
    """Files that use a changed name without importing it: the first such line is the proof."""
    found: dict[tuple[str, str], Dependent] = {}
    for row in sorted((row for row in references if row.sure), key=lambda row: (row.path, row.line)):
        target = row.symbol.rpartition(":")[0]
        if row.path in scene.head.mates(target):
            known = found.get((target, row.path))
            names = frozenset({row.name}) | (known.names if known else frozenset())
            line = known.line if known else row.line
            found[target, row.path] = Dependent(row.path, target, names, line, None, row.test)
    return tuple(found.values())
