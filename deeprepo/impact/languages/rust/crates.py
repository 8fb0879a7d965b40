"""Determine the layout of a tree's crates: their root files, and the module of each file."""

import posixpath
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property

from deeprepo.impact.paths import Paths, joined
from deeprepo.impact.structs import Struct
from deeprepo.impact.text import tables

TARGETS = ("bin", "test", "bench", "example")
KINDS = ("dependencies", "dev-dependencies", "build-dependencies", "dev_dependencies", "build_dependencies")
# Folders in which each file, or the main.rs of a subfolder, is the root of a crate.
FOLDERS = ("src/bin", "tests", "benches", "examples")
USUAL = ("lib.rs", "main.rs")
LONG_LINE = 2_000  # characters; parsing a key takes quadratic time in its parts
Table = Mapping[str, object]
Segments = tuple[str, ...]  # the names in a path


class Place(Struct, frozen=True):
    """A file as a module: the folder of its crate's root, and the names from there."""

    folder: str
    parts: Segments
    roots: tuple[str, ...]  # the possible root files of the crate, libraries first; empty if unknown


def read(source: bytes) -> Table:
    """Return the content of a Cargo.toml, with long lines cut; empty if it is invalid."""
    try:
        lines = (line[:LONG_LINE] for line in source.decode("utf-8", "replace").split("\n"))
        return tomllib.loads("\n".join(lines))
    except (ValueError, RecursionError):
        return {}


