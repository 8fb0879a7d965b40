"""Determine which part of a change can affect consumers: the provided packages and their changed files."""

import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import replace

from deeprepo.impact.changes import MOVED, REPLACED, ChangedFile, Dependents, Query
from deeprepo.impact.language import leading, rules_of
from deeprepo.impact.packages import Package
from deeprepo.impact.paths import is_below
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.paths import is_sample, is_test
from deeprepo.impact.uses.packages import offer_of

# A line with which a file re-exports another one's definitions.
HANDS_ON = r"^\s*+(?:export\b.*\bfrom\b|export\s*+\*|pub(?:\([^)]*\))?\s++(?:use|mod)\b|from\s++\S++\s++import\s++\*)"


class OfferedChange(Struct, frozen=True):
    """The part of the change that can affect consumers."""

    tree: Tree
    packages: tuple[Package, ...]  # provided before or after the change
    files: tuple[ChangedFile, ...]  # changed files in provided packages
    handing: frozenset[str]  # files that may re-export names
    dependents: Dependents  # within the repository


async def offered_change(tree: Tree, files: Sequence[ChangedFile], dependents: Dependents) -> OfferedChange:
    """Find the packages provided before or after the change, and their changed files."""
    before = await offer_of(tree, "base")
    packages = tuple(dict.fromkeys([*before, *await offer_of(tree)]))
    suffixes = {package.language: leading(package.language).suffixes for package in packages}

    def concerns(path: str | None) -> bool:
        return path is not None and any(
            package.holds(path) and path.endswith(suffixes[package.language]) and not is_aside(path, packages)
            for package in packages
        )

    offered_files = tuple(
        _as_offered(file, is_there=concerns(file.path))
        for file in files
        if (file.is_analyzed or file.skip in (MOVED, REPLACED)) and (concerns(file.path) or concerns(file.old_path))
    )
    handing: frozenset[str] = frozenset()
    if offered_files:
        globs = [f"*{one}" for many in suffixes.values() for one in many]
        handing = await tree.grep(Query([HANDS_ON], globs, syntax="perl"))
    return OfferedChange(tree, packages, offered_files, handing | _paths(offered_files), dependents)


def _paths(files: Sequence[ChangedFile]) -> frozenset[str]:
    return frozenset(path for file in files for path in (file.path, file.old_path) if path)


def is_aside(path: str, packages: Iterable[Package]) -> bool:
    """Return whether a file is a test or sample of its package, or is excluded by the language's tools."""
    roots = [root for package in packages for root in package.roots]
    outside = [root for root in roots if is_below(path, root)]
    root = max(outside, key=len, default="")
    # A module `test.py` in a package is public; at the top of a repository it is a test.
    folder = posixpath.basename(root)
    kept = posixpath.dirname(root) if folder and root != path and not _is_test_folder(folder) else root
    inner = path[len(kept) :].lstrip("/")
    name = posixpath.basename(path)
    return name.startswith(rules_of(path).skipped_names) or is_test(inner or name) or is_sample(inner or name)


def _is_test_folder(folder: str) -> bool:
    return bool(is_test(f"{folder}/x") or is_sample(f"{folder}/x"))


def _as_offered(file: ChangedFile, *, is_there: bool) -> ChangedFile:
    """Return a changed file as consumers see it: moved out of reach means deleted."""
    if is_there or file.status == "deleted" or file.old_path is None:
        return file
    return replace(file, path=file.old_path, status="deleted", added_lines=frozenset())
