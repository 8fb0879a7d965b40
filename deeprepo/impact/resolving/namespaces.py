"""Resolve names in languages whose files declare their namespace, which may span several files."""

import posixpath
import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import ClassVar

from deeprepo.impact.paths import Paths
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.values import Clues, Facts, Import


class Namespaces(Resolver, ABC):
    """The namespaces of one tree, from the declarations in files and, for files not read, from paths."""

    declares_content: ClassVar[bool] = True  # files declare what they contain, independent of their paths
    # code refers to a type by a name that includes its namespace; else, only by the last part
    spells_spaces: ClassVar[bool] = True
    # an import names so much that the first line with a name tells more than the line of the import
    has_broad_imports: ClassVar[bool] = False
    has_nested_imports: ClassVar[bool] = True  # an import may refer to what is inside a type

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        self.paths = paths
        self.spaces_of: dict[str, set[str]] = {}  # file -> its namespaces
        # Pairs of a file and a function or value in it, which may follow a dot.
        self.members: set[tuple[str, str]] = set()
        self._files: dict[tuple[str, str], set[str]] = defaultdict(set)  # namespace and name -> files
        self._names: set[str] = set()  # all names in `_files`

    def register(self, path: str, facts: Facts) -> None:
        """Register the content of a file on either side."""
        spaces = facts.spaces or ("",)
        self.place(path, spaces)
        types, members = self.names(path, facts)
        self.members |= {(path, name) for name in members - types}
        self._names |= types | members
        for name in types | members:
            for space in spaces if path in self.paths.files else ():
                self._files[space, name].add(path)

    def place(self, path: str, spaces: Iterable[str]) -> None:
        """Add namespaces to those of a file."""
        self.spaces_of[path] = {*self.spaces_of.get(path, ()), *spaces}

    @abstractmethod
    def names(self, path: str, facts: Facts) -> tuple[frozenset[str], frozenset[str]]:
        """Return the names that other files can use: types, and other definitions."""

    def names_unread(self, path: str) -> Collection[str]:
        """Return the names that a file not registered may define."""
        return {posixpath.basename(path).partition(".")[0]}

    def clues(self, path: str, names: Collection[str] = ()) -> Clues:
        """Return the names that a file provides: every file that uses it contains one of them."""
        words = "|".join(sorted(map(re.escape, names)))
        return Clues(frozenset(names), (rf"\b(?:{words})\b",) if words else ())

    def loaded(self, importer: str, item: Import) -> tuple[str, ...]:
        """Return the files that a statement loads by their paths."""
        return ()

    def mates(self, path: str, changed: Collection[str]) -> Collection[str]:
        """Return the changed files in the same namespace, since a definition may have moved between them."""
        spaces = self.spaces_of.get(path, ())
        return [other for other in changed if not self.spaces_of[other].isdisjoint(spaces)]

    def opened(self, item: Import) -> Iterable[str]:
        """Return the namespaces whose names an import of all names makes visible."""
        return (item.spec,)

    def in_sight(self, path: str, written: Collection[str]) -> Collection[str]:
        """Return the namespaces whose names a file sees without an import. `written`: those that it declares."""
        return written or ("",)

    def around(self, path: str, written: Collection[str]) -> Collection[str]:
        """Return the namespaces to which a qualified name in a file may be relative."""
        return self.in_sight(path, written)

    def is_known(self, name: str) -> bool:
        """Return whether any namespace may contain a name."""
        return name in self._names

    def holding(self, importer: str, space: str, name: str) -> Collection[str]:
        """Return the known files that define a name in a namespace."""
        return self._files.get((space, name), ())

    def sees(self, importer: str, path: str) -> bool:
        """Return whether a file is built with another one, without a project boundary between them."""
        return True

    def is_definition(self, before: bytes) -> bool:
        """Return whether a name is defined and not used, from the code before it."""
        return False

    def is_whole(self, path: str, name: str) -> bool:
        """Return whether a name refers to the whole file, as if it were a class."""
        return False


def with_parents(spaces: Iterable[str]) -> list[str]:
    """Return the namespaces and their parents, outermost first: `Shop` and `Shop.Web` for `Shop.Web`."""
    found: dict[str, None] = {}
    for space in spaces:
        while space and space not in found:
            found[space] = None
            space = space.rpartition(".")[0]  # noqa: PLW2901
    return sorted(found, key=lambda one: one.count("."))
