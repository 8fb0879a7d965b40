"""Determine which part of a change can affect consumers: the provided packages and their changed files."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from deeprepo.impact.changes import MOVED, REPLACED, ChangedFile, Query
from deeprepo.impact.consumers.manifests import holding, offer_of
from deeprepo.impact.language import leading
from deeprepo.impact.packages import Package
from deeprepo.impact.ports import Tree
from deeprepo.impact.structs import Struct
from deeprepo.impact.text import paths

# A line with which a file re-exports another one's definitions.
HANDS_ON = r"^\s*+(?:export\b.*\bfrom\b|export\s*+\*|pub(?:\([^)]*\))?\s++(?:use|mod)\b|from\s++\S++\s++import\s++\*)"


class OfferedChange(Struct, frozen=True):
    """The part of the change that can affect consumers."""

    tree: Tree
    packages: tuple[Package, ...]  # provided before or after the change
    files: tuple[ChangedFile, ...]  # changed files in provided packages
    handing: frozenset[str]  # files that may re-export names


async def offered_change(tree: Tree, files: Sequence[ChangedFile]) -> OfferedChange:
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
    return OfferedChange(tree, packages, offered_files, handing | _paths(offered_files))


def _paths(files: Sequence[ChangedFile]) -> frozenset[str]:
    return frozenset(path for file in files for path in (file.path, file.old_path) if path)


def is_aside(path: str, packages: Iterable[Package]) -> bool:
    """Return whether a file is a test or sample of its package."""
    package = holding(packages, path)
    inner = path[len(package.folder) :].lstrip("/") if package is not None else path
    return paths.is_aside(inner)


def _as_offered(file: ChangedFile, *, is_there: bool) -> ChangedFile:
    """Return a changed file as consumers see it: moved out of reach means deleted."""
    if is_there or file.status == "deleted" or file.old_path is None:
        return file
    return replace(file, path=file.old_path, status="deleted", added_lines=frozenset())
