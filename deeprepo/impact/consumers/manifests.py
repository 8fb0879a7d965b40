"""Compare what packages one tree provides and another requires, using their manifests."""

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import translate
from functools import lru_cache

from deeprepo.impact.language import packagings
from deeprepo.impact.packages import Package, Requirement, plain_name
from deeprepo.impact.ports import Tree
from deeprepo.impact.text.lines import utf8
from deeprepo.impact.text.paths import is_aside, vendored_folder
from deeprepo.impact.values import Side

MOST = 5_000  # manifests per tree, those nearest the root first
LONGEST_LINE = 200  # characters
WORD = re.compile(r"@?\w[\w./-]*")  # a name with its scope or path


def holding(packages: Iterable[Package], path: str) -> Package | None:
    """Return the innermost package that contains a file."""
    return max((package for package in packages if package.holds(path)), key=lambda one: len(one.folder), default=None)


async def offer_of(tree: Tree, side: Side = "head") -> tuple[Package, ...]:
    """Return the packages of a tree. Manifests in tests, examples and vendored copies are ignored."""
    rows: list[Package] = []
    for packaging in packagings().values():
        manifests = await _texts(tree, await _paths(tree, packaging.MANIFESTS, side), side)
        rows += packaging.packages({path: text for path, text in manifests.items() if not _beside(path)})
    return tuple(rows)


async def requirements(tree: Tree, packages: Collection[Package]) -> tuple[tuple[Requirement, ...], str]:
    """Return the packages among these that a tree's manifests name, each with the first line that does.

    If there are none, also return a sentence about an unread manifest.
    """
    rows: list[Requirement] = []
    unread = ""
    for language, packaging in packagings().items():
        offered = dict.fromkeys(package.name for package in packages if package.language == language)
        paths = [path for path in await _paths(tree, packaging.MANIFESTS) if not _beside(path)] if offered else []
        manifests = await _texts(tree, paths, "head")
        words = _words(manifests) if offered else {}
        for name in offered:
            *groups, own = map(plain_name, name.split(":"))  # an artifact's group may be on any other line
            if own in words and all(group in words for group in groups):
                rows.append(Requirement(language, name, *words[own]))
        unread = unread or next((f"{path} could not be read" for path in paths if path not in manifests), "")
    return tuple(rows), "" if rows else unread


def _words(manifests: Mapping[str, bytes]) -> Mapping[str, tuple[str, str]]:
    """Return each word and each end of a path -> the first manifest with it, and its line. A scope is no folder."""
    found: dict[str, tuple[str, str]] = {}
    for path, source in manifests.items():
        for line in source.decode("utf-8", "replace").splitlines():
            for word in WORD.findall(line):
                parts = plain_name(word.removesuffix(".git")).split("/")
                for start in range(len(parts) if word[0] != "@" else 1):
                    found.setdefault("/".join(parts[start:]), (path, line.strip()[:LONGEST_LINE]))
    return found


@lru_cache
def form(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for paths (with a leading slash) that end in one of these names."""
    return re.compile("|".join(f"(?:.*/){translate(name)}" for name in names))


async def _texts(tree: Tree, paths: Sequence[str], side: Side) -> Mapping[str, bytes]:
    return {path: utf8(source) for path, source in (await tree.read_many(paths, side)).items()}


async def _paths(tree: Tree, names: tuple[str, ...], side: Side = "head") -> list[str]:
    """Return the files with such names that are not vendored, those nearest the root first."""
    fits = form(names)
    found = [path for path in await tree.entries(side) if fits.match(f"/{path}") and not vendored_folder(path)]
    return sorted(found, key=lambda path: (path.count("/"), path))[:MOST]


def _beside(path: str) -> bool:
    folder = posixpath.dirname(path)
    return bool(folder) and bool(is_aside(f"{folder}/x") or vendored_folder(path))
