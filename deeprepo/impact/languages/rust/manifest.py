"""Read Rust crates from Cargo.toml."""

import posixpath
from collections.abc import Collection, Mapping, Sequence

from deeprepo.impact.languages.rust.crates import read
from deeprepo.impact.packages import Package
from deeprepo.impact.text.tables import at, text_of

MANIFESTS = ("Cargo.toml",)


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """Return the library crates of a tree."""
    rows = []
    crates = {posixpath.dirname(path): read(source) for path, source in sorted(manifests.items())}
    for folder, crate in crates.items():
        name = text_of(at(crate, "package.name"))
        root = posixpath.join(folder, text_of(at(crate, "lib.path")) or "src/lib.rs")
        if name and root in paths:
            rows.append(Package("rust", name, folder, (posixpath.dirname(root),)))
    return tuple(rows)


def links(packages: Sequence[Package], folders: Sequence[str]) -> Mapping[str, bytes]:
    """Return a manifest that patches published crates with those of the tree."""
    del folders
    rows = [f'"{package.name}" = {{ path = "../{package.folder}" }}\n' for package in packages]
    return {"Cargo.toml": "".join(["[patch.crates-io]\n", *rows]).encode()}
