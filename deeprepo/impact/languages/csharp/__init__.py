"""Resolve C# namespaces, from declarations in files and, for files not read, from their folders.

A project's namespace is declared in its file or is its name, and each folder below adds a part. Files need
not follow this convention, so a namespace never counts as missing. A type in a file not read is found by the
file's name.
"""

import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import ClassVar

from tree_sitter import Node

from deeprepo.impact.language import Language
from deeprepo.impact.languages.csharp import manifest
from deeprepo.impact.languages.csharp.projects import Projects, is_name
from deeprepo.impact.packages import Packaging
from deeprepo.impact.paths import Paths, above_of
from deeprepo.impact.reading.arguments import OBJECT
from deeprepo.impact.resolving.namespaces import Namespaces, with_parents
from deeprepo.impact.text.xml_reader import elements
from deeprepo.impact.values import Facts, Import


class Modules(Namespaces):
    """The namespaces of one tree."""

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        super().__init__(paths, configs)
        self._projects = Projects(configs)
        self._lent = self._projects.lent()
        self._folders: dict[str, list[str]] = defaultdict(list)  # namespace -> folders
        self._spaces: dict[str, str] = {}  # folder -> namespace
        roots = {
            posixpath.dirname(path): next(_root_namespaces(source), _stem(path))
            for path, source in configs.items()
            if path.endswith(".csproj")
        }
        for folder in sorted({posixpath.dirname(path) for path in paths.files if path.endswith(".cs")}):
            home = next((above for above in (folder, *above_of(folder), "") if above in roots), None)
            if home is not None:
                parts = folder[len(home) :].strip("/").replace("/", ".")
                space = f"{roots[home]}.{parts}".rstrip(".")
                self._spaces[folder] = space
                self._folders[space].append(folder)

    def register(self, path: str, facts: Facts) -> None:
        """Register what a file contains; members of `using static` types have no namespace."""
        super().register(path, facts)
        self._names |= self._of_lent(facts)
        for name in self._of_lent(facts):
            self._files["", name].add(path)

    def _of_lent(self, facts: Facts) -> set[str]:
        owners = {name.rpartition(".")[2] for name in self._lent if name.rpartition(".")[0] in facts.spaces}
        return {one.short for one in facts.definitions if one.owner in owners and one.static}

    def names(self, path: str, facts: Facts) -> tuple[frozenset[str], frozenset[str]]:
        """Return the types of a file, and its extension methods."""
        extensions = {one.short for one in facts.definitions if one.parameters and one.parameters[0].name == OBJECT}
        types = {one.name for one in facts.definitions if not one.owner and one.kind != "holder"}
        return frozenset(types), frozenset(extensions | self._of_lent(facts))

    def in_sight(self, path: str, written: Collection[str]) -> Collection[str]:
        """Return the namespaces around a file, and the global usings of its project."""
        return [*with_parents(written), "", *sorted(self._projects.usings(path))]

    def names_of_project(self, path: str) -> Collection[str]:
        """Return the aliases that a file's project declares."""
        return self._projects.aliases.get(self._projects.home(path), ())

    def holding(self, importer: str, space: str, name: str) -> Collection[str]:
        """Return the files that define a name in a namespace, in projects that the importer's project references."""
        found = super().holding(importer, space.removeprefix("global::"), name)
        return [path for path in found if self._projects.sees(importer, path)]

    def sees(self, importer: str, path: str) -> bool:
        """Return whether the project of a file references another file's project."""
        return self._projects.sees(importer, path)

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return the files of a namespace; with a name, the file with that name."""
        folders = self._folders.get(item.spec)
        if folders is None:
            return None
        if name:
            return self._named(importer, item.spec, name) or None
        return tuple(
            f"{folder}/{one}".lstrip("/")
            for folder in folders
            for one in sorted(self.paths.names(folder))
            if one.endswith(".cs")
        )

    def visible_files(self, path: str, name: str = "") -> tuple[str, ...]:
        """Return the file of a name in the namespaces around a file, or in its project's global usings."""
        spaces = self.spaces_of.get(path) or {self._spaces.get(posixpath.dirname(path), "")}
        for space in sorted(with_parents(spaces), key=len, reverse=True):
            if space and (found := self._named(path, space, name)):
                return found
        return tuple(file for space in sorted(self._projects.usings(path)) for file in self._named(path, space, name))

    def _named(self, importer: str, space: str, name: str) -> tuple[str, ...]:
        """Return the files that define a name in a namespace; for files not read, by their names."""
        files = {f"{folder}/{name}.cs".lstrip("/") for folder in self._folders.get(space, ())} & self.paths.files
        unread = {path for path in files - self.spaces_of.keys() if self._projects.sees(importer, path)}
        return tuple(sorted({*self.holding(importer, space, name), *unread}))


def _root_namespaces(project: bytes) -> Iterator[str]:
    return (one.text.strip() for one in elements(project) if one.name == "RootNamespace" and is_name(one.text.strip()))


def _stem(path: str) -> str:
    return posixpath.basename(path).removesuffix(".csproj")


class CSharp(Language, frozen=True):
    """C#."""

    modules = Modules
    packaging: ClassVar[Packaging | None] = manifest
    dotted_extensions = "partial"  # another part of the class can call its members without a receiver

    def is_argument(self, node: Node) -> bool:
        """Return whether a node is an argument; `[Route(Name = "a")]` sets a member."""
        is_setter = node.type == "attribute_argument" and any(one.type == "=" for one in node.children)
        return super().is_argument(node) and not is_setter
