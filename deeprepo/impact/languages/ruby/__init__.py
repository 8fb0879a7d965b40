"""Resolve `require`, `autoload` and constants in Ruby.

Constants are global, so a required file provides everything. A constant is found by the conventions of
Zeitwerk and gems: `Admin::User` is admin/user.rb below a folder of app/ or below lib/. Only a run decides
whether they apply, so in new lines only `require_relative` is checked.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import ClassVar

from tree_sitter import Node

from deeprepo.impact.language import Language
from deeprepo.impact.languages.ruby import manifest
from deeprepo.impact.packages import Packaging
from deeprepo.impact.paths import Paths, joined, shared_folders
from deeprepo.impact.reading.lexical import camel
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.resolving.namespaces import Namespaces
from deeprepo.impact.values import Clues, Facts, Import

ENDINGS = (".rb", ".rake", ".gemspec", "")
ROOT = re.compile(r"(?:^|.*/)(?:app/\w+/concerns|app/\w+|lib|src)/")
DEFINING = re.compile(rb"(?<![\w.:@$])(?:class|module)\s++\Z")
LOADED = ("lib", "spec", "test", "tests", "app", "ext")  # folders of any load path
OPEN = 300  # unclosed blocks, which make a tree as deep as its file is long


class Modules(Resolver):
    """The files of one tree that `require_relative` finds."""

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        self._paths = paths
        self._compiled = any(path.endswith("/extconf.rb") for path in paths.files)

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Return the file, or None if a build may make it: an extension, or what a parser generator writes."""
        base = joined(posixpath.dirname(importer), item.spec)
        found = tuple(base + end for end in ENDINGS if base + end in self._paths.files)[:1]
        folder, stem = posixpath.split(base)
        is_made = self._compiled or any(one.startswith(f"{stem}.") for one in self._paths.names(folder))
        return found or (None if is_made or item.spec.startswith("/") else ())

    def beside(self, importer: str, item: Import) -> tuple[str, Collection[str]]:
        """Return the files in the folder of a missing one."""
        before = item.spec[: item.spec.rfind("/") + 1]
        names = self._paths.names(joined(posixpath.dirname(importer), before))
        return before, {one.removesuffix(".rb") for one in names if one.endswith(".rb")}


