"""Imports that the change lets mean another file: one that it adds stands before the one that they meant.

`shop/cart/__init__.py` beside `shop/cart.py`, `cart.js` beside `cart/index.js`, `json.py` beside a script: no line of the importers changes,
and all of them get another module. What it offers is not compared: each such import is open until somebody has read it.
"""

import posixpath
from collections import defaultdict
from collections.abc import Collection, Mapping

from bot.dependents.importing import Scene
from bot.dependents.sites import MODULE
from bot.text.paths import is_test
from bot.values import ChangedSymbol, Dependents, Import, Reference, Symbol


async def shadowed_imports(scene: Scene, fresh: Mapping[str, Collection[int]]) -> Dependents:
    """The unchanged imports that land on an added file and meant another one before. `fresh`: the lines that the change adds."""
    added_paths = {
        source.file.path
        for source in scene.sources
        if source.file.status != "deleted" and source.file.path not in scene.base.paths
    }
    importers = {
        path: [item for item in items if item.target in added_paths and item.line not in fresh.get(path, ())]
        for path, items in scene.importers.items()
    }
    sources = await scene.head.tree.read_many(sorted(path for path, items in importers.items() if items))
    came_from = {source.file.path: source.file.old_path for source in scene.sources}
    symbols: dict[str, ChangedSymbol] = {}
    references: list[Reference] = []
    for path, source in sources.items():
        before, after = _targets(scene.base.project.imports(path, source)), _targets(await scene.head.imports(path))
        lines = source.decode("utf-8", "replace").split("\n")
        for item in importers[path]:
            lost_targets = before[item.line] - after[item.line]
            left = {one for one in lost_targets if one in scene.head.paths and one != came_from.get(item.target)}
            outside = not before[item.line] and _beside(path, item.target)
            if (left or outside) and 0 < item.line <= len(lines):
                was = Symbol(min(left), MODULE, "module", 1, 1, "base") if left else None
                now = Symbol(item.target, MODULE, "module", 1, 1, "head")
                symbols[item.target] = ChangedSymbol(was, now, "renamed" if was else "added", ("renamed",))
                references.append(_reference(item, path, lines[item.line - 1].rstrip("\r")))
    return Dependents(symbols=tuple(symbols.values()), references=tuple(dict.fromkeys(references)))


def _targets(items: Collection[Import]) -> dict[int, set[str]]:
    targets_by_line: dict[int, set[str]] = defaultdict(set)
    for item in items:
        targets_by_line[item.line].add(item.target)
    return targets_by_line


def _beside(path: str, target: str) -> bool:
    """Whether a file stands where it is found before what is installed: in the folder of who imports it, or in one around that."""
    folder = posixpath.dirname(target)
    return not folder or path.startswith(f"{folder}/")


def _reference(item: Import, path: str, text: str) -> Reference:
    return Reference(
        symbol=f"{item.target}:{MODULE}",
        name=posixpath.splitext(posixpath.basename(item.target))[0],
        path=path,
        line=item.line,
        text=text,
        function=MODULE,
        span=None,
        sure=True,
        test=is_test(path),
        form="import",
    )
