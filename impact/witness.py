"""The witness: the base builds. What this reading finds wrong in it, this reading does not understand.

A place in a new line stands if the tree does not say that a build adds to what it names, and if the base answers the same question, asked by the
same code: no line that nobody changed lacks something of the same module, package or class, or calls the same function wrongly. An old line
uses what changed if it meant that before.
"""

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from impact.filetypes import parsed_by
from impact.forward import places
from impact.index import ROUNDS, Index
from impact.language import Language, language_of
from impact.namespaces import Namespaces
from impact.paths import above_of, joined, shared_folders
from impact.resolve import named
from impact.values import Base, Change, Facts, Place

ASKED = 16  # files of the base that are asked about one place
MOST = 48  # the same, about all places
SHORTEST = 3  # letters of a name that says something where another language has it
MODULES = ("missing-module", "missing-name")
# Files that tell about code and are none, and no build makes code of what they call so.
TOLD = re.compile(
    r"\.(?:mdx?|markdown|rst|txt|adoc|po|pot|html?|css|s[ac]ss|less|svg|json[c5]?|lock|csv|tsv|snap|map|diff|patch|ipynb|ya?ml)$|(?:^|/)(?:README|CHANGELOG|LICENSE)[^/]*$",
    re.IGNORECASE,
)
BUILT = re.compile(r"(?:^|/)CMakeLists\.txt$")
# Of a project with namespaces.
MANIFEST = re.compile(r"(?:\.csproj|(?:^|/)(?:pom\.xml|build\.gradle(?:\.kts)?|build\.sbt|composer\.json))$")


@dataclass(slots=True)
class Witness:
    """What the base says about the places of one change. `head`: the tree after it, as far as it was read."""

    base: Base
    head: Index
    before: Index
    wrong: set[tuple[str, str]] = field(default_factory=set)  # what the base lacks, too
    asked: set[str] = field(default_factory=set)  # files of the base that were asked

    async def hear(self, found: Sequence[Place], change: Change) -> tuple[tuple[Place, ...], tuple[Place, ...]]:
        """The places that stand, and those that do not."""
        rows = [(place, await self._is_built(place) or await self._lacks(place, change)) for place in found]
        return tuple(one for one, is_built in rows if not is_built), tuple(one for one, is_built in rows if is_built)

    async def _is_built(self, place: Place) -> bool:
        """Whether the tree itself says that what is missing may be there once it is built."""
        language = language_of(place.path)
        modules = self.head.modules(language) if language is not None else None
        if language is None or modules is None or place.rule == "arguments":
            return False
        name = _last(place.name, language)
        if await (self._is_given(place, name) if place.rule == "missing-member" else self._is_called(place, name)):
            return True
        if place.home and modules.is_added_to(place.home, name, self.head.sources):
            return True
        folder = modules.built_from(place.path, place.asked, place.home) if place.home else None
        if folder is not None and place.rule in MODULES:
            holders = await self.base.holding(rf"\b{re.escape(name)}\b", folder)
            return any(path not in (place.home, place.path) and language_of(path) is not None for path in holders)
        return place.rule in MODULES and await self._is_said(place, language, name)

    async def _is_given(self, place: Place, name: str) -> bool:
        """Whether code assigns the member to the module or class: a fixture may give a module what only tests use."""
        owner = re.escape(re.split(r"\W+", place.name.removesuffix(name).rstrip(".:>-"))[-1])
        pattern = rf"""\b{owner}\.{re.escape(name)}\s*=(?![=>])|setattr\(\s*{owner}\s*,\s*["']{re.escape(name)}["']"""
        texts = (source for path, source in self.head.sources.items() if language_of(path) is not None)
        return any(re.search(pattern.encode(), text) for text in texts) or bool(await self.base.holding(pattern))

    async def _is_called(self, place: Place, name: str) -> bool:
        """Whether an attribute or option names it: a builder that `#[builder(name = "Tool")]` generates."""
        if not place.home or place.rule != "missing-name":
            return False
        told = rf"""\w*[nN]ame\w*\s*[=:]\s*["']{re.escape(name)}["']"""
        return bool(await self.base.holding(told, posixpath.dirname(place.home)))

    async def _is_said(self, place: Place, language: Language, name: str) -> bool:
        """Whether code of another language, or the description of a build, has the name: it may make it."""
        if len(name) < SHORTEST:
            return False
        is_module = place.rule == "missing-module" or posixpath.basename(place.home).startswith("__init__.")
        under = (
            "" if is_module else place.home if self.head.paths.is_folder(place.home) else posixpath.dirname(place.home)
        )
        quoted = rf"""["']{re.escape(place.asked)}["']"""  # in a script of the build, of the same language
        if is_module and language.separator == "." in place.asked.strip(".") and await self.base.holding(quoted):
            return True
        for path in await self.base.holding(rf"(?<![\w-]){re.escape(name)}(?![\w-])", under):
            other = language_of(path)
            is_own = other is not None and other.folder == language.folder
            if not is_own and (BUILT.search(path) or not TOLD.search(path)):
                return True
        return False

    async def _lacks(self, place: Place, change: Change) -> bool:
        """Whether a line of the base that asks the same is wrong, too."""
        keys = frozenset(_keys(place))
        language = language_of(place.path)
        if not self.wrong.isdisjoint(keys) or language is None:
            return not self.wrong.isdisjoint(keys)
        word = _last(place.asked, language)
        pattern = (
            rf"\b{re.escape(word)}\b"
            if place.rule == "arguments" or place.asked == word
            else (rf"""(?:\b(?:import|from|require|use|using)\b|["'`]).*\b{re.escape(word)}\b""")
        )
        holders = [path for path in await self.base.holding(pattern) if _is_asked(path, language)]
        mine = [path for path in change if path in self.before.paths.files]
        holders.sort(key=lambda path: (path not in mine, -shared_folders(path, place.path), path))
        for path in holders[:ASKED]:
            if path not in self.asked and len(self.asked) < MOST:
                await self._ask(path)
                if not self.wrong.isdisjoint(keys):
                    return True
        return False

    async def _ask(self, path: str) -> None:
        """Look for what is wrong in a file of the base, all lines of it."""
        self.asked.add(path)
        found: tuple[Place, ...] = ()
        for _ in range(ROUNDS):
            found = places(self.before, {path: range(1, self.before.sources.get(path, b"").count(b"\n") + 2)})
            if not await self.before.read(self.base):
                break
        self.wrong.update(key for one in found for key in _keys(one))


