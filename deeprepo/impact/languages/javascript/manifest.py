"""Read JavaScript packages from package.json with its workspaces and `exports`."""

import posixpath
from collections.abc import Collection, Mapping

from deeprepo.impact.languages.javascript.exports import exported_files
from deeprepo.impact.packages import Package
from deeprepo.impact.text.tables import at, json_table, text_of

MANIFESTS = ("package.json",)


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """Return the packages of a tree. Files that `exports` does not lead to cannot be imported."""
    tables = {path: json_table(source) for path, source in sorted(manifests.items())}
    named = {posixpath.dirname(path): one for path, one in tables.items() if text_of(one.get("name"))}
    homes = {folder for folder, one in named.items() if folder and not one.get("private")}
    rows = []
    for folder, manifest in named.items():
        if not manifest.get("private") or at(manifest, "publishConfig.directory"):
            entries = exported_files(folder, dict(manifest), paths) if manifest.get("exports") else None
            roots = (folder,) if folder or not homes else _without(homes, paths)
            rows.append(Package("javascript", text_of(manifest.get("name")), folder, roots, entries))
    return tuple(rows)


def _without(homes: Collection[str], paths: Collection[str]) -> tuple[str, ...]:
    """Return the folders and files of the root package in a tree with other packages."""
    tops = {path.partition("/")[0] for path in paths}
    return tuple(sorted(top for top in tops if not any(f"{home}/".startswith(f"{top}/") for home in homes)))