class Crates:
    """The crates of one tree, from its paths and manifests."""

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        self._files = paths.files
        self._manifests = {posixpath.dirname(path): read(source) for path, source in configs.items()}
        # manifest folder -> name and root file of its library
        self._libraries: dict[str, tuple[str, str]] = {}
        self._roots: dict[str, set[str]] = defaultdict(set)  # folder -> root files in it
        usual = (path for path in self._files if path.endswith(tuple(f"src/{name}" for name in USUAL)))
        for path in (*usual, *(one for folder in self._manifests for one in self._targets(folder, paths))):
            if path.endswith(".rs") and path in self._files:
                self._roots[posixpath.dirname(path)].add(path)
        self._visible: dict[str, Mapping[str, str]] = {}

    def _targets(self, folder: str, paths: Paths) -> Iterator[str]:
        manifest = self._manifests[folder]
        package, library = tables.table(manifest.get("package")), tables.table(manifest.get("lib"))
        name = tables.text_of(library.get("name")) or tables.text_of(package.get("name"))
        root = joined(folder, tables.text_of(library.get("path")) or "src/lib.rs")
        if name and root in self._files:
            self._libraries[folder] = name.replace("-", "_"), root
            yield root
        for kind in TARGETS:
            targets = manifest.get(kind)
            for target in targets if isinstance(targets, list) else ():
                yield joined(folder, tables.text_of(tables.table(target).get("path")))
        yield joined(folder, "build.rs")
        for below in FOLDERS:
            for one in paths.names(joined(folder, below)):
                yield from (joined(folder, f"{below}/{one}"), joined(folder, f"{below}/{one}/main.rs"))

    def place(self, path: str) -> Place:
        """Return the module of a file."""
        folder, name = posixpath.split(path)
        if path in self._roots.get(folder, ()):
            return Place(folder, (), (path,))
        home = folder
        while home not in self._roots and home:
            home = posixpath.dirname(home)
        home = home if home in self._roots else folder
        parts = tuple(part for part in path[len(home) : -len(".rs")].split("/") if part)
        return Place(home, parts[:-1] if name == "mod.rs" else parts, self._roots_of(home))

    def _roots_of(self, folder: str) -> tuple[str, ...]:
        roots = sorted(self._roots.get(folder, ()))
        libraries = [root for _, root in self._libraries.values() if root in roots]
        usual = [root for root in roots if posixpath.basename(root) in USUAL and root not in libraries]
        return (*libraries, *usual) or (tuple(roots) if len(roots) == 1 else ())

    def files(self, place: Place, parts: Segments) -> tuple[str, ...]:
        """Return the file of a module in the same crate, if it has one; for the crate itself, its possible roots."""
        if not parts:
            return place.roots
        stem = joined(place.folder, "/".join(parts))
        return tuple(path for path in (f"{stem}.rs", f"{stem}/mod.rs") if path in self._files)[:1]

    def is_of_2015(self, path: str) -> bool:
        """Return whether a file is of the first edition, in which a path begins at the root of its crate."""
        home = self._home(path)
        package = tables.table(self._manifests.get(home, {}).get("package"))
        is_shared = isinstance(package.get("edition"), Mapping)
        edition = self._of_workspace(home, "package", "edition")[1] if is_shared else package.get("edition")
        return home in self._manifests and edition in (None, "2015")

    def _home(self, path: str) -> str:
        """Return the folder of the nearest manifest above a file, or ""."""
        home = posixpath.dirname(path)
        while home not in self._manifests and home:
            home = posixpath.dirname(home)
        return home

    def visible(self, path: str) -> Mapping[str, str]:
        """Return the crates of the tree that a file can use, with their root files."""
        home = self._home(path)
        if home not in self._visible:
            self._visible[home] = dict(self._dependencies(home)) if home in self._manifests else {}
        return self._visible[home]

    def _dependencies(self, folder: str) -> Iterator[tuple[str, str]]:
        if folder in self._libraries:
            yield self._libraries[folder]
        manifest = self._manifests[folder]
        for key, value in _dependencies(manifest):
            is_shared = bool(tables.table(value).get("workspace"))
            home, row = self._of_workspace(folder, "dependencies", key) if is_shared else (folder, value)
            renamed = tables.text_of(tables.table(row).get("package"))
            if found := self._at_path(home, row) or self._patches.get(renamed or key):
                yield key.replace("-", "_") if renamed else found[0], found[1]

    def _at_path(self, folder: str, value: object) -> tuple[str, str] | None:
        path = tables.text_of(tables.table(value).get("path"))
        return self._libraries.get(joined(folder, path)) if path else None

    def _of_workspace(self, folder: str, name: str, key: str) -> tuple[str, object]:
        while True:
            rows = tables.table(tables.table(self._manifests.get(folder, {}).get("workspace")).get(name))
            if key in rows or not folder:
                return folder, rows.get(key)
            folder = posixpath.dirname(folder)

    @cached_property
    def _patches(self) -> Mapping[str, tuple[str, str]]:
        """Return the published crates that a manifest replaces by a folder; the first one wins."""
        patches: dict[str, tuple[str, str]] = {}
        for folder, manifest in self._manifests.items():
            for rows in tables.table(manifest.get("patch")).values():
                for key, value in tables.table(rows).items():
                    if found := self._at_path(folder, value):
                        patches.setdefault(key, found)
        return patches

    def names(self, path: str) -> frozenset[str]:
        """Return the names under which crates of the tree use a library, given its root file."""
        homes = [folder for folder, (_, root) in self._libraries.items() if root == path]
        own = {self._libraries[home][0] for home in homes}
        packages = {
            tables.text_of(tables.table(self._manifests[home].get("package")).get("name")).replace("-", "_")
            for home in homes
        }
        renames = {
            key.replace("-", "_")
            for manifest in (self._manifests.values() if own else ())
            for key, value in (*_dependencies(manifest), *_dependencies(tables.table(manifest.get("workspace"))))
            if tables.text_of(tables.table(value).get("package")).replace("-", "_") in packages | own
        }
        return frozenset(own | renames)


def _dependencies(manifest: Table) -> Iterator[tuple[str, object]]:
    for one in (manifest, *map(tables.table, tables.table(manifest.get("target")).values())):
        for kind in KINDS:
            yield from tables.table(one.get(kind)).items()