def _is_asked(path: str, language: Language) -> bool:
    other = language_of(path)
    return other is not None and other.folder == language.folder and not other.sought


def _keys(place: Place) -> Iterator[tuple[str, str]]:
    """What a place shows that this reading does not understand."""
    if place.rule == "arguments":
        yield "arguments", f"{place.source}:{place.asked}"
    elif place.rule != "missing-module":
        yield "names", place.home
    else:
        yield (
            "module",
            place.name if not place.name.startswith(".") else joined(posixpath.dirname(place.path), place.name),
        )
        yield from (("modules", one) for one in _around(place))


def _around(place: Place) -> Iterator[str]:
    """The package around a module that is missing, as far as its name tells."""
    language = language_of(place.path)
    if language is None:
        return
    if place.name.startswith("."):
        dots = len(place.name) - len(place.name.lstrip("."))
        if language.separator == "/":
            yield posixpath.dirname(joined(posixpath.dirname(place.path), place.name))
        else:
            folders = [*above_of(place.path), ""]
            yield posixpath.join(folders[min(dots, len(folders)) - 1], *place.name.strip(".").split(".")[:-1])
        return
    around, _, last = place.name.rpartition(language.separator)
    if around:
        yield around
    if language.unit == "folder" and language.separator != "/":
        yield f"*{language.separator}{last}"  # a folder of this name is made in each package that has one


def _last(name: str, language: Language) -> str:
    kind, written = language.files, name.rstrip("/")
    endings = parsed_by(kind.parser) if kind.any_suffix else ()
    bare = next((written.removesuffix(one) for one in endings if written.endswith(one)), written)
    return re.split(r"[./:\\]", bare)[-1] if language.separator else name


@dataclass(frozen=True, slots=True)
class OldUse:
    """A name of a file that nobody changed, which is taken for what another file defines."""

    path: str
    name: str
    home: str  # the file that defined it before the change


async def of_others(base: Base, uses: Collection[OldUse]) -> frozenset[OldUse]:
    """Of these uses, those that mean something else in the base: the same question is asked of it by the reading of new lines.

    A file means what the project that it is in has by the same whole name, whatever other projects have.
    """
    index = Index(await base.paths())
    projects = frozenset(posixpath.dirname(path) for path in index.paths.files if MANIFEST.search(path))
    found = [
        use for use in uses if await _means_another(base, index, use) or await _has_its_own(base, index, use, projects)
    ]
    return frozenset(found)


