"""Read JavaScript packages: package.json with its workspaces and `exports`, and versions in lock files."""

import posixpath
import re
from collections.abc import Collection, Mapping

from deeprepo.impact.languages.javascript.exports import ALIAS, ASKED, exported_files
from deeprepo.impact.packages import Package, Requirement
from deeprepo.impact.text.tables import at, json_table, table, text_of

LANGUAGE = "javascript"
MANIFESTS = ("package.json",)
_OF_NPM = r"\"(?:node_modules/)?NAME\"\s*:\s*\{\s*\"version\"\s*:\s*\"([^\"\n]+)\""
LOCKS = {
    "package-lock.json": _OF_NPM,
    "npm-shrinkwrap.json": _OF_NPM,
    "yarn.lock": r"(?m)^\"?NAME@[^\n]*:\n\s+version:?\s+\"?([^\"\s]+)",
    "pnpm-lock.yaml": r"(?m)^[ \t]++'?/?NAME@(\d[^:('\s]*)",
}
SUFFIXES = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".astro")
_SPEC = re.compile(r"(@[a-z\d][\w.-]*/[a-z\d][\w.-]*|[a-z\d][\w.-]*)(?:/|$)")
_OF_NODE = frozenset(
    """assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2 https
    inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder sys timers tls trace_events tty
    url util v8 vm wasi worker_threads zlib""".split()  # noqa: SIM905 - as above
)
_ENTRIES = ("main", "module", "exports", "types", "typings")
_FOLDER = re.compile(r"(?:file|link|portal):(.*)|(\.{1,2}(?:/.*)?|[~/].*)")
_GIT = re.compile(r"(?:git[+:@]|git://|github:|gitlab:|bitbucket:|https?://\S+\.git\b|[\w.-]+/[\w.-]+(?:#|$))")
_VERSION = re.compile(r"(?:semver:)?[v^~]?\d|[0-9a-f]{7,40}$")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """Return the packages of a tree. Files that `exports` does not lead to cannot be imported."""
    tables = {path: json_table(source) for path, source in sorted(manifests.items())}
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
    """Return whether a folder with a manifest is a separate package.

    A private one may belong to a root that publishes everything.
    """
    is_bounded = bool(root.get("files") or root.get("workspaces"))
    return bool(text_of(manifest.get("name"))) and (manifest.get("private") is not True or is_bounded)


def _is_published(manifest: Mapping[str, object], folder: str) -> bool:
    """Return whether others can install a package.

    A private one is published if its build writes another manifest.
    """
    if manifest.get("private") is not True or at(manifest, "publishConfig.directory"):
        return True
    has_entry = any(manifest.get(key) for key in _ENTRIES) and manifest.get("version") not in (None, "0.0.0")
    return not folder and not manifest.get("workspaces") and has_entry


def _without(homes: Collection[str], paths: Collection[str]) -> tuple[str, ...]:
    """Return the folders and files of the root package in a tree with other packages."""
    tops = {path.partition("/")[0] for path in paths}
    return tuple(sorted(top for top in tops if not any(f"{home}/".startswith(f"{top}/") for home in homes)))


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """Return the requirements in the manifests, including those from the workspace."""
    return tuple(
        _requirement(name, wish, path)
        for path, source in sorted(manifests.items())
        for key in ASKED
        for name, wish in table(json_table(source).get(key)).items()
        if isinstance(wish, str)
    )


def _requirement(name: str, wish: str, path: str) -> Requirement:
    if wish.startswith("workspace:"):
        return Requirement(LANGUAGE, name, wish, "workspace", path)
    if alias := ALIAS.match(wish):
        return Requirement(LANGUAGE, alias[1], alias[2] or "", path=path)
    if folder := _FOLDER.match(wish):
        return Requirement(LANGUAGE, name, folder[1] or folder[2] or "", "path", path)
    if not wish.startswith("catalog:") and _GIT.match(wish):
        tag = wish.partition("#")[2]
        return Requirement(LANGUAGE, name, tag, "git", path, fixed=bool(_VERSION.match(tag)))
    return Requirement(LANGUAGE, name, wish, path=path)


def package_of(spec: str) -> str:
    """Return the package of a specifier; "" for Node's own modules and for specifiers that only a bundler resolves."""
    found = _SPEC.match(spec)
    return "" if found is None or found[1] in _OF_NODE else found[1]
