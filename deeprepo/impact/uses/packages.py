"""Compare what packages one tree provides and another requires, using their manifests."""

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import translate
from functools import lru_cache
from pathlib import PurePosixPath

from deeprepo.impact.language import packagings
from deeprepo.impact.packages import Package, Packaging, Requirement
from deeprepo.impact.paths import is_below
from deeprepo.impact.ports import Tree
from deeprepo.impact.text.lines import utf8
from deeprepo.impact.text.paths import is_sample, is_test, vendored_folder
from deeprepo.impact.text.tables import problem
from deeprepo.impact.values import Side

MOST = 5_000  # manifests per tree, those nearest the root first


def holding(packages: Iterable[Package], path: str) -> Package | None:
    """Return the innermost package that contains a file."""
    return max((package for package in packages if package.holds(path)), key=lambda one: len(one.folder), default=None)


async def offer_of(tree: Tree, side: Side = "head", around: Collection[str] | None = None) -> tuple[Package, ...]:
    """Return the packages of a tree.

    Manifests in tests, examples and vendored copies are ignored. `around`: files; only manifests in folders
    above them are then read.
    """
    rows: list[Package] = []
    paths = frozenset(await tree.entries(side))
    folders = {str(folder) for path in around or () for folder in PurePosixPath(path).parents}
    for packaging in packagings().values():
        names = packaging.MANIFESTS
        above = {posixpath.normpath(posixpath.join(folder, name)) for folder in folders for name in names} & paths
        manifests = await (_read(tree, names, side) if around is None else _texts(tree, sorted(above), side))
        rows += packaging.packages({path: text for path, text in manifests.items() if not _beside(path)}, paths)
    return tuple(rows)


async def requirements(tree: Tree, packages: Collection[Package]) -> tuple[tuple[Requirement, ...], str]:
    """Return a tree's requirements for these packages, with locked versions.

    If there are none, also return a sentence about an unread manifest.
    """
    rows: list[Requirement] = []
    unread = ""
    for name, packaging in packagings().items():
        offered = {package.name for package in packages if package.language == name}
        if not offered:
            continue
        manifests = await _read(tree, packaging.MANIFESTS)
        asked = [row for row in packaging.requirements(manifests) if row.name in offered]
        locks = await _read(tree, tuple(packaging.LOCKS)) if asked else {}
        rows += [_locked(row, packaging, locks) for row in asked]
        unread = unread or ("" if asked else await _unread(tree, packaging, manifests))
    return tuple(_clearest(rows)), "" if rows else unread


@lru_cache(maxsize=64)
def form(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for paths (with a leading slash) that end in one of these names."""
    return re.compile("|".join(f"(?:.*/){translate(name)}" for name in names))


async def _read(tree: Tree, names: tuple[str, ...], side: Side = "head") -> Mapping[str, bytes]:
    """Return the readable, non-vendored files with such names, in UTF-8."""
    return await _texts(tree, await _paths(tree, names, side), side)


async def _texts(tree: Tree, paths: Sequence[str], side: Side) -> Mapping[str, bytes]:
    return {path: utf8(source) for path, source in (await tree.read_many(paths, side)).items()}


async def _paths(tree: Tree, names: tuple[str, ...], side: Side = "head") -> list[str]:
    if not names:
        return []
    fits = form(names)
    found = [path for path in await tree.entries(side) if fits.match(f"/{path}") and not vendored_folder(path)]
    return sorted(found, key=lambda path: (path.count("/"), path))[:MOST]


async def _unread(tree: Tree, packaging: Packaging, manifests: Mapping[str, bytes]) -> str:
    """Return a sentence about the first manifest that could not be read completely, or "".

    Manifests in tests and samples are ignored.
    """
    for path in await _paths(tree, packaging.MANIFESTS):
        why = problem(path, manifests[path]) if path in manifests else "could not be read"
        if why and not _beside(path):
            return f"{path} {why}"
    return ""


def _locked(row: Requirement, packaging: Packaging, locks: Mapping[str, bytes]) -> Requirement:
    """Return the requirement with the version from the nearest lock file."""
    if row.origin in ("path", "workspace"):
        return row
    folder = posixpath.dirname(row.path)
    near = [path for path in locks if is_below(folder, posixpath.dirname(path))]
    for path in sorted(near, key=len, reverse=True):
        pattern = packaging.LOCKS[posixpath.basename(path)].replace("NAME", _spelt(row.name))
        if version := re.search(pattern, locks[path].decode("utf-8", "replace")):
            return replace(row, locked=version[1])
    return row


def _spelt(name: str) -> str:
    """Return a pattern of a name with any separators."""
    return "[-_.]+".join(re.escape(part) for part in re.split(r"[-_.]+", name))


def _clearest(rows: Sequence[Requirement]) -> list[Requirement]:
    """Return one requirement per package: the one reached first by a break, with the best-known version."""
    order = {"build": 0, "release": 1, "upgrade": 2}

    def rank(row: Requirement) -> tuple[object, ...]:
        loose = not row.constraint and row.origin == "registry"  # another manifest may limit it
        return row.arrival != "build", loose, order[row.arrival], not row.locked, row.path.count("/"), row.path

    kept: dict[tuple[str, str], Requirement] = {}
    for row in sorted(rows, key=rank):
        kept.setdefault((row.language, row.name), row)
    return list(kept.values())


def _beside(path: str) -> bool:
    folder = posixpath.dirname(path)
    return bool(folder) and bool(is_test(f"{folder}/x") or is_sample(f"{folder}/x") or vendored_folder(path))
