"""Who takes what from whom, told from the manifests of two trees."""

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.dependents.consumers.identity import RepositoryIdentity, package_at
from bot.dependents.consumers.manifests import Manifests, form, matching, read_locks, read_manifests
from bot.ports import Language, Packaging, Tree
from bot.text.paths import is_sample, is_test, vendored_folder
from bot.values import Side
from bot.values.consumer import ManifestProblem, Package, PackageRow, Requirement


@dataclass(frozen=True, slots=True)
class Offer:
    """The packages that a tree offers, by language."""

    packages: tuple[Package, ...] = ()
    problems: tuple[tuple[str, ManifestProblem], ...] = ()  # (language, manifest that could not be read)

    def of(self, language: str) -> tuple[Package, ...]:
        """Those of one language."""
        return tuple(package for package in self.packages if package.language == language)

    def holding(self, path: str) -> Package | None:
        """The package that a file belongs to: the innermost."""
        fits = [package for package in self.packages if package.holds(path)]
        return max(fits, key=lambda package: len(package.folder), default=None)

    def join(self, other: "Offer") -> "Offer":
        """Both, each package once."""
        return Offer(
            tuple(dict.fromkeys([*self.packages, *other.packages])),
            tuple(dict.fromkeys([*self.problems, *other.problems])),
        )


@dataclass(frozen=True, slots=True)
class TakenPackages:
    """What a tree takes of the packages that another one offers."""

    rows: tuple[Requirement, ...] = ()
    problems: tuple[ManifestProblem, ...] = ()  # of manifests that may take more of it


def packaging_of(language: Language) -> Packaging | None:
    """How a language's packages are declared, None if it has no manifests."""
    return getattr(language, "packaging", None)


async def offer_of(tree: Tree, languages: Mapping[str, Language], side: Side = "head") -> Offer:
    """What a tree offers. Manifests of tests, examples and copies of other packages offer nothing."""
    rows: list[Package] = []
    problems: list[tuple[str, ManifestProblem]] = []
    paths = frozenset(await tree.entries(side))
    for name, language in languages.items():
        packaging = packaging_of(language)
        if packaging is not None:
            manifests = await read_manifests(tree, packaging, side)
            rows += packaging.packages(
                {path: text for path, text in manifests.texts.items() if not _beside(path)}, paths
            )
            declaring = matching(packaging.DECLARING, [one.path for one in manifests.problems])
            problems += [(name, one) for one in manifests.problems if one.path in declaring and not _beside(one.path)]
    return Offer(tuple(rows), tuple(problems))


async def requirements(
    tree: Tree, languages: Mapping[str, Language], offer: Offer, own: RepositoryIdentity, consumer: RepositoryIdentity
) -> TakenPackages:
    """What a tree takes of the packages that another one offers, with the versions that its lock files name; and what may take more.

    `own`: the repository that offers them. `consumer`: the one whose tree it is.
    """
    rows: list[Requirement] = []
    problems: list[ManifestProblem] = []
    for name, language in languages.items():
        packaging, packages = packaging_of(language), offer.of(name)
        unread = [problem for other, problem in offer.problems if other == name]
        if packaging is None or not (packages or unread):
            continue
        manifests = await read_manifests(tree, packaging)
        if manifests:
            problems += [replace(one, path=f"this repository's own {one.path}") for one in unread]
        asked = _match(packaging.requirements(manifests.texts), packages, own, consumer)
        words = _words(packages, own)
        problems += [one for one in manifests.problems if packages and _may_mean(one, manifests, words)]
        locks = await read_locks(tree, packaging) if asked else {}
        rows += [_locked(row, packaging, locks) for row in asked]
    return TakenPackages(tuple(_clearest(rows)), tuple(dict.fromkeys(problems)))


def _match(
    rows: Sequence[Requirement], packages: tuple[Package, ...], own: RepositoryIdentity, consumer: RepositoryIdentity
) -> list[Requirement]:
    """The requirements that mean one of these packages: by its name, or by the place of the repository."""
    names, found = {package.name for package in packages}, list[Requirement]()
    for row in rows:
        package = package_at(row, consumer, own, packages) if row.source and packages else None
        if package is not None:
            alias = row.alias or row.name
            found.append(replace(row, name=package.name, alias="" if alias == package.name else alias, source=""))
        elif row.name in names:
            found.append(replace(row, source=""))
    return found


