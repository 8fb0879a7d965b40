"""Read Rust crates from Cargo.toml."""

import posixpath
from collections.abc import Mapping, Sequence

from deeprepo.impact.languages.rust.crates import read
from deeprepo.impact.packages import Package
from deeprepo.impact.text.tables import at, text_of

MANIFESTS = ("Cargo.toml",)


def packages(manifests: Mapping[str, bytes]) -> tuple[Package, ...]:
    """Return the crates of a tree."""
    names = {path: text_of(at(read(source), "package.name")) for path, source in sorted(manifests.items())}
    return tuple(Package("rust", name, posixpath.dirname(path)) for path, name in names.items() if name)


def links(packages: Sequence[Package], folders: Sequence[str]) -> Mapping[str, bytes]:
    """Return a manifest that patches published crates with those of the tree."""
    del folders
    rows = [f'"{package.name}" = {{ path = "../{package.folder}" }}\n' for package in packages]
    return {"Cargo.toml": "".join(["[patch.crates-io]\n", *rows]).encode()}
