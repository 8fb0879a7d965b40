"""Define how the imports of a language are resolved to files of one tree."""

from collections.abc import Collection, Iterator, Mapping

from deeprepo.impact.paths import Paths
from deeprepo.impact.values import Clues, Import, Link


class Resolver:
    """Resolves imports in one tree. The defaults know nothing; a language overrides what it can tell."""

    # whether a statement may import a file without naming it or its folder
    imports_unnamed: bool = False

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        """Take the configuration files that `language.toml` asks for, by path."""

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return the files that an import refers to; if a name is given, those that may define it.

        Return () if the import refers to missing files of this tree, None if it is unknown or a library.
        """
        return None

    def links(self, importer: str, item: Import, source: bytes) -> Iterator[Link]:
        """Yield what a file imports with one statement, by file. A name that is a module means all of it."""
        names: dict[str, dict[str, str]] = {}
        for bound in item.names:
            inner = self.inner(importer, item, bound.there)
            for file in inner or self.files(importer, item, bound.there) or ():
                there, taken = "*" if inner else bound.there, names.setdefault(file, {})
                taken[there] = bound.here or taken.get(there, "")
        if item.whole or item.star or not item.names:
            for file in self.files(importer, item) or ():
                taken = names.setdefault(file, {})
                if item.whole or item.star:
                    taken["*"] = item.whole
        for file, taken in names.items():
            aliases = tuple((there, here) for there, here in taken.items() if there != here and (here or there != "*"))
            yield Link(file, frozenset(taken), item.line, aliases, item.star and item.hands_on)

    def inner(self, importer: str, item: Import, name: str) -> tuple[str, ...] | None:
        """Return the files of the module that an imported name refers to; () if it is no module, None if unknown."""
        return ()

    def visible_files(self, path: str, name: str = "") -> tuple[str, ...]:
        """Return the files whose names a file sees without an import, including itself.

        If a name is given, return those that may define it; () if the file sees only its own names.
        """
        return ()

    def may_make(self, files: Collection[str], sources: Mapping[str, bytes]) -> bool:
        """Return whether a build may add names to a module. `sources`: those of its files that were read."""
        return False

    def names_of_project(self, path: str) -> Collection[str]:
        """Return the names that a file has from its project, without an import."""
        return ()

    def beside(self, importer: str, item: Import) -> tuple[str, Collection[str]]:
        """Return the names next to a missing module: the part of the import that exists, and what can follow it."""
        return "", ()

    def clues(self, path: str) -> Clues:
        """Return what a file that imports a path must contain."""
        return Clues(frozenset())
