"""How the crates of a tree are laid out: which file is the root of which crate, and which module a file is."""

import posixpath
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from bot.languages.lexical import config, manifest_text

TARGETS = ("bin", "test", "bench", "example")
KINDS = ("dependencies", "dev-dependencies", "build-dependencies", "dev_dependencies", "build_dependencies")
FOLDERS = ("src/bin", "tests", "benches", "examples")
Table = dict[str, object]


@dataclass(frozen=True, slots=True)
class ModulePath:
    """A file as a module: the folder of its crate's root file, and the names from there."""

    folder: str
    parts: tuple[str, ...]
    root: str | None  # the crate's root file, None where there are several and nobody knows which


def read(source: bytes) -> Table:
    """A Cargo.toml; empty if it is not one."""
    try:
        return tomllib.loads(manifest_text(source))
    except (ValueError, RecursionError):
        return {}


def table(value: object) -> Table:
    """A table of a manifest; empty where there is none."""
    return value if isinstance(value, dict) else {}


def join(*parts: str) -> str:
    """A path below the root of the tree."""
    path = posixpath.normpath(posixpath.join(*parts))
    return "" if path == "." else path


class Layout:
    """The crates of one tree, from its paths and its manifests."""

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        self.paths = frozenset(path for path in paths if path.endswith(".rs"))
        self.manifests = {posixpath.dirname(path): read(config(source)) for path, source in configs.items()}
        self.libraries: dict[str, tuple[str, str]] = {}  # folder of a manifest -> name of its library, root file
        self._roots: dict[str, set[str]] = defaultdict(set)  # folder -> root files in it
        for folder, manifest in self.manifests.items():
            for path in self._targets(folder, manifest):
                self._roots[posixpath.dirname(path)].add(path)
        for path in self.paths:
            self._by_name(path)
        self._crates: dict[str, dict[str, str]] = {}

    @cached_property
    def _patches(self) -> Mapping[str, tuple[str, str]]:
        """The published crates that a manifest of the tree replaces by a folder, the first one that does."""
        patches: dict[str, tuple[str, str]] = {}
        for folder, manifest in self.manifests.items():
            for entries in table(manifest.get("patch")).values():
                for key, value in table(entries).items():
                    if key not in patches and (dependency := self._dependency(folder, value)):
                        patches[key] = dependency
        return patches

    def _targets(self, folder: str, manifest: Table) -> Iterator[str]:
        """The root files that a manifest names, and its library."""
        package, library = table(manifest.get("package")), table(manifest.get("lib"))
        name = library.get("name") or package.get("name")
        path = join(folder, _text(library.get("path")) or "src/lib.rs")
        if isinstance(name, str) and path in self.paths:
            self.libraries[folder] = name.replace("-", "_"), path
            yield path
        for kind in TARGETS:
            targets = manifest.get(kind)
            for target in targets if isinstance(targets, list) else ():
                target_path = _text(table(target).get("path"))
                if target_path and join(folder, target_path) in self.paths:
                    yield join(folder, target_path)

    def _by_name(self, path: str) -> None:
        """Files that are roots by their place: lib.rs, main.rs, build.rs, and each file of tests, benches, examples."""
        folder, name = posixpath.split(path)
        up = posixpath.dirname(folder)
        below = any(folder == join(m, f) for f in FOLDERS for m in (_above(folder, f),) if m in self.manifests)
        inside = any(up == join(m, f) for f in FOLDERS for m in (_above(up, f),) if m in self.manifests)
        main = name in ("lib.rs", "main.rs") and (posixpath.basename(folder) == "src" or inside)
        if main or below or (name == "build.rs" and folder in self.manifests):
            self._roots[folder].add(path)

    def place(self, path: str) -> ModulePath:
        """The module that a file is."""
        folder, name = posixpath.split(path)
        if path in self._roots.get(folder, ()):
            return ModulePath(folder, (), path)
        home = folder
        while home not in self._roots and home:
            home = posixpath.dirname(home)
        home = home if home in self._roots else folder
        parts = tuple(part for part in path[len(home) : -len(".rs")].split("/") if part)
        return ModulePath(home, parts[:-1] if name == "mod.rs" else parts, self._root(home))

    def _root(self, folder: str) -> str | None:
        roots = self._roots.get(folder, set())
        root_file = next((f"{folder}/{name}".lstrip("/") for name in ("lib.rs", "main.rs")), None)
        library = next((path for _, path in self.libraries.values() if path in roots), None)
        return library or (root_file if root_file in roots else None) or (min(roots) if len(roots) == 1 else None)

    def module(self, place: ModulePath, parts: tuple[str, ...]) -> str | None:
        """The file of a module, if it has one of its own."""
        if not parts:
            return place.root
        stem = "/".join((place.folder, *parts) if place.folder else parts)
        return next((path for path in (f"{stem}.rs", f"{stem}/mod.rs") if path in self.paths), None)

    def crates(self, path: str) -> Mapping[str, str]:
        """The crates of the tree that a file can name, with their root files."""
        folder = posixpath.dirname(path)
        if folder not in self._crates:
            home = folder
            while home not in self.manifests and home:
                home = posixpath.dirname(home)
            self._crates[folder] = dict(self._visible(home)) if home in self.manifests else {}
        return self._crates[folder]

    def _visible(self, folder: str) -> Iterator[tuple[str, str]]:
        """A dependency is in the tree where its path says so; one with a version alone is the published one."""
        if folder in self.libraries:
            yield self.libraries[folder]
        manifest = self.manifests[folder]
        for dependencies in _dependencies(manifest, *(table(one) for one in table(manifest.get("target")).values())):
            for key, value in dependencies.items():
                home, declaration = (
                    self._workspace_dependency(folder, key) if table(value).get("workspace") else (folder, value)
                )
                package = _text(table(declaration).get("package")) or key
                dependency = self._dependency(home, declaration) or self._patches.get(package)
                if dependency:
                    is_renamed = bool(table(declaration).get("package"))
                    yield key.replace("-", "_") if is_renamed else dependency[0], dependency[1]

    def _dependency(self, folder: str, value: object) -> tuple[str, str] | None:
        path = table(value).get("path")
        return self.libraries.get(join(folder, path)) if isinstance(path, str) else None

    def _workspace_dependency(self, folder: str, key: str) -> tuple[str, object]:
        """A dependency as the workspace around a crate declares it."""
        while True:
            dependencies = table(table(self.manifests.get(folder, {}).get("workspace")).get("dependencies"))
            if key in dependencies or not folder:
                return folder, dependencies.get(key)
            folder = posixpath.dirname(folder)

    def names(self, path: str) -> frozenset[str]:
        """What the crates of the tree call the library whose root this file is."""
        own = {name for name, root in self.libraries.values() if root == path}
        homes = [folder for folder, (_, root) in self.libraries.items() if root == path]
        packages = {_text(table(self.manifests[home].get("package")).get("name")).replace("-", "_") for home in homes}
        renames = {
            key.replace("-", "_")
            for manifest in self.manifests.values() if own
            for dependencies in _dependencies(
                manifest, table(manifest.get("workspace")), *(table(one) for one in table(manifest.get("target")).values())
            )
            for key, value in dependencies.items()
            if str(table(value).get("package", "")).replace("-", "_") in packages | own
        }  # fmt: skip
        return frozenset(own | renames)


def _dependencies(*tables: Table) -> Iterator[Table]:
    for one in tables:
        for kind in KINDS:
            yield table(one.get(kind))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _above(folder: str, tail: str) -> str:
    """The folder before a tail; one that is no folder of the tree, where the tail is another."""
    if folder == tail:
        return ""
    return folder[: -len(tail) - 1] if folder.endswith(f"/{tail}") else "\0"