def _may_mean(problem: ManifestProblem, manifests: Manifests, words: Collection[str]) -> bool:
    """Whether a manifest that could not be read to its end may take one of the packages. Those of tests and samples are nobody's build."""
    text = manifests.texts.get(problem.path)
    plain = _plain(text.replace(b"\0", b"").decode("utf-8", "replace")) if text is not None else ""
    return not _beside(problem.path) and (text is None or any(word in plain for word in words))


def _words(packages: Sequence[Package], own: RepositoryIdentity) -> frozenset[str]:
    """The words one of which a text must have to name one of the packages, or their repository."""
    names = [part for package in packages for part in (package.name, re.split("[:/]", package.name)[-1])]
    return frozenset(_plain(name) for name in (*names, own.short) if name)


def _plain(text: str) -> str:
    return re.sub(r"[-_.]+", "-", text.lower())


async def asked_packages(tree: Tree, language: Language, side: Side = "head") -> frozenset[str]:
    """The names of the packages of one language that the manifests of a tree ask for."""
    packaging = packaging_of(language)
    if packaging is None:
        return frozenset()
    manifests = await read_manifests(tree, packaging, side)
    return frozenset(
        row.name for row in packaging.requirements(manifests.texts) if row.origin not in ("path", "workspace")
    )


async def package_rows(tree: Tree, languages: Mapping[str, Language]) -> tuple[PackageRow, ...]:
    """Everything that a tree offers and takes, told from its manifests alone; and that it may take more, if one could not be read."""
    offer = await offer_of(tree, languages)
    unread: dict[str, ManifestProblem] = {}
    takes: list[PackageRow] = []
    for name, language in languages.items():
        packaging = packaging_of(language)
        if packaging is not None:
            manifests = await read_manifests(tree, packaging)
            rows = _clearest(packaging.requirements(manifests.texts))
            takes += [PackageRow("takes", one.language, one.name, one.version, one.arrival) for one in rows]
            for problem in manifests.problems:
                if not _beside(problem.path):
                    unread.setdefault(name, problem)
    may = [PackageRow("may-take", name, "*", reason=f"{one.path} {one.reason}") for name, one in unread.items()]
    offers = [PackageRow("offers", one.language, one.name) for one in offer.packages]
    return tuple(dict.fromkeys((*may, *offers, *takes)))


def is_manifest(path: str, languages: Collection[Language]) -> bool:
    """Whether a file declares a package of one of the languages."""
    names = [name for language in languages if (packaging := packaging_of(language)) for name in packaging.MANIFESTS]
    return bool(names) and form(tuple(names)).match(f"/{path}") is not None


def _locked(row: Requirement, packaging: Packaging, locks: Mapping[str, bytes]) -> Requirement:
    """The requirement with the version of the lock file nearest to its manifest."""
    if row.origin in ("path", "workspace"):
        return row
    folder = posixpath.dirname(row.path)
    near = [path for path in locks if _above(posixpath.dirname(path), folder)]
    for path in sorted(near, key=len, reverse=True):
        pattern = packaging.LOCKS[posixpath.basename(path)].replace("NAME", _spelt(row.name))
        if version := re.search(pattern, locks[path].decode("utf-8", "replace")):
            return replace(row, locked=version[1])
    return row


def _spelt(name: str) -> str:
    """A pattern of a name, whatever joins its words."""
    return "[-_.]+".join(re.escape(part) for part in re.split(r"[-_.]+", name))


def _clearest(rows: Sequence[Requirement]) -> list[Requirement]:
    """One requirement of each package under each name: the one whose break arrives first, with the most that is known of its version."""
    order = {"build": 0, "release": 1, "upgrade": 2}

    def rank(row: Requirement) -> tuple[object, ...]:
        loose = not row.constraint and row.origin == "registry"  # another manifest may well bound it
        return row.arrival != "build", loose, order[row.arrival], not row.locked, row.path.count("/"), row.path

    ranked = sorted(rows, key=rank)
    kept: dict[tuple[str, str, str], Requirement] = {}
    for row in ranked:
        kept.setdefault((row.language, row.name, row.alias), row)
    return list(kept.values())


def _beside(path: str) -> bool:
    folder = posixpath.dirname(path)
    return bool(folder) and bool(is_test(f"{folder}/x") or is_sample(f"{folder}/x") or vendored_folder(path))


def _above(folder: str, other: str) -> bool:
    return not folder or folder == other or other.startswith(f"{folder}/")
