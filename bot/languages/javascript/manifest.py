"""JavaScript's packages: package.json with its workspaces and `exports`, and what the lock files have settled on."""

import json
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.languages.javascript.modules import ALIAS, Manifest, exported_files, read_json
from bot.text.lines import utf8
from bot.values.consumer import ManifestProblem, Origin, Package, Requirement

LANGUAGE = "javascript"
DECLARING = ("package.json",)
OTHERS = ("package.json5", "package.yaml")  # of pnpm
CATALOGS = ("pnpm-workspace.yaml", ".yarnrc.yml")  # where versions of pnpm and Yarn are named
MANIFESTS = (*DECLARING, *CATALOGS, "deno.json", "deno.jsonc", "import_map.json", *OTHERS)
LOCKS = ("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml")
PRIVATE = re.compile(r"_(?!_)|#")
TABLES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
OVERRIDES = ("resolutions", "overrides", "catalog")  # tables that replace a package for everyone who requires it
ENTRIES = ("main", "module", "exports", "types", "typings")
FOLDER = re.compile(r"(?:file|link|portal):(.*)|(\.{1,2}(?:/.*)?|[~/].*)")
CATALOG = re.compile(
    r"^[ \t]+['\"]?(@?[\w./-]+)['\"]?:[ \t]+['\"]?((?:npm|file|link|workspace|jsr|github|git)[:+][^'\"\s#]+(?:#[^'\"\s]+)?)",
    re.MULTILINE,
)
GIT = re.compile(r"(?:git[+:@]|git://|github:|gitlab:|bitbucket:|https?://\S+\.git\b|[\w.-]+/[\w.-]+(?:#|$))")
VERSION = re.compile(r"(?:semver:)?[v^~]?\d|[0-9a-f]{7,40}$")
LOCKED = {
    ".json": r"\"(?:node_modules/)?NAME\"\s*:\s*\{\s*\"version\"\s*:\s*\"([^\"\n]+)\"",
    ".lock": r"(?m)^\"?NAME@[^\n]*:\n\s+version:?\s+\"?([^\"\s]+)",
    ".yaml": r"(?m)^\s+'?/?NAME@(\d[^:('\s]*)",
}


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The packages of a tree. Files that `exports` does not lead to are nobody's to import."""
    result = []
    tables = dict(_read(manifests))
    homes = {posixpath.dirname(path) for path, table in tables.items() if not _is_part(path, table, tables)}
    for path, table in tables.items():
        name, version = table.get("name"), table.get("version")
        if isinstance(name, str) and name and _is_published(table, path):
            folder = posixpath.dirname(path)
            entries = exported_files(folder, table, paths) if table.get("exports") else None
            roots = (folder,) if folder else _own(homes, paths)
            result.append(Package(LANGUAGE, name, folder, roots, version if isinstance(version, str) else "", entries))
    return tuple(result)


def _is_published(table: Manifest, path: str) -> bool:
    """Whether others can install a package. A private one is published where a build writes it another manifest."""
    if table.get("private") is not True:
        return True
    settings = table.get("publishConfig")
    if isinstance(settings, dict) and settings.get("directory"):
        return True
    is_root = "/" not in path and not table.get("workspaces")
    return is_root and table.get("version") not in (None, "0.0.0") and any(table.get(key) for key in ENTRIES)


def _is_part(path: str, table: Manifest, tables: Mapping[str, Manifest]) -> bool:
    """Whether a manifest belongs to the package at the root: it names none, or the root offers the folder of a private one."""
    root = tables.get("package.json", {})
    if not isinstance(table.get("name"), str) or not table.get("name"):
        return True
    bounds = any(root.get(key) for key in ("files", "exports", "workspaces")) or "pnpm-workspace.yaml" in tables
    if table.get("private") is True and not bounds:
        return True  # all that lies there is published
    offers = json.dumps([root.get(key) for key in ("files", *ENTRIES)])
    return table.get("private") is True and path.partition("/")[0] in re.findall(r"[\w.-]+", offers)


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
        _requirement(name, wish, path, _line(manifests[path], name))
        for path in sorted(manifests)
        if "node_modules/" not in path
        for name, wish in _wishes(path, manifests[path])
    )


