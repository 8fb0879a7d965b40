"""Read Rust crates from Cargo.toml, with workspace, path and git dependencies."""

import posixpath
from collections.abc import Collection, Mapping, Sequence

from deeprepo.impact.languages.rust.crates import KINDS, read
from deeprepo.impact.packages import Package, Requirement
from deeprepo.impact.text.tables import at, table, text_of

LANGUAGE = "rust"
MANIFESTS = ("Cargo.toml",)
SUFFIXES = (".rs",)
LOCKS = {"Cargo.lock": r'(?m)^name = "NAME"\nversion = "([^"\n]+)"'}


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """Return the library crates of a tree."""
    rows = []
    crates = {posixpath.dirname(path): read(source) for path, source in sorted(manifests.items())}
    for folder, crate in crates.items():
        name = text_of(at(crate, "package.name"))
        root = posixpath.join(folder, text_of(at(crate, "lib.path")) or "src/lib.rs")
        if name and root in paths:
            rows.append(Package(LANGUAGE, name, folder, (posixpath.dirname(root),)))
    return tuple(rows)


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """Return the requirements in the manifests, including a workspace's for its members."""
    rows = []
    for path, source in sorted(manifests.items()):
        crate = read(source)
        tables = [crate, table(crate.get("workspace")), *map(table, table(crate.get("target")).values())]
        for key, value in (pair for one in tables for kind in KINDS for pair in table(one.get(kind)).items()):
            asked = table(value) or {"version": value}
            if not asked.get("workspace"):
                rows.append(_requirement(key, asked, path))
    return tuple(rows)


def _requirement(key: str, asked: Mapping[str, object], path: str) -> Requirement:
    name = text_of(asked.get("package")) or key
    if asked.get("git"):
        tag = text_of(asked.get("tag")) or text_of(asked.get("rev"))
        return Requirement(LANGUAGE, name, tag or text_of(asked.get("branch")), "git", path, fixed=bool(tag))
    if asked.get("path"):
        return Requirement(LANGUAGE, name, str(asked["path"]), "path", path)
    return Requirement(LANGUAGE, name, text_of(asked.get("version")), path=path)


def links(packages: Sequence[Package], folders: Sequence[str]) -> Mapping[str, bytes]:
    """Return a manifest that patches published crates with those of the tree."""
    del folders
    rows = [f'"{package.name}" = {{ path = "../{package.folder}" }}\n' for package in packages]
    return {"Cargo.toml": "".join(["[patch.crates-io]\n", *rows]).encode()}
