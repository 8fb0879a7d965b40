"""Find who imports the changed files.

A file may import a changed one directly, through a header, or through a file that exports its names again
(`reexports.py`).
"""

from collections import defaultdict
from collections.abc import Iterable

from deeprepo.impact.changes import ChangedSymbol, Dependent, Reference
from deeprepo.impact.concurrency import together
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.budget import Gaps, SearchLimits
from deeprepo.impact.uses.exports import Exports
from deeprepo.impact.uses.prototypes import HeadersByDefinition
from deeprepo.impact.uses.reach import Reach
from deeprepo.impact.uses.symbols import ChangedSource
from deeprepo.impact.values import Link

Meaning = tuple[str, str]  # a changed file and a name in it; "*" is the whole file


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
