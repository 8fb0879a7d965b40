"""Find who imports the changed files, and what names these imports bind.

A file may import a changed one directly, through a header, or through a file that exports its names again
(`reexports.py`).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

from deeprepo.impact.changes import ChangedSymbol, Dependent, Reference
from deeprepo.impact.concurrency import together
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.text.paths import is_test
from deeprepo.impact.uses.budget import Gaps, SearchLimits
from deeprepo.impact.uses.exports import Exports
from deeprepo.impact.uses.indirect import HeadersByDefinition
from deeprepo.impact.uses.reach import Reach
from deeprepo.impact.uses.symbols import ChangedSource
from deeprepo.impact.values import MODULE, Link, Use

Meaning = tuple[str, str]  # a changed file and a name in it; "*" is the whole file
ReExported = Mapping[str, Mapping[str, Collection[Meaning]]]  # file -> exported name -> its meanings


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


class Local(Struct, frozen=True):
    """A local name for something imported."""

    here: str
    imported_file: str
    there: str  # its name in the imported file
    receiver: str = ""  # the qualifier before the name
    span: tuple[int, int] | None = None  # the lines in which it applies; None stands for all
    line: int = 0  # of the import


class Importers(Struct):
    """The files that import a changed file, and what each of them imports."""

    links: dict[str, list[Link]] = field(default_factory=lambda: defaultdict(list))  # importer -> relevant imports
    lost: dict[str, list[Link]] = field(default_factory=lambda: defaultdict(list))  # importer -> those of removed files
    # imported file -> the changed files whose names it exports: itself, or those behind it
    behind: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    # a file that exports single changed names again -> exported name -> the changed names behind it
    reexports: dict[str, dict[str, set[Meaning]]] = field(default_factory=lambda: defaultdict(dict))
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

    def bindings(self, path: str) -> "Bindings":
        """Return what the imports of a file bind."""
        return bind(self.links.get(path, ()), self.behind, self.reexports)


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
            for local in local_names:
                way = f"{local.receiver}.{local.here}" if local.receiver else local.here
                meanings_by_way.setdefault(way, set()).add((origin, name, local.imported_file))
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
    imports: Iterable[Link], behind: Mapping[str, Collection[str]], reexports: ReExported = MappingProxyType({})
) -> Bindings:
    """Return the names that a file's imports bind.

    `behind`: imported file -> changed files that it re-exports; `reexports`: files that re-export single names.
    """
    bindings = Bindings()
    for item in imports:
        here = dict(item.aliases)
        for origin in behind.get(item.target, ()):
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
        for there, meanings in reexports.get(item.target, {}).items():
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
