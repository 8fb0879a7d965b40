"""Rust's crates: Cargo.toml with its workspace, path and git dependencies."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.languages.rust.layout import read, table
from bot.values.consumer import Package, Requirement

LANGUAGE = "rust"
MANIFESTS = ("Cargo.toml",)
LOCKS = ("Cargo.lock",)
PRIVATE = re.compile(r"_(?!_)")
KINDS = ("dependencies", "dev-dependencies", "build-dependencies")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The crates of a tree that are libraries."""
    found = []
    for path, source in sorted(manifests.items()):
        told, folder = read(source), posixpath.dirname(path)
        own, library = table(told.get("package")), table(told.get("lib"))
        name, version, root = own.get("name"), own.get("version"), library.get("path")
        root = posixpath.join(folder, root if isinstance(root, str) else "src/lib.rs")
        if isinstance(name, str) and root in paths:
            told_version = version if isinstance(version, str) else ""
            found.append(Package(LANGUAGE, name, folder, (posixpath.dirname(root),), told_version))
    return tuple(found)


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What the manifests ask for; what a workspace declares for its members is asked for there."""
    found: list[Requirement] = []
    for path, source in sorted(manifests.items()):
        told = read(source)
        tables = [told, table(told.get("workspace")), *(table(one) for one in table(told.get("target")).values())]
        text = source.decode("utf-8", "replace")
        for name, value in (pair for one in tables for kind in KINDS for pair in table(one.get(kind)).items()):
            found += _requirement(name, value, path, text)
    return tuple(found)


def _requirement(key: str, value: object, path: str, text: str) -> Iterator[Requirement]:
    told = table(value)
    name = told.get("package")
    name = name if isinstance(name, str) else key
    match = re.search(
        rf"(?m)^[ \t]*+(?:\"?{re.escape(key)}\"?\s*[.=]|\[[\w.\"'()-]*dependencies\.{re.escape(key)}\])", text
    )
    line = text.count("\n", 0, match.end()) + 1 if match else 0
    if isinstance(value, str):
        yield Requirement(LANGUAGE, name, value, path=path, line=line)
    elif told.get("git"):
        at = told.get("tag") or told.get("rev") or told.get("branch") or ""
        yield Requirement(LANGUAGE, name, str(at), "git", path, line, fixed="branch" not in told and bool(at))
    elif told.get("path"):
        yield Requirement(LANGUAGE, name, str(told["path"]), "path", path, line)
    elif told and not told.get("workspace"):
        yield Requirement(LANGUAGE, name, str(told.get("version") or ""), path=path, line=line)


def locked_version(path: str, source: bytes, name: str) -> str:
    """The version that Cargo.lock names."""
    del path
    match = re.search(rf'(?m)^name = "{re.escape(name)}"\nversion = "([^"\n]+)"', source.decode("utf-8", "replace"))
    return match[1] if match else ""


def links(packages: Sequence[Package], folders: Sequence[str]) -> Mapping[str, bytes]:
    """A manifest that patches the published crates with those of the tree."""
    del folders
    rows = [f'"{package.name}" = {{ path = "../{package.folder}" }}\n' for package in packages]
    return {"Cargo.toml": "".join(["[patch.crates-io]\n", *rows]).encode()}
