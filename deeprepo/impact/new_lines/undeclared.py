"""Find imports of packages that no manifest, lock file or other text in the tree mentions.

A package may choose its module names, so the result is never proven. Nothing is reported if code in the base
also imports a package that seems undeclared.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from types import ModuleType

from deeprepo.impact.language import Language, language_of
from deeprepo.impact.resolving.index import Index
from deeprepo.impact.text.paths import is_page, is_prose, is_sample, is_test, vendored_folder
from deeprepo.impact.values import Base, Change, Import, Place, Rule

MOST = 3_000  # files whose imports are compared with the manifests
RULE: Rule = "undeclared-package"
SAYS = "is imported, and no declared package is called like it"
NAMED = 60  # characters of a package's name


async def undeclared(tree: Base, base: Base, index: Index, change: Change) -> tuple[Place, ...]:
    """Return added imports of packages that are neither declared in the head nor imported in the base.

    `index`: the index of the head, in which the changed files are read.
    """
    asked: dict[tuple[str, str], list[tuple[str, Import]]] = defaultdict(list)
    for path, lines in change.items():
        language = language_of(path)
        manifest = _manifest(language) if language is not None and not is_sample(path) else None
        if language is None or manifest is None:
            continue
        for item in _outside(index, language, path, lines):
            package = manifest.package_of(item.spec)
            if package and len(package) <= NAMED:
                asked[language.folder, package].append((path, item))
    found: list[Place] = []
    for folder in sorted({folder for folder, _ in asked}):
        mine = {package: rows for (one, package), rows in asked.items() if one == folder}
        found += await _of_language(tree, base, import_module(f"deeprepo.impact.languages.{folder}.manifest"), mine)
    return tuple(sorted(found, key=lambda one: (one.path, one.line)))


def _manifest(language: Language) -> ModuleType | None:
    """Return the manifest module of a language that can map imports to packages, or None."""
    try:
        found = import_module(f"deeprepo.impact.languages.{language.folder}.manifest")
    except ModuleNotFoundError:
        return None
    return found if hasattr(found, "package_of") else None


def _outside(index: Index, language: Language, path: str, lines: Collection[int]) -> list[Import]:
    """Return the added, unconditional imports of a file that do not resolve to the tree."""
    facts, modules = index.facts(path), index.modules(language)
    if facts is None or modules is None:
        return []
    own = {one.name for one in facts.definitions} | {bound.here for item in facts.imports for bound in item.names}
    own = own if language.inline_modules else set()  # a path may begin with a name of the file
    return [
        item
        for item in facts.imports
        if item.line in lines
        and not (item.guarded or item.maybe or item.of_type or item.inside)
        and not (item.names and all(bound.here in facts.types for bound in item.names))
        and item.spec.partition("::")[0] not in own
        and modules.files(path, item) is None
    ]


async def _of_language(
    tree: Base, base: Base, manifest: ModuleType, asked: Mapping[str, Sequence[tuple[str, Import]]]
) -> list[Place]:
    """Return the places of undeclared packages in one language."""
    entries = [path for path, is_file in (await tree.paths()).items() if is_file]
    texts = await tree.read([path for path in entries if _declares(manifest, path)])
    if await _is_gained(base, manifest, texts):
        return []
    places: list[Place] = []
    for package, rows in asked.items():
        homes = [_home(manifest, path, texts) for path, _ in rows]
        if not all(homes) or manifest.answers(package, texts) or await _is_named(tree, base, manifest, package, rows):
            continue
        for (path, item), home in zip(rows, homes, strict=True):
            if not await _is_understood(base, manifest, path, home):
                continue
            language = language_of(path)
            happens = language.fails.get(RULE, "") if language is not None else ""
            places.append(
                Place(path, item.line, package, RULE, "likely", home, happens=happens, asked=item.spec, says=SAYS)
            )
    return places


async def _is_gained(base: Base, manifest: ModuleType, texts: Mapping[str, bytes]) -> bool:
    """Return whether the change declares a package, whose import name may differ, as PyMuPDF is `fitz`."""
    paths = await base.paths()
    before = await base.read([path for path, is_file in paths.items() if is_file and _declares(manifest, path)])
    asked, known = ({one.name for one in manifest.requirements(_manifests(manifest, row))} for row in (texts, before))
    return not asked <= known


def _manifests(manifest: ModuleType, texts: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the manifests without lock files."""
    return {path: source for path, source in texts.items() if path.rpartition("/")[2] not in manifest.LOCKS}


def _declares(manifest: ModuleType, path: str) -> bool:
    """Return whether a file is a manifest or a lock file of a language."""
    name = path.rpartition("/")[2]
    if vendored_folder(path) is not None:
        return False
    return name in manifest.LOCKS or any(_fits(name, one) or _fits(path, one) for one in manifest.MANIFESTS)


def _fits(name: str, pattern: str) -> bool:
    return (
        name == pattern
        if "*" not in pattern
        else re.fullmatch(pattern.replace(".", r"\.").replace("*", ".*"), name) is not None
    )


def _home(manifest: ModuleType, path: str, texts: Mapping[str, bytes]) -> str:
    """Return the nearest manifest in a parent folder, or ""."""
    above = [
        one
        for one in texts
        if path.startswith(f"{one.rpartition('/')[0]}/".lstrip("/")) and one.rpartition("/")[2] not in manifest.LOCKS
    ]
    return max(above, key=lambda one: (one.count("/"), one), default="")


async def _is_named(
    tree: Base, base: Base, manifest: ModuleType, package: str, rows: Sequence[tuple[str, Import]]
) -> bool:
    """Return whether anything but prose mentions the package, besides these imports."""
    mine = {path for path, _ in rows}
    word = rf"(?i)(?<![\w.]){manifest.word(package)}(?![\w])"
    for path in await tree.holding(word):
        if not (path in mine or is_prose(path) or is_page(path) or path.endswith(manifest.SUFFIXES)):
            return True
    imported = manifest.IMPORTING.replace("SPEC", manifest.word(package))
    return bool(set(await tree.holding(imported)) - mine or await base.holding(imported))


async def _is_understood(base: Base, manifest: ModuleType, path: str, home: str) -> bool:
    """Return whether the base's manifests declare everything that nearby code imports."""
    entries = [one for one, is_file in (await base.paths()).items() if is_file]
    texts = await base.read([one for one in entries if _declares(manifest, one)])
    folder = f"{home.rpartition('/')[0]}/".lstrip("/")
    below, inner, _ = path[len(folder) :].partition("/")
    beside = folder + below + inner if inner else folder
    code = [
        one
        for one in entries
        if one.startswith(beside)
        and one.endswith(manifest.SUFFIXES)
        and is_test(one) == is_test(path)
        and not is_sample(one)
        and vendored_folder(one) is None
    ]
    if not code or len(code) > MOST:
        return False
    sources = [source.decode("utf-8", "replace") for source in (await base.read(code)).values()]
    names = {part.partition(".")[0] for one in entries for part in one.split("/")}
    names |= {name for source in sources for name in re.findall(manifest.LOCAL, source)}
    packages = {
        package
        for source in sources
        for spec in re.findall(manifest.IMPORTED, source, re.MULTILINE)
        if (package := manifest.package_of(spec))
    }
    return all(package in names or manifest.answers(package, texts) for package in packages)
