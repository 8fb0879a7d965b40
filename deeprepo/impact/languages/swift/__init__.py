"""Resolve Swift modules: the files of a target see each other, and `import` names a whole target.

Targets are declared in Package.swift, or are folders below `Sources` or `Tests`. Other files, such as those
of an Xcode project, count as one module, since its project file is not read.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from deeprepo.impact.language import Language, language_of
from deeprepo.impact.paths import Paths
from deeprepo.impact.reading import reader, syntax
from deeprepo.impact.reading.lexical import config
from deeprepo.impact.reading.matching import matches
from deeprepo.impact.reading.memo import memo
from deeprepo.impact.reading.nodes import text
from deeprepo.impact.resolving.namespaces import Namespaces
from deeprepo.impact.values import Definition, Facts, Import

SUFFIXES = (".swift",)
FOLDERS = ("Sources", "Source", "src", "srcs", "Tests")
BELOW = re.compile(rf"(?:^|(?<=/))(?:{'|'.join(FOLDERS)})/([^/]++)/")
DOCUMENTATION = ".docc/"
INTERNAL = "@testable "  # before the name of a module: a namespace with its internal names, too
Module = tuple[str, str]  # package folder and target name; ("", "") for files of no package


class SearchModules(Namespaces):
    """The modules of one tree. The names of a module are those of its files that were registered."""

    has_broad_imports = True

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        super().__init__(paths, configs)
        self._folders = dict(_folders(configs))
        self._now: dict[str, frozenset[str]] = {}  # registered file -> its names on the side registered last
        self._files_of: dict[Module, set[str]] = defaultdict(set)
        for path in paths.files:
            if path.endswith(SUFFIXES):
                self._files_of[self.module(path)].add(path)
        self._exported: dict[str, set[str]] = defaultdict(set)  # module -> the modules that it re-exports
        for path, source in configs.items():
            language = language_of(path) if path.endswith(SUFFIXES) else None
            facts = reader.facts(language, config(source)) if language is not None else None
            if facts is not None:
                self._exported[self.module(path)[1]] |= {one.spec for one in facts.imports if one.hands_on}

    def module(self, path: str) -> Module:
        """Return the module of a file. Documentation code is not built, so each file is its own module."""
        if DOCUMENTATION in path:
            return path, ""
        folder = posixpath.dirname(path)
        while folder:
            if folder in self._folders:
                return self._folders[folder]
            folder = posixpath.dirname(folder)
        below = list(BELOW.finditer(path))
        return (path[: below[-1].start()].rstrip("/"), below[-1][1]) if below else ("", "")

    def register(self, path: str, facts: Facts) -> None:
        """Register the names of a file: those that are public, and all."""
        module = self.module(path)[1]
        offered = [one for one in facts.definitions if _is_offered(one)]
        self.place(path, (module,))
        self._now[path] = frozenset(one.name for one in offered)
        self._names |= self._now[path]
        for one in offered if path in self.paths.files else ():
            self._files[INTERNAL + module, one.name].add(path)
            if one.visible == "anywhere":
                self._files[module, one.name].add(path)

    def names(self, path: str, facts: Facts) -> tuple[frozenset[str], frozenset[str]]:
        """Return the top-level names of a file."""
        return frozenset(one.name for one in facts.definitions if _is_offered(one)), frozenset()

    def names_unread(self, path: str) -> Collection[str]:
        """Return (): a path does not show what a file defines."""
        return ()

    def in_sight(self, path: str, written: Collection[str]) -> Collection[str]:
        """Return (): the other files of a module are its visible files."""
        return ()

    def opened(self, item: Import) -> Iterator[str]:
        """Yield the namespaces of an imported module, and of those that it re-exports."""
        yield from (INTERNAL + item.spec,) if item.of_type else ()
        modules = [item.spec]
        for module in modules:
            yield module
            modules += sorted(self._exported.get(module, set()) - {*modules})

    def holding(self, importer: str, space: str, name: str) -> Collection[str]:
        """Return the files of a module that define a name, or that lost it if no file in sight now has it.

        Without a namespace, this is the importer's own module.
        """
        own = self.module(importer)
        mates = {path for path in self._files.get((INTERNAL + own[1], name), ()) if self.module(path) == own}
        if not space:
            return mates
        others = self._files.get((space, name), set()) - mates
        now = {path for path in others | mates if name in self._now[path]}
        return others & now if now else others

    def mates(self, path: str, changed: Collection[str]) -> Collection[str]:
        """Return the other files of the module."""
        return self._files_of.get(self.module(path), set()) - {path}


def _is_offered(one: Definition) -> bool:
    """Return whether other files can name a definition without an object."""
    return not one.owner and one.visible != "file" and one.kind != "holder"


def _folders(configs: Mapping[str, bytes]) -> Iterator[tuple[str, Module]]:
    for path, source in sorted(configs.items()):
        language = language_of(path) if posixpath.basename(path) == "Package.swift" else None
        home = posixpath.dirname(path)
        for name, folder in (_targets(language, config(source)) or ()) if language is not None else ():
            yield posixpath.normpath(posixpath.join(home, folder)), (home, name)


@memo
def _targets(language: Language, source: bytes) -> tuple[tuple[str, str], ...] | None:
    root = syntax.parse(language, source)
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for row in matches(language, ("targets",), root)["targets"] if root is not None else ():
        found[row["target"][0].id][text(row["label"][0])] = text(row["text"][0])
    return tuple((one["name"], one["path"]) for one in found.values() if one.keys() >= {"name", "path"})


class Swift(Language, frozen=True):
    """Swift. Its files are searched for references only, since no import names a file."""

    search_modules = SearchModules
    ordered_arguments = True
