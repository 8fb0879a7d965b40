"""Who takes what from whom, told from the manifests of two trees."""

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal

from bot.dependents.consumers.identity import RepositoryIdentity, package_at
from bot.dependents.consumers.manifests import Manifests, form, matching, read_locks, read_manifests
from bot.ports import Language, Packaging, Tree
from bot.text.paths import is_sample, is_test, vendored_folder
from bot.values import Query, Side
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
    rows_found: list[Package] = []
    problems: list[tuple[str, ManifestProblem]] = []
    paths = frozenset(await tree.entries(side))
    for name, language in languages.items():
        packaging = packaging_of(language)
        if packaging is not None:
            manifests = await read_manifests(tree, packaging, side)
            rows_found += packaging.packages({p: s for p, s in manifests.texts.items() if not _beside(p)}, paths)
            declaring = form(packaging.DECLARING)
            problems += [
                (name, problem)
                for problem in manifests.problems
                if not problem.is_form and declaring.match(f"/{problem.path}") and not _beside(problem.path)
            ]
    return Offer(tuple(rows_found), tuple(problems))


async def requirements(
    tree: Tree, languages: Mapping[str, Language], offer: Offer, own: RepositoryIdentity, consumer: RepositoryIdentity
) -> TakenPackages:
    """What a tree takes of the packages that another one offers, with the versions that its lock files name; and what may take more.

    `own`: the repository that offers them. `consumer`: the one whose tree it is.
    """
    rows_found: list[Requirement] = []
    problems: list[ManifestProblem] = []
    for name, language in languages.items():
        packaging, packages = packaging_of(language), offer.of(name)
        offer_problems = [problem for other, problem in offer.problems if other == name]
        if packaging is None or not (packages or offer_problems):
            continue
        manifests = await read_manifests(tree, packaging)
        rows = packaging.requirements(manifests.texts)
        asked, unknown = _match(rows, packages, own, consumer)
        names = {*(["*"] if manifests else []), *(row.name for row in (*rows, *asked))}
        problems += [
            replace(problem, path=f"this repository's own {problem.path}")
            for problem in offer_problems
            if any(fnmatchcase(name, problem.name) for name in names)
        ]
        words = _words(packages, own)
        problems += [
            problem for problem in (*manifests.problems, *unknown) if _may_mean(problem, manifests, packages, words)
        ]
        problems += await _in_code(tree, packaging, packages, manifests) if packages and not asked else []
        locks = await read_locks(tree, packaging) if asked else {}
        rows_found += [_locked(row, packaging, locks) for row in asked]
    return TakenPackages(tuple(_clearest(rows_found)), tuple(dict.fromkeys(problems)))


def _match(
    rows: Sequence[Requirement], packages: tuple[Package, ...], own: RepositoryIdentity, consumer: RepositoryIdentity
) -> tuple[list[Requirement], list[ManifestProblem]]:
    """The requirements that mean one of these packages: by its name, or by the place of the repository."""
    names, rows_found, unknown = {package.name for package in packages}, list[Requirement](), list[ManifestProblem]()
    for row in rows:
        is_here, package = package_at(row, consumer, own, packages) if row.source and packages else (False, None)
        if package is not None:
            alias = row.alias or (row.name if row.name != package.name else "")
            rows_found.append(replace(row, name=package.name, alias="" if alias == package.name else alias, source=""))
        elif row.name in names:
            rows_found.append(replace(row, source=""))
        elif is_here:
            unknown.append(
                ManifestProblem(
                    row.path, f"takes {row.name} from a place of this repository that offers no package", is_form=True
                )
            )
    return rows_found, unknown


def _may_mean(
    problem: ManifestProblem, manifests: Manifests, packages: Sequence[Package], words: Collection[str]
) -> bool:
    """Whether a manifest of which something is not known may take one of these packages. Those of tests and samples are nobody's build."""
    if not packages or problem.is_name or _beside(problem.path):
        return False
    if problem.name != "*":
        return any(fnmatchcase(package.name, problem.name) for package in packages)
    text = manifests.texts.get(problem.path)
    if text is None or problem.is_form:
        return True
    plain_text = _plain(text.replace(b"\0", b"").decode("utf-8", "replace"))
    return any(word in plain_text for word in words)


def _words(packages: Sequence[Package], own: RepositoryIdentity) -> frozenset[str]:
    """The words one of which a text must have to name one of the packages, or their repository."""
    names = [part for package in packages for part in (package.name, re.split("[:/]", package.name)[-1])]
    return frozenset(_plain(name) for name in (*names, own.short) if name)


def _plain(text: str) -> str:
    return re.sub(r"[-_.]+", "-", text.lower())


async def _in_code(
    tree: Tree, packaging: Packaging, packages: Sequence[Package], manifests: Manifests
) -> list[ManifestProblem]:
    """The first file that imports a package though no manifest names it, in languages whose imports name the package."""
    packages = [one for one in packages if not any(one.name.encode() in text for text in manifests.texts.values())]
    globs = getattr(packaging, "NAMED_IN_CODE", ())
    if not packages or not globs or not matching(globs, await tree.entries()):
        return []
    patterns = [f"{quote}{package.name}{end}" for package in packages for quote, end in (('"', '"'), ('"', "/"))]
    hits = await tree.grep(Query(patterns, globs))
    files = sorted(path for path in hits if not vendored_folder(path) and not _beside(path))
    return [
        ManifestProblem(path, "imports this one, and no manifest says at which version", is_form=True)
        for path in files[:1]
    ]


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
    """Everything that a tree offers and takes, told from its manifests alone; and what those that could not be read may offer or take."""
    offer = await offer_of(tree, languages)
    unread = [_row_of_problem("may-offer", name, problem) for name, problem in offer.problems if problem.name == "*"]
    offers = [PackageRow("offers", one.language, one.name) for one in offer.packages]
    takes: list[PackageRow] = []
    for name, language in languages.items():
        packaging = packaging_of(language)
        if packaging is not None:
            manifests = await read_manifests(tree, packaging)
            rows = _clearest(packaging.requirements(manifests.texts))
            takes += [PackageRow("takes", one.language, one.name, one.version, one.arrival) for one in rows]
            problems = filter(_is_unread, manifests.problems)
            unread += [_row_of_problem("may-take", name, problem) for problem in problems]
    first_unread = {(row.role, row.language, row.name): row for row in reversed(unread)}
    return tuple(dict.fromkeys((*reversed(first_unread.values()), *offers, *takes)))


def _is_unread(problem: ManifestProblem) -> bool:
    """Whether a manifest could not be read, or takes something of which no more than the form of its name is known."""
    return not (problem.is_name or _beside(problem.path)) and (not problem.is_form or problem.name != "*")


def _row_of_problem(role: Literal["may-offer", "may-take"], language: str, problem: ManifestProblem) -> PackageRow:
    return PackageRow(role, language, problem.name, reason=f"{problem.path} {problem.reason}")


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
        version = packaging.locked_version(path, locks[path], row.name)
        if version:
            return replace(row, locked=version)
    return row


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
