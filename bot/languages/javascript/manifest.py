"""JavaScript's packages: package.json with its workspaces and `exports`, and what the lock files have settled on."""

import json
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.text.lines import utf8
from bot.text.tables import at, json_table, line_of, table, text_of
from bot.values.consumer import Package, Requirement
from impact.languages.javascript import ALIAS, exported_files

LANGUAGE = "javascript"
DECLARING = ("package.json",)
_CATALOGS = ("pnpm-workspace.yaml", ".yarnrc.yml")  # where versions of pnpm and Yarn are named
MANIFESTS = (*DECLARING, *_CATALOGS, "deno.json", "deno.jsonc")
_OF_NPM = r"\"(?:node_modules/)?NAME\"\s*:\s*\{\s*\"version\"\s*:\s*\"([^\"\n]+)\""
LOCKS = {
    "package-lock.json": _OF_NPM,
    "npm-shrinkwrap.json": _OF_NPM,
    "yarn.lock": r"(?m)^\"?NAME@[^\n]*:\n\s+version:?\s+\"?([^\"\s]+)",
    "pnpm-lock.yaml": r"(?m)^\s+'?/?NAME@(\d[^:('\s]*)",
}
PRIVATE = re.compile(r"_(?!_)|#")
_TABLES = (
    "dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "resolutions", "overrides", "pnpm.overrides",
    "workspaces.catalog",
)  # fmt: skip
_ENTRIES = ("main", "module", "exports", "types", "typings")
_FOLDER = re.compile(r"(?:file|link|portal):(.*)|(\.{1,2}(?:/.*)?|[~/].*)")
_CATALOG = re.compile(
    r"^[ \t]+['\"]?(@?[\w./-]+)['\"]?:[ \t]+['\"]?((?:npm|file|link|workspace|jsr|github|git)[:+][^'\"\s#]+(?:#[^'\"\s]+)?)",
    re.MULTILINE,
)
_GIT = re.compile(r"(?:git[+:@]|git://|github:|gitlab:|bitbucket:|https?://\S+\.git\b|[\w.-]+/[\w.-]+(?:#|$))")
_VERSION = re.compile(r"(?:semver:)?[v^~]?\d|[0-9a-f]{7,40}$")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The packages of a tree. Files that `exports` does not lead to are nobody's to import."""
    tables = {path: json_table(source) for path, source in sorted(manifests.items()) if path.endswith("package.json")}
    root = tables.get("package.json", {})
    homes = {posixpath.dirname(path) for path, one in tables.items() if path != "package.json" and _is_own(one, root)}
    rows = []
    for path, manifest in tables.items():
        name, folder = text_of(manifest.get("name")), posixpath.dirname(path)
        if name and _is_published(manifest, folder):
            entries = exported_files(folder, dict(manifest), paths) if manifest.get("exports") else None
            roots = (folder,) if folder or not homes else _without(homes, paths)
            rows.append(Package(LANGUAGE, name, folder, roots, entries))
    return tuple(rows)


def _is_own(manifest: Mapping[str, object], root: Mapping[str, object]) -> bool:
    """Whether a folder with a manifest is a package of its own: a private one is a part of a root that publishes everything."""
    is_bounded = bool(root.get("files") or root.get("workspaces"))
    return bool(text_of(manifest.get("name"))) and (manifest.get("private") is not True or is_bounded)


def _is_published(manifest: Mapping[str, object], folder: str) -> bool:
    """Whether others can install a package. A private one is published where a build writes it another manifest."""
    if manifest.get("private") is not True or at(manifest, "publishConfig.directory"):
        return True
    has_entry = any(manifest.get(key) for key in _ENTRIES) and manifest.get("version") not in (None, "0.0.0")
    return not folder and not manifest.get("workspaces") and has_entry


def _without(homes: Collection[str], paths: Collection[str]) -> tuple[str, ...]:
    """What belongs to the package at the root of a tree that holds others."""
    tops = {path.partition("/")[0] for path in paths}
    return tuple(sorted(top for top in tops if not any(f"{home}/".startswith(f"{top}/") for home in homes)))


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What the manifests ask for. A package of the same workspace is asked for by the workspace."""
    return tuple(
        _requirement(name, wish, path, line_of(source, f'"{name}"'))
        for path, source in sorted(manifests.items())
        for name, wish in _wishes(posixpath.basename(path), source)
    )


def _wishes(base: str, source: bytes) -> Iterator[tuple[str, str]]:
    """What a manifest asks for: the name in imports, and what is meant by it."""
    if base in _CATALOGS:
        yield from _CATALOG.findall(utf8(source).decode("utf-8", "replace"))
        return
    manifest = json_table(source)
    tables = [table(at(manifest, key)) for key in (_TABLES if base == "package.json" else ("imports",))]
    for name, wish in (pair for one in tables for pair in one.items()):
        if isinstance(wish, str) and (base == "package.json" or ":" in wish):
            yield name.rstrip("/"), wish


def _requirement(name: str, wish: str, path: str, line: int) -> Requirement:
    origin, rest = ("workspace", wish) if wish.startswith("workspace:") else ("registry", wish)
    if alias := ALIAS.match(wish):
        other = name if name != alias[1] else ""
        return Requirement(LANGUAGE, alias[1], alias[2] or "", origin, path, line, alias=other)  # type: ignore[arg-type]
    if folder := _FOLDER.match(wish):
        place = folder[1] or folder[2] or ""
        return Requirement(LANGUAGE, name, place, "path", path, line, source=place)
    if origin == "registry" and not wish.startswith("catalog:") and _GIT.match(wish):
        tag = wish.partition("#")[2]
        return Requirement(LANGUAGE, name, tag, "git", path, line, fixed=bool(_VERSION.match(tag)), source=wish)
    return Requirement(LANGUAGE, name, rest, origin, path, line, source=wish if "://" in wish else "")  # type: ignore[arg-type]


def links(packages: Sequence[Package], folders: Sequence[str], aliases: Mapping[str, str]) -> Mapping[str, bytes]:
    """A package is found by its name, wherever its folder is; under another one by a manifest that declares it."""
    del packages, folders
    wish = {alias: f"npm:{name}@*" for alias, name in aliases.items()}
    return {"package.json": json.dumps({"dependencies": wish}).encode()} if wish else {}