def problems(manifests: Mapping[str, bytes]) -> tuple[ManifestProblem, ...]:
    """The files that cannot be parsed, and those of pnpm in other formats."""
    result = []
    for path, source in sorted(manifests.items()):
        base = posixpath.basename(path)
        if base in OTHERS:
            result.append(ManifestProblem(path, "is a manifest of a form that is not read"))
        elif "node_modules/" not in path and base.endswith((".json", ".jsonc")) and not _parses(source):
            result.append(ManifestProblem(path, "cannot be parsed"))
    return tuple(result)


def _parses(source: bytes) -> bool:
    try:
        return isinstance(json.loads(source), dict)
    except (ValueError, RecursionError):
        return bool(read_json(source)) or not source.strip(b" \t\r\n{}")


def _wishes(path: str, source: bytes) -> Iterator[tuple[str, str]]:
    """What a manifest asks for: the name in imports, and what is meant by it."""
    base = posixpath.basename(path)
    if base == "package.json":
        table = read_json(source)
        inner, work = table.get("pnpm"), table.get("workspaces")
        tables = [table.get(key) for key in (*TABLES, *OVERRIDES)]
        tables += [one.get(key) for one in (inner, work) if isinstance(one, dict) for key in OVERRIDES]
        named = [one.get("catalogs") for one in (table, work) if isinstance(one, dict)]  # Bun
        tables += [row for one in named if isinstance(one, dict) for row in one.values()]
        for row in tables:
            yield from _pairs(row)
    elif base in CATALOGS:
        yield from CATALOG.findall(utf8(source).decode("utf-8", "replace"))
    elif base not in OTHERS:
        table = read_json(source)
        scopes = table.get("scopes")
        for row in (table.get("imports"), *(scopes.values() if isinstance(scopes, dict) else ())):
            yield from ((name.rstrip("/"), wish) for name, wish in _pairs(row) if ":" in wish)


def locked_version(path: str, source: bytes, name: str) -> str:
    """The version that a lock file names."""
    form = LOCKED[posixpath.splitext(path)[1]].replace("NAME", re.escape(name))
    match = re.search(form, source.decode("utf-8", "replace"))
    return match[1] if match else ""


def links(packages: Sequence[Package], folders: Sequence[str], aliases: Mapping[str, str]) -> Mapping[str, bytes]:
    """A package is found by its name, wherever its folder is; under another one by a manifest that declares it."""
    del packages, folders
    wish = {alias: f"npm:{name}@*" for alias, name in aliases.items()}
    return {"package.json": json.dumps({"dependencies": wish}).encode()} if wish else {}


def _read(manifests: Mapping[str, bytes]) -> Iterator[tuple[str, Manifest]]:
    for path in sorted(manifests):
        if "node_modules/" not in path:
            yield path, read_json(manifests[path])


def _pairs(value: object) -> Iterator[tuple[str, str]]:
    for name, wish in value.items() if isinstance(value, dict) else ():
        if isinstance(name, str) and isinstance(wish, str):
            yield name, wish


def _requirement(name: str, constraint: str, path: str, line: int) -> Requirement:
    alias = ALIAS.match(constraint)
    origin: Origin = "registry"
    if alias:
        origin = "workspace" if constraint.startswith("workspace:") else "registry"
        other = name if name != alias[1] else ""
        return Requirement(LANGUAGE, alias[1], alias[2] or "", origin, path, line, alias=other)
    folder = FOLDER.match(constraint)
    if constraint.startswith(("workspace:", "catalog:")):
        origin = "workspace" if constraint.startswith("workspace:") else "registry"
        return Requirement(LANGUAGE, name, constraint, origin, path, line)
    if folder:
        place = folder[1] or folder[2] or ""
        return Requirement(LANGUAGE, name, place, "path", path, line, source=place)
    if GIT.match(constraint):
        at = constraint.partition("#")[2]
        return Requirement(LANGUAGE, name, at, "git", path, line, fixed=bool(VERSION.match(at)), source=constraint)
    source = constraint if "://" in constraint else ""
    return Requirement(LANGUAGE, name, constraint, path=path, line=line, source=source)


def _line(source: bytes, name: str) -> int:
    at = source.find(f'"{name}"'.encode())
    return source.count(b"\n", 0, at) + 1 if at >= 0 else 0
