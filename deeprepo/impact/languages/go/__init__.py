"""Resolve Go import paths to folders, using go.mod and go.work files.

A package is a folder: an import refers to all its files except tests, and these files see each other's names.
An import refers to a module of the tree if the importer is in it, replaces it by a folder, or shares a
workspace with it. Otherwise it refers to a published version.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from tree_sitter import Node

from deeprepo.impact.language import Language
from deeprepo.impact.languages.go import manifest
from deeprepo.impact.languages.go.manifest import directives
from deeprepo.impact.languages.go.names import likely_names, local_name, qualified
from deeprepo.impact.packages import Packaging
from deeprepo.impact.paths import Paths, joined
from deeprepo.impact.reading import syntax
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.resolving.importers import EVERY_NAME, statements
from deeprepo.impact.values import Arguments, Bound, Clues, Import, Link, Use

LONGEST_PATH = 1_000  # characters of an import path
IMPORTS_END = re.compile(rb"^(func|type) ", re.MULTILINE)


class Modules(Resolver):
    """The packages of one tree."""

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        self._paths = paths
        self._folders: dict[str, set[str]] = defaultdict(set)
        for path in paths.files:
            if path.endswith(".go") and "vendor/" not in path:
                self._folders[posixpath.dirname(path)].add(path)
        rows = {path: tuple(directives(source)) for path, source in configs.items()}
        self._names = {
            posixpath.dirname(path): words[0].strip('"').rstrip("/")
            for path, lines in rows.items()
            for verb, *words in lines
            if verb == "module" and words and path.endswith("go.mod")
        }
        self._module_folders: dict[str, list[tuple[str, str]]] = {
            home: [(name, home), *_replacements(rows[posixpath.join(home, "go.mod")], home)]
            for home, name in self._names.items()
        }
        for path, lines in rows.items():
            if path.endswith("go.work"):
                self._share(posixpath.dirname(path), lines)

    def _share(self, folder: str, lines: Sequence[Sequence[str]]) -> None:
        """Let the modules of a workspace import each other."""
        homes = {joined(folder, word.strip('"')) for verb, *words in lines if verb == "use" for word in words}
        for home in homes & self._names.keys():
            self._module_folders[home] += [(self._names[other], other) for other in homes & self._names.keys() - {home}]
            self._module_folders[home] += _replacements(lines, folder)

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return the files of a package, without its tests."""
        folder = self._folder(item.spec, importer)
        if folder is None:
            return None
        every = self._folders.get(folder, set()) - {importer}
        # such as export_test.go
        sees_tests = importer.endswith("_test.go") and posixpath.dirname(importer) == folder
        return tuple(sorted(one for one in every if sees_tests or not one.endswith("_test.go")))

    def may_make(self, files: Collection[str], sources: Mapping[str, bytes]) -> bool:
        """Return whether code may be generated for a package: a comment says so, or it has files of another kind."""
        beside = {one for path in files for one in self._paths.names(posixpath.dirname(path))}
        is_told = any(b"//go:generate" in sources.get(path, b"") for path in files)
        return is_told or any("." in one and not one.endswith((".go", ".md")) for one in beside)

    def visible_files(self, path: str, name: str = "") -> tuple[str, ...]:
        """Return the files of the folder; only tests see test files."""
        is_test = path.endswith("_test.go")
        folder = self._folders.get(posixpath.dirname(path), ())
        return tuple(sorted(one for one in folder if is_test or not one.endswith("_test.go")))

    def specs(self, path: str) -> frozenset[str]:
        """Return the import paths of a file's package."""
        folder = posixpath.dirname(path)
        home = self._home(folder)
        prefixes = {name for rows in self._module_folders.values() for name, at in rows if at == home}
        return frozenset(f"{one}/{folder[len(home or '') :].strip('/')}".rstrip("/") for one in prefixes)

    def clues(self, path: str) -> Clues:
        """Return the quoted import paths; tests cannot be imported."""
        specs = self.specs(path) if not path.endswith("_test.go") else frozenset[str]()
        return Clues(specs, (rf"[\"`]({'|'.join(re.escape(spec) for spec in sorted(specs))})[\"`]",) if specs else ())

    def beside(self, importer: str, item: Import) -> tuple[str, Collection[str]]:
        """Return the packages in the folder of a missing one."""
        above = posixpath.dirname(self._folder(item.spec, importer) or "")
        packages = {posixpath.basename(one) for one in self._folders if posixpath.dirname(one) == above}
        return f"{posixpath.dirname(item.spec)}/", packages

    def _folder(self, spec: str, importer: str) -> str | None:
        """Return the folder of an import path. As in Go, the longest matching module path wins."""
        if len(spec) > LONGEST_PATH:
            return None
        home = self._home(posixpath.dirname(importer))
        fits = [
            (prefix, folder)
            for prefix, folder in (self._module_folders[home] if home is not None else ())
            if spec == prefix or spec.startswith(f"{prefix}/")
        ]
        longest = max((len(prefix) for prefix, _ in fits), default=0)
        folders = [(joined(module, spec[longest + 1 :]), module) for prefix, module in fits if len(prefix) == longest]
        return next((folder for folder, module in folders if self._home(folder) == module), None)

    def _home(self, folder: str) -> str | None:
        while folder not in self._names:
            if not folder:
                return None
            folder = posixpath.dirname(folder)
        return folder


