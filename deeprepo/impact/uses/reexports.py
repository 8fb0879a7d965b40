"""Follow changed names through the files that export them again: packages, and statements that hand names on."""

import posixpath
from collections.abc import Iterable, Mapping, Sequence

from deeprepo.impact.changes import ChangedSymbol
from deeprepo.impact.uses.importing import Importers, Scene
from deeprepo.impact.values import Link

BARRELS = frozenset({"__init__", "index"})
HOPS = 2  # from one such file to the next


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
        names_by_path[path] |= await scene.exports.gone_names(path)
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
    """Return the outermost names of changed definitions, before and after."""
    sides = [side for item in items for side in (item.before, item.after) if side is not None]
    return frozenset(side.name.partition(".")[0] for side in sides)