class SearchModules(Namespaces):
    """The files of one tree that can be required, and the constants that their paths show."""

    declares_content = False
    has_nested_imports = False
    spells_spaces = False

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        super().__init__(paths, configs)
        # The load path is guessed from folders, including those in gemspecs.
        self._load_path = frozenset(manifest.load_path(configs)) - {"", "app"}
        self._constants: dict[str, list[str]] = defaultdict(list)  # "admin/user", without underscores -> files
        self._named: dict[str, list[str]] = defaultdict(list)  # base name -> files
        for path in paths.files:
            self._named[posixpath.basename(path)].append(path)
            inner = self._inner(path) if path.endswith(".rb") else None
            if inner is not None:
                self._constants[_plain(inner.removesuffix(".rb"))].append(path)
        self._last_parts = {posixpath.basename(constant) for constant in self._constants}
        self._found: dict[tuple[str, str, str], Collection[str]] = {}

    def names(self, path: str, facts: Facts) -> tuple[frozenset[str], frozenset[str]]:
        """Return the constants that the path of a file shows."""
        stem = _plain(posixpath.basename(path).partition(".")[0])
        return frozenset(one.short for one in facts.definitions if _plain(one.short) == stem), frozenset()

    def names_unread(self, path: str) -> Collection[str]:
        """Return the stem of a file, and the constant of that name."""
        stem = posixpath.basename(path).partition(".")[0]
        return {stem, camel(stem)} - {""} if self._inner(path) is not None else {stem} - {""}

    def clues(self, path: str, names: Collection[str] = ()) -> Clues:
        """Return the quoted stem with which a file is required, and its constants."""
        stem = re.escape(posixpath.basename(path).partition(".")[0])
        constants = "|".join(sorted(re.escape(name) for name in names if name[:1].isupper()))
        far = (rf"['\"/]{stem}(\.rb)?['\"]", *((rf"\b(?:{constants})\b",) if constants else ()))
        return Clues(frozenset(names), far if names else ())

    def opened(self, item: Import) -> Collection[str]:
        """Return (): a file that is loaded changes no names."""
        return ()

    def loaded(self, importer: str, item: Import) -> tuple[str, ...]:
        """Return the file that a statement requires, unless code around it handles that the file is missing."""
        folder, found = posixpath.dirname(importer), None
        if item.of_type or item.spec.startswith((".", "/")):
            bases = (joined(folder, item.spec), joined(f"{folder}/x", item.spec)) if not item.guarded else ()
            found = next((base + end for base in bases for end in ENDINGS if base + end in self.paths.files), None)
        elif not item.guarded:
            found = self._on_load_path(item.spec, folder)
        return (found,) if found is not None else ()

    def _on_load_path(self, target: str, folder: str) -> str | None:
        """Return a file below the load path: `lib`, a folder of tests, or the root, in this order."""
        ending = target if target.endswith(".rb") else f"{target}.rb"
        fits = []
        for path in self._named.get(posixpath.basename(ending), ()):
            home = path.removesuffix(ending).rstrip("/") if f"/{path}".endswith(f"/{ending}") else None
            if home == "" or home in self._load_path or posixpath.basename(home or "") in LOADED:
                fits.append(path)
        return min(fits, key=lambda path: (-shared_folders(path, f"{folder}/"), path.count("/"), path), default=None)

    def holding(self, importer: str, space: str, name: str) -> Collection[str]:
        """Return the file of a constant, seen from the namespace of the importer's folder."""
        key = space, name, posixpath.dirname(importer)
        if key not in self._found:
            self._found[key] = self._search(_plain(f"{space}::{name}".strip(":").replace("::", "/")), importer)
        return self._found[key]

    def _search(self, constant: str, importer: str) -> Collection[str]:
        inner = self._inner(importer)
        inside = inner.rpartition(".")[0].split("/") if inner is not None else []
        for depth in range(len(inside), -1, -1):
            files = self._constants.get("/".join((*(_plain(one) for one in inside[:depth]), constant)), ())
            if files:
                return (min(files, key=lambda one: (-shared_folders(one, importer), one)),)
        return ()

    def is_known(self, name: str) -> bool:
        """Return whether a constant may have this name."""
        return name[:1].isupper() and _plain(name) in self._last_parts

    def is_definition(self, before: bytes) -> bool:
        """Return whether a name is behind `class` or `module`."""
        return DEFINING.search(before) is not None

    def mates(self, path: str, changed: Collection[str]) -> Collection[str]:
        """Return (): constants are named where they are used."""
        return ()

    def _inner(self, path: str) -> str | None:
        if root := ROOT.match(path):
            return path[root.end() :]
        top = next((top for top in self._load_path if path.startswith(f"{top}/")), None)
        return path[len(top) + 1 :] if top is not None else None


def _plain(name: str) -> str:
    """Return a path for comparison.

    `RuboCop::Cop` and `OAuth` are in rubocop/cop.rb and oauth.rb, however words are split.
    """
    return name.replace("_", "").lower()


class Ruby(Language, frozen=True):
    """Ruby."""

    modules = Modules
    search_modules = SearchModules
    packaging: ClassVar[Packaging | None] = manifest
    open_classes = True
    loader = "require"
    paths = ("string_content",)

    def code(self, source: bytes) -> bytes:
        """Return the code of a file, without the `begin` of blocks if far more are opened than closed."""
        return source.replace(b"begin", b"     ") if source.count(b"begin") > source.count(b"end") + OPEN else source

    def is_argument(self, node: Node) -> bool:
        """Return whether a node is an argument; a block is none."""
        return super().is_argument(node) and node.type != "block_argument"

    def is_label(self, node: Node) -> bool:
        """Return whether a key is a symbol; other keys belong to a hash."""
        return node.type in ("hash_key_symbol", "simple_symbol")
