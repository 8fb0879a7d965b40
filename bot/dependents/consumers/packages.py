"""Who takes what from whom, told from the manifests of two trees."""

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import translate
from functools import lru_cache

from bot.ports import Language, Packaging, Tree
from bot.text.paths import is_sample, is_test, vendored_folder
from bot.values import Side
from bot.values.consumer import Package, PackageRow, Requirement

MOST = 500  # manifests of one tree that are read, those nearest the root first


@dataclass(frozen=True, slots=True)
class Offer:
    """The packages that a tree offers, by language."""

    packages: tuple[Package, ...] = ()

    def of(self, language: str) -> tuple[Package, ...]:
        """Those of one language."""
        return tuple(package for package in self.packages if package.language == language)

    def holding(self, path: str) -> Package | None:
        """The package that a file belongs to: the innermost."""
        fits = [package for package in self.packages if package.holds(path)]
        return max(fits, key=lambda package: len(package.folder), default=None)

    def join(self, other: "Offer") -> "Offer":
        """Both, each package once."""
        return Offer(tuple(dict.fromkeys([*self.packages, *other.packages])))


def packaging_of(language: Language) -> Packaging | None:
    """How a language's packages are declared, None if it has no manifests."""
    return getattr(language, "packaging", None)


async def offer_of(tree: Tree, languages: Mapping[str, Language], side: Side = "head") -> Offer:
    """What a tree offers. Manifests of tests, examples and copies of other packages offer nothing."""
    found: list[Package] = []
    paths = frozenset(await tree.entries(side))
    for language in languages.values():
        packaging = packaging_of(language)
        if packaging is not None:
            manifests = await _read(tree, packaging.MANIFESTS, paths, side)
            found += packaging.packages({p: s for p, s in manifests.items() if not _beside(p)}, paths)
    return Offer(tuple(found))


async def requirements(tree: Tree, languages: Mapping[str, Language], offer: Offer) -> tuple[Requirement, ...]:
    """What a tree takes of the packages that another one offers, with the versions that its lock files name."""
    found: list[Requirement] = []
    paths = frozenset(await tree.entries())
    for name, language in languages.items():
        packaging, wanted = packaging_of(language), {package.name for package in offer.of(name)}
        if packaging is None or not wanted:
            continue
        manifests = await _read(tree, packaging.MANIFESTS, paths)
        asked = [row for row in packaging.requirements(manifests) if row.name in wanted]
        locks = await _read(tree, packaging.LOCKS, paths) if asked else {}
        found += [_locked(row, packaging, locks) for row in asked]
    return tuple(_clearest(found))


async def asked_packages(tree: Tree, language: Language, side: Side = "head") -> frozenset[str]:
    """The names of the packages of one language that the manifests of a tree ask for."""
    packaging = packaging_of(language)
    if packaging is None:
        return frozenset()
    manifests = await _read(tree, packaging.MANIFESTS, frozenset(await tree.entries(side)), side)
    return frozenset(row.name for row in packaging.requirements(manifests) if row.origin not in ("path", "workspace"))


async def package_rows(tree: Tree, languages: Mapping[str, Language]) -> tuple[PackageRow, ...]:
    """Everything that a tree offers and takes, told from its manifests alone."""
    offers = [PackageRow("offers", one.language, one.name) for one in (await offer_of(tree, languages)).packages]
    takes: list[PackageRow] = []
    paths = frozenset(await tree.entries())
    for language in languages.values():
        packaging = packaging_of(language)
        if packaging is not None:
            rows = _clearest(packaging.requirements(await _read(tree, packaging.MANIFESTS, paths)))
            takes += [PackageRow("takes", one.language, one.name, one.version, one.arrival) for one in rows]
    return tuple(dict.fromkeys((*offers, *takes)))


def is_manifest(path: str, languages: Collection[Language]) -> bool:
    """Whether a file declares a package of one of the languages."""
    names = [name for language in languages if (packaging := packaging_of(language)) for name in packaging.MANIFESTS]
    return bool(names) and _form(tuple(names)).match(f"/{path}") is not None


def _locked(row: Requirement, packaging: Packaging, locks: Mapping[str, bytes]) -> Requirement:
    """The requirement with the version of the lock file nearest to its manifest."""
    if row.origin in ("path", "workspace"):
        return row
    folder = posixpath.dirname(row.path)
    near = [path for path in locks if _above(posixpath.dirname(path), folder)]
    for path in sorted(near, key=len, reverse=True):
        version = packaging.locked_version(path, locks[path], row.name)
        if version:
            return replace(row, locked=version)
    return row


def _clearest(rows: Sequence[Requirement]) -> list[Requirement]:
    """One requirement of each package: the one whose break arrives first, with the most that is known of its version."""
    order = {"build": 0, "release": 1, "upgrade": 2}

    def rank(row: Requirement) -> tuple[object, ...]:
        loose = not row.constraint and row.origin == "registry"  # another manifest may well bound it
        return row.arrival != "build", loose, order[row.arrival], not row.locked, row.path.count("/"), row.path

    ranked = sorted(rows, key=rank)
    kept: dict[tuple[str, str], Requirement] = {}
    for row in ranked:
        kept.setdefault((row.language, row.name), row)
    return list(kept.values())


async def _read(tree: Tree, names: Sequence[str], paths: Collection[str], side: Side = "head") -> dict[str, bytes]:
    if not names:
        return {}
    fits = _form(tuple(names))
    wanted = [path for path in paths if fits.match(f"/{path}") and not vendored_folder(path)]
    return await tree.read_many(sorted(wanted, key=lambda path: (path.count("/"), path))[:MOST], side)


@lru_cache(maxsize=64)
def _form(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:.*/){translate(name)}" for name in names))


def _beside(path: str) -> bool:
    folder = posixpath.dirname(path)
    return bool(folder) and bool(is_test(f"{folder}/x") or is_sample(f"{folder}/x") or vendored_folder(path))


def _above(folder: str, other: str) -> bool:
    return not folder or folder == other or other.startswith(f"{folder}/")