async def given_elsewhere(tree: Base, uses: Collection[OldUse]) -> frozenset[OldUse]:
    """Of these uses, those to which another file of a tree gives a meaning: it holds the name, in a namespace that the user names or is in.

    Whether a project refers to that of the file is not asked: it may get it as a package.
    """
    index = Index(await tree.paths())
    found = set[OldUse]()
    for name in sorted({use.name for use in uses})[:ASKED]:
        mine = [use for use in uses if use.name == name]
        pattern = rf"\b(?:class|struct|record|interface|enum|delegate|object|trait)\s.*\b{re.escape(name)}\b"
        holders = [path for path in await tree.holding(pattern) if path not in {use.home for use in mine}][:MOST]
        for path in (*holders, *(path for use in mine for path in (use.path, use.home) if path in index.paths.files)):
            index.facts(path)
        await index.read(tree)
        mine = [use for use in mine if (facts := index.facts(use.home)) is None or not _defines(facts, name)]
        known = [facts for path in holders if (facts := index.facts(path)) is not None and _defines(facts, name)]
        spaces = {one.spaces[-1] if one.spaces else "" for one in known}
        found.update(use for use in mine if not spaces.isdisjoint(_in_sight(index, use)))
    return frozenset(found)


def _in_sight(index: Index, use: OldUse) -> Iterator[str]:
    """The namespaces whose names a file can write alone: those that it names, its own, those around them, and those of its project."""
    facts, language = index.facts(use.path), language_of(use.path)
    modules = index.modules(language) if language is not None else None
    if facts is None:
        return
    for space in facts.spaces:
        yield from (space, *(space[:at] for at, letter in enumerate(space) if letter == "."))
    for item in facts.imports:
        if item.star or any(bound.there == use.name for bound in item.names):
            yield from (item.spec, *(f"{space}.{item.spec}" for space in facts.spaces))
    if isinstance(modules, Namespaces):
        yield from modules.in_sight(use.path, facts.spaces)


async def _means_another(base: Base, index: Index, use: OldUse) -> bool:
    """Whether the reading of new lines finds another definition for the name, and no import of the file that had it."""
    is_another = False
    for _ in range(ROUNDS):
        answer, facts, home, language = (
            named(index, use.path, use.name),
            index.facts(use.path),
            index.facts(use.home),
            language_of(use.path),
        )
        modules = index.modules(language) if language is not None else None
        items = facts.imports if facts is not None and modules is not None else ()
        imported = {path for one in items if modules for path in modules.files(use.path, one, use.name) or ()}
        homes = {path for path, _ in answer.definitions}
        is_another = (
            bool(homes) and use.home not in homes | imported and all(_is_apart(index, use, home, one) for one in homes)
        )
        if not await index.read(base):
            break
    return is_another


def _is_apart(index: Index, use: OldUse, home: Facts | None, path: str) -> bool:
    """Whether two files define a name each for itself: in namespaces that they declare. Elsewhere an import says which file it means."""
    other = index.facts(path)
    if home is None or other is None or not home.spaces:
        return False
    return _defines(home, use.name) and home.spaces != other.spaces


def _defines(facts: Facts, name: str) -> bool:
    return any(one.name == name and not one.owner and one.kind != "holder" for one in facts.definitions)


async def _has_its_own(base: Base, index: Index, use: OldUse, projects: Collection[str]) -> bool:
    """Whether the project of a file defines the same whole name, and that of the other file is another one."""
    mine, other = (
        next((one for one in (*above_of(path), "") if one in projects), None) for path in (use.path, use.home)
    )
    if mine is None or other is None or mine == other:
        return False
    pattern = rf"\b(?:class|struct|record|interface|enum|object|trait|fun|function)\s.*\b{re.escape(use.name)}\b"
    found = [path for path in await base.holding(pattern, mine) if _is_of(path, projects, mine) and path != use.path]
    paths = [use.home, *found[:ASKED]]
    for path in (use.path, *paths):
        index.facts(path)
    await index.read(base)
    user, home, *others = (index.facts(path) for path in (use.path, *paths))
    if user is None or home is None or not home.spaces:
        return False
    # A name of its own namespace goes before those that it imports.
    spaces = {home.spaces} | ({user.spaces} if user.spaces != home.spaces else set())
    return any(facts is not None and facts.spaces in spaces and _defines(facts, use.name) for facts in others)


def _is_of(path: str, projects: Collection[str], project: str) -> bool:
    return next((one for one in (*above_of(path), "") if one in projects), None) == project