class SearchModules(Modules):
    """The packages of one tree, with tests: they see the files of their folder, and nothing imports them."""

    def visible_files(self, path: str, name: str = "") -> tuple[str, ...]:
        """Return the files of the folder, including tests."""
        folder = posixpath.dirname(path)
        return tuple(posixpath.join(folder, one) for one in self._paths.names(folder) if one.endswith(".go"))

    def links(self, importer: str, item: Import, source: bytes) -> Iterator[Link]:
        """Yield the files of a package with its local name; an import for side effects binds nothing."""
        here = "" if item.star else item.whole or local_name(item.spec, source)
        for file in self.files(importer, item) or ():
            if not file.endswith("_test.go"):
                is_bound = here not in ("", "_")
                yield Link(
                    file, EVERY_NAME if here != "_" else frozenset(), item.line, (("*", here),) if is_bound else ()
                )


def _replacements(lines: Sequence[Sequence[str]], folder: str) -> Iterator[tuple[str, str]]:
    for verb, *words in lines:
        if verb == "replace" and words[-2:-1] == ["=>"] and words[-1].startswith("."):
            yield words[0].strip('"'), joined(folder, words[-1])


class Go(Language, frozen=True):
    """Go."""

    modules = Modules
    search_modules = SearchModules
    packaging: ClassVar[Packaging | None] = manifest
    raising_words = "panic"
    embeds_types = True
    sees_own_members = False
    private_to = "folder"
    unexported = frozenset({"init", "main"})

    def is_private(self, name: str) -> bool:
        """Return whether a name begins with a lower-case letter or an underscore."""
        return name[:1] == "_" or name[:1].islower()

    def import_lines(self, source: bytes) -> bytes:
        """Return the file up to its first function or type, which no import follows."""
        end = IMPORTS_END.search(source)
        return source[: end.start()] if end is not None else source

    def taken(self, source: bytes, item: Import) -> Sequence[Bound]:
        """Return the exported names of a package that the file uses behind the package's name."""
        here = "" if item.star else item.whole or local_name(item.spec, source)
        rows = qualified(syntax.root(self, source)).get(here, ())
        return [bound for bound in rows if not self.is_private(bound.there)]

    def used(self, path: str, source: bytes, names: Collection[str], uses: Sequence[Use]) -> Iterable[Use]:
        """Return the references with imports of packages that are likely called so."""
        for item in statements(self, source):
            for name in likely_names(item.spec) if not item.whole and not item.star else ():
                if name in names:
                    yield Use(name, item.line, "import")
        yield from uses

    def passed(self, node: Node) -> Arguments | None:
        """Return no count for a literal that names its fields, since it may omit some."""
        is_named = not any(one.type == "literal_element" for one in node.named_children)
        return Arguments(spread=True) if node.type == "literal_value" and is_named else None

    def passes_several(self, arguments: Node, last: Node) -> bool:
        """Return whether a call is the only argument."""
        return arguments.named_child_count == 1
