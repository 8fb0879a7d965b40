"""Rust's crates: Cargo.toml with its workspace, path and git dependencies."""

import posixpath
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.languages.lexical import manifest_text, unread
from bot.languages.rust.layout import KINDS, read, table
from bot.text.lines import line_number
from bot.values.consumer import ManifestProblem, Package, Requirement

LANGUAGE = "rust"
DECLARING = MANIFESTS = ("Cargo.toml",)
LOCKS = ("Cargo.lock",)
PRIVATE = re.compile(r"_(?!_)")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The crates of a tree that are libraries."""
    result = []
    for path, source in sorted(manifests.items()):
        manifest_table, folder = read(source), posixpath.dirname(path)
        own, library = table(manifest_table.get("package")), table(manifest_table.get("lib"))
        name, version, root = own.get("name"), own.get("version"), library.get("path")
        root = posixpath.join(folder, root if isinstance(root, str) else "src/lib.rs")
        if isinstance(name, str) and root in paths:
            told_version = version if isinstance(version, str) else ""
            result.append(Package(LANGUAGE, name, folder, (posixpath.dirname(root),), told_version))
    return tuple(result)


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What the manifests ask for; what a workspace declares for its members is asked for there."""
    result: list[Requirement] = []
    for path, source in sorted(manifests.items()):
        manifest_table = read(source)
        tables = [
            manifest_table,
            table(manifest_table.get("workspace")),
            *(table(one) for one in table(manifest_table.get("target")).values()),
        ]
        text = manifest_text(source)
        for name, value in (pair for one in tables for kind in KINDS for pair in table(one.get(kind)).items()):
            result += _requirement(name, value, path, text)
    return tuple(result)


def problems(manifests: Mapping[str, bytes]) -> tuple[ManifestProblem, ...]:
    """The files that cannot be parsed, and what a member takes of a workspace that is not in the tree."""
    result = []
    roots = [posixpath.dirname(path) for path, source in manifests.items() if "workspace" in read(source)]
    for path, source in sorted(manifests.items()):
        why, folder = unread(source) or ("" if _parses(source) else "cannot be parsed"), posixpath.dirname(path)
        if why:
            result.append(ManifestProblem(path, why))
        elif not any(not root or f"{folder}/".startswith(f"{root}/") for root in roots):
            manifest_table = read(source)
            result += [
                ManifestProblem(path, f"takes {key} from a workspace that is not in the repository", key, is_form=True)
                for kind in KINDS
                for key, value in table(manifest_table.get(kind)).items()
                if table(value).get("workspace")
            ]
    return tuple(result)


def _parses(source: bytes) -> bool:
    try:
        tomllib.loads(manifest_text(source))
    except (ValueError, RecursionError):
        return False
    return True


def _requirement(key: str, value: object, path: str, text: str) -> Iterator[Requirement]:
    manifest_table = table(value)
    name = manifest_table.get("package")
    name = name if isinstance(name, str) else key
    alias = key if name != key else ""
    match = re.search(
        rf"(?m)^[ \t]*+(?:\"?{re.escape(key)}\"?\s*[.=]|\[[\w.\"'()-]*dependencies\.{re.escape(key)}\])", text
    )
    line = line_number(text, match.end()) if match else 0
    if isinstance(value, str):
        yield Requirement(LANGUAGE, name, value, path=path, line=line)
    elif manifest_table.get("git"):
        at = manifest_table.get("tag") or manifest_table.get("rev") or manifest_table.get("branch") or ""
        is_fixed = "branch" not in manifest_table and bool(at)
        yield Requirement(LANGUAGE, name, str(at), "git", path, line, fixed=is_fixed, alias=alias)
    elif manifest_table.get("path"):
        yield Requirement(LANGUAGE, name, str(manifest_table["path"]), "path", path, line, alias=alias)
    elif manifest_table and not manifest_table.get("workspace"):
        yield Requirement(LANGUAGE, name, str(manifest_table.get("version") or ""), path=path, line=line, alias=alias)


def locked_version(path: str, source: bytes, name: str) -> str:
    """The version that Cargo.lock names."""
    del path
    match = re.search(rf'(?m)^name = "{re.escape(name)}"\nversion = "([^"\n]+)"', source.decode("utf-8", "replace"))
    return match[1] if match else ""


def links(packages: Sequence[Package], folders: Sequence[str], aliases: Mapping[str, str]) -> Mapping[str, bytes]:
    """A manifest that patches the published crates with those of the tree; a manifest that renames one is enough by itself."""
    del folders, aliases
    rows = [f'"{package.name}" = {{ path = "../{package.folder}" }}\n' for package in packages]
    return {"Cargo.toml": "".join(["[patch.crates-io]\n", *rows]).encode()}
