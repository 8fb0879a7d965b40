"""The straight line: changed symbols, who imports their files, and the places where they are used."""

import asyncio
import posixpath
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.dependents import symbols
from bot.dependents.budget import Budget, minified
from bot.dependents.confirm import Reach, both
from bot.dependents.exports import Exports
from bot.dependents.lost import lost_modules
from bot.dependents.search import Search
from bot.dependents.sites import TEST, Target
from bot.dependents.symbols import Source
from bot.ports import Language, Tree
from bot.values import ChangedFile, ChangedSymbol, Dependent, Dependents, Import

BARRELS = frozenset({"__init__", "index"})
HOPS = 2


@dataclass(slots=True)
class _Scene:
    """Everything known about the changed files of one language."""

    sources: list[Source]
    symbols: dict[str, tuple[ChangedSymbol, ...]]
    head: Reach
    base: Reach
    exports: Exports
    importers: dict[str, list[Import]] = field(default_factory=lambda: defaultdict(list))  # file -> imports that matter
    lost: dict[str, list[Import]] = field(
        default_factory=lambda: defaultdict(list)
    )  # file -> imports of files that are gone
    origins: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # file -> changed files it hands on


async def find(
    tree: Tree,
    files: Sequence[ChangedFile],
    languages: Mapping[str, Language],
    budget: Budget = Budget(),  # noqa: B008 - frozen
) -> Dependents:
    """What the change can break. `languages`: name -> language; the suffix of a file decides who reads it."""
    cut: list[str] = []
    chosen = _chosen(files, languages, budget, cut)
    parts = await asyncio.gather(*(_of_language(tree, language, mine, budget, cut) for language, mine in chosen))
    return Dependents(
        symbols=tuple(symbol for part in parts for symbol in part.symbols),
        files=tuple(dependent for part in parts for dependent in part.files),
        references=tuple(reference for part in parts for reference in part.references),
        cut=tuple(dict.fromkeys(cut)),
    )


def _chosen(
    files: Sequence[ChangedFile], languages: Mapping[str, Language], budget: Budget, cut: list[str]
) -> list[tuple[Language, list[ChangedFile]]]:
    """The changed files that some language reads, tests last, as many as the budget allows."""
    by_suffix = {suffix: language for language in languages.values() for suffix in language.SUFFIXES}
    read = [(by_suffix.get(posixpath.splitext(file.path)[1].lower()), file) for file in files if file.skip is None]
    known = sorted(
        ((lang, file) for lang, file in read if lang is not None), key=lambda row: bool(TEST.search(row[1].path))
    )
    if len(known) > budget.files:
        cut.append(f"dependents were looked for of {budget.files} of the {len(known)} changed source files")
    mine: dict[str, tuple[Language, list[ChangedFile]]] = {}
    for language, file in known[: budget.files]:
        mine.setdefault(language.NAME, (language, []))[1].append(file)
    return list(mine.values())


async def _of_language(
    tree: Tree, language: Language, files: Sequence[ChangedFile], budget: Budget, cut: list[str]
) -> Dependents:
    sources = await _sources(tree, language, files, budget, cut)
    head, base = await both(tree, language)
    found = symbols.moved(sources, {source.file.path: symbols.changed(source) for source in sources})
    scene = _Scene(sources, _limited(found, budget, cut), head, base, Exports({"head": head, "base": base}))
    dependents = await _dependents(scene)
    broken = await lost_modules(scene.head, scene.lost)
    gone = frozenset((row.path, row.symbol.rpartition(":")[0]) for row in broken)
    fresh = {file.path: file.added for file in files}
    search = Search(tree, language, scene.importers, scene.origins, scene.exports, budget, cut, fresh, gone)
    references = await search.run(await _targets(scene))
    every = tuple(item for items in scene.symbols.values() for item in items)
    return Dependents(every, dependents, (*broken, *references))


async def _sources(
    tree: Tree, language: Language, files: Sequence[ChangedFile], budget: Budget, cut: list[str]
) -> list[Source]:
    before = await tree.read_many([file.old_path for file in files if file.old_path], "base")
    after = await tree.read_many([file.path for file in files if file.status != "deleted"])
    found = []
    for file in files:
        old = before.get(file.old_path) if file.old_path else None
        new = after.get(file.path) if file.status != "deleted" else None
        if any(len(source) > budget.bytes or minified(source) for source in (old, new) if source is not None):
            cut.append(f"{file.path} is too large or minified: its definitions were not compared")
        elif old is not None or new is not None:
            found.append(symbols.read(file, language, old, new))
        else:
            cut.append(f"{file.path} could not be read: its definitions were not compared")
    return found


