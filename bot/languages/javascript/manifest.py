"""JavaScript's packages: package.json with its workspaces and `exports`, and what the lock files have settled on."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.languages.javascript.modules import Manifest, exported_files, read_json
from bot.values.consumer import Origin, Package, Requirement

LANGUAGE = "javascript"
MANIFESTS = ("package.json",)
LOCKS = ("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml")
PRIVATE = re.compile(r"_(?!_)|#")
TABLES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
ENTRIES = ("main", "module", "exports", "types", "typings")
FOLDER = re.compile(r"(?:file|link|portal):(.*)|(\.{1,2}/.*)")
GIT = re.compile(r"(?:git[+:@]|git://|github:|gitlab:|bitbucket:|https?://\S+\.git\b|[\w.-]+/[\w.-]+(?:#|$))")
VERSION = re.compile(r"(?:semver:)?[v^~]?\d|[0-9a-f]{7,40}$")
LOCKED = {
    ".json": r"\"(?:node_modules/)?NAME\"\s*:\s*\{\s*\"version\"\s*:\s*\"([^\"\n]+)\"",
    ".lock": r"(?m)^\"?NAME@[^\n]*:\n\s+version:?\s+\"?([^\"\s]+)",
    ".yaml": r"(?m)^\s+'?/?NAME@(\d[^:('\s]*)",
}


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The packages of a tree. Files that `exports` does not lead to are nobody's to import."""
    found = []
    homes = {posixpath.dirname(path) for path in manifests}
    for path, table in _read(manifests):
        name, version = table.get("name"), table.get("version")
        if isinstance(name, str) and name and _is_published(table, path):
            folder = posixpath.dirname(path)
            entries = exported_files(folder, table, paths) if table.get("exports") else None
            roots = (folder,) if folder else _own(homes, paths)
            found.append(Package(LANGUAGE, name, folder, roots, version if isinstance(version, str) else "", entries))
    return tuple(found)


def _is_published(table: Manifest, path: str) -> bool:
    """Whether others can install a package. A private one is published where a build writes it another manifest."""
    if table.get("private") is not True:
        return True
    settings = table.get("publishConfig")
    if isinstance(settings, dict) and settings.get("directory"):
        return True
    is_root = "/" not in path and not table.get("workspaces")
    return is_root and table.get("version") not in (None, "0.0.0") and any(table.get(key) for key in ENTRIES)


def _own(homes: Collection[str], paths: Collection[str]) -> tuple[str, ...]:
    """What belongs to the package at the root of a tree: everything, unless the tree holds others."""
    inner = sorted(home for home in homes if home)
    if not inner:
        return ("",)
    tops = {path.partition("/")[0] for path in paths}
    return tuple(sorted(top for top in tops if not any(home == top or home.startswith(f"{top}/") for home in inner)))


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What the manifests ask for. A package of the same workspace is asked for by the workspace."""
    return tuple(
        _requirement(name, asked, path, _line(manifests[path], name))
        for path, table in _read(manifests)
        for key in TABLES
        for name, asked in _pairs(table.get(key))
    )


def locked_version(path: str, source: bytes, name: str) -> str:
    """The version that a lock file names."""
    form = LOCKED[posixpath.splitext(path)[1]].replace("NAME", re.escape(name))
    match = re.search(form, source.decode("utf-8", "replace"))
    return match[1] if match else ""


def links(packages: Sequence[Package], folders: Sequence[str]) -> Mapping[str, bytes]:
    """A package is found by its name, wherever its folder is."""
    del packages, folders
    return {}


def _read(manifests: Mapping[str, bytes]) -> Iterator[tuple[str, Manifest]]:
    for path in sorted(manifests):
        if "node_modules/" not in path:
            yield path, read_json(manifests[path])


def _pairs(value: object) -> Iterator[tuple[str, str]]:
    for name, asked in value.items() if isinstance(value, dict) else ():
        if isinstance(name, str) and isinstance(asked, str):
            yield name, asked


def _requirement(name: str, constraint: str, path: str, line: int) -> Requirement:
    alias = re.match(r"npm:(@?[^@]+)(?:@(.*))?$", constraint)
    if alias:
        return Requirement(LANGUAGE, alias[1], alias[2] or "", path=path, line=line)
    origin: Origin = "registry"
    folder = FOLDER.match(constraint)
    if constraint.startswith(("workspace:", "catalog:")):
        origin = "workspace" if constraint.startswith("workspace:") else "registry"
        return Requirement(LANGUAGE, name, constraint, origin, path, line)
    if folder:
        return Requirement(LANGUAGE, name, folder[1] or folder[2] or "", "path", path, line)
    if GIT.match(constraint):
        at = constraint.partition("#")[2]
        return Requirement(LANGUAGE, name, at, "git", path, line, fixed=bool(VERSION.match(at)))
    return Requirement(LANGUAGE, name, constraint, path=path, line=line)


def _line(source: bytes, name: str) -> int:
    at = source.find(f'"{name}"'.encode())
    return source.count(b"\n", 0, at) + 1 if at >= 0 else 0