def _limited(
    found: Mapping[str, tuple[ChangedSymbol, ...]], budget: Budget, cut: list[str]
) -> dict[str, tuple[ChangedSymbol, ...]]:
    """What can break callers first: removed, renamed, a new signature; then bodies."""
    order = {"removed": 0, "renamed": 0, "signature": 1, "body": 2, "added": 3}
    limited = {}
    for path, items in found.items():
        if len(items) > budget.symbols:
            cut.append(f"{path}: {budget.symbols} of its {len(items)} changed definitions were looked up")
        limited[path] = tuple(sorted(items, key=lambda item: order[item.change])[: budget.symbols])
    return limited


async def _dependents(scene: _Scene) -> tuple[Dependent, ...]:
    """The files that import a changed one, directly or through a file that hands its names on."""
    here = {source.file.path for source in scene.sources if source.file.status != "deleted"}
    past = {old for source in scene.sources if (old := source.file.old_path) and old not in scene.head.paths}
    direct, lost = await asyncio.gather(scene.head.importers(here), scene.base.importers(past))
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
    await _through_barrels(scene, direct, here, found)
    return tuple(sorted(found.values(), key=lambda item: (item.target, item.test, item.path)))


def _note(found: dict[tuple[str, str], Dependent], path: str, item: Import, via: str | None, target: str = "") -> None:
    key = target or item.target, path
    known = found.get(key)
    names = item.names | known.names if known else item.names
    line, way = (known.line, known.via) if known else (item.line, via)
    found[key] = Dependent(path, key[0], names, line, way, bool(TEST.search(path)))


async def _through_barrels(
    scene: _Scene, direct: Mapping[str, tuple[Import, ...]], changed: set[str], found: dict[tuple[str, str], Dependent]
) -> None:
    """Two hops through files that hand names on: whoever takes a changed name from them depends on its file."""
    wanted = {path: _written(items) for path, items in scene.symbols.items()}
    reached, seen = direct, set(changed)
    for _ in range(HOPS):
        barrels = {path for path, items in reached.items() if _hands_on(path, items)}
        for barrel in [*barrels, *barrels]:  # twice: one may import another of them
            scene.origins[barrel] |= {o for item in reached[barrel] for o in scene.origins.get(item.target, ())}
        reached = await scene.head.importers(barrels - seen)
        seen |= barrels
        for path, items in reached.items():
            for item in items:
                origins = scene.origins[item.target] - {path}
                takers = [o for o in origins if "*" in item.names or item.names & wanted.get(o, frozenset())]
                if takers and item not in scene.importers[path]:
                    scene.importers[path].append(item)
                for origin in takers:
                    _note(found, path, item, item.target, origin)


def _hands_on(path: str, items: Iterable[Import]) -> bool:
    """Whether a file may offer what it imports: by its name, or by a star."""
    stem = posixpath.splitext(posixpath.basename(path))[0]
    return stem in BARRELS or any("*" in item.names and "*" not in dict(item.aliases) for item in items)


def _written(items: Iterable[ChangedSymbol]) -> frozenset[str]:
    """The outermost names of changed definitions, before and after."""
    sides = [side for item in items for side in (item.before, item.after) if side is not None]
    return frozenset(side.name.partition(".")[0] for side in sides) | {"default"}


async def _targets(scene: _Scene) -> list[Target]:
    """Every changed definition, and every name that a changed file or a barrel no longer offers."""
    found = [await _target(scene, item) for items in scene.symbols.values() for item in items if item.change != "added"]
    covered = {(path, name) for target in found if not target.owner for path, names in target.doors for name in names}
    for path in sorted(scene.origins):
        known = {name for origin, name in covered if origin in {path, *scene.origins[path]}}
        lost = sorted(await scene.exports.gone(path) - known)
        found += [
            Target(f"{path}:{name}", ((path, frozenset({name})),), frozenset({name}), frozenset({path}), gone=True)
            for name in lost
        ]
    return found


async def _target(scene: _Scene, item: ChangedSymbol) -> Target:
    sides = [side for side in (item.before, item.after) if side is not None]
    owner = sides[0].name.rpartition(".")[0]
    doors: dict[str, frozenset[str]] = {}
    for side in sides:
        outline = await scene.exports.outline(side.side, side.path)
        outer = side.name.partition(".")[0]
        offered = frozenset(name for name, local in (outline.exports if outline else ()) if local in (outer, side.name))
        doors[side.path] = doors.get(side.path, frozenset()) | offered
    symbol = item.symbol
    return Target(
        key=f"{symbol.path}:{symbol.name}",
        doors=tuple(doors.items()),
        shorts=frozenset(side.short for side in sides),
        homes=frozenset(side.path for side in sides),
        symbol=item,
        owner=owner.rpartition(".")[2],
        gone=item.change in ("removed", "renamed"),
    )
