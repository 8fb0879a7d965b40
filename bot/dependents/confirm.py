"""Confirm who imports a file: read the proposed files, resolve their imports, keep those that land on it."""

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fnmatch import translate
from functools import cached_property

from bot.dependents.links import MOST_PATHS, FollowedLinks
from bot.dependents.propose import propose
from bot.machine import limits
from bot.ports import Language, Project, SelfDescribed, SelfNamed, SharedScope, Tree
from bot.text.caps import CONFIG
from bot.text.lines import without_mark
from bot.text.paths import is_prose
from bot.values import Import, Outline, Side, TreeEntry

MAX_CONFIGS = 3_000
PORTION = 100  # files
FEW = 40  # files that are read rather than proposed by a search; targets that one search finds quickly
MOST_LINKED = 20  # files with a second path; with more each text may import one
NEVER = rb"(?!)"
NO_LINKS = FollowedLinks()
Importers = Mapping[str, tuple[Import, ...]]


class Reach:
    """Who reaches a file of one language by an import, on one side of the change."""

    def __init__(
        self,
        tree: Tree,
        language: Language,
        projects: Sequence[Project],
        paths: frozenset[str],
        side: Side,
        unused_files: Sequence[str] = (),
        links: FollowedLinks = NO_LINKS,
    ) -> None:
        self.tree, self.language, self.side = tree, language, side
        self.projects = projects  # the resolver of all paths; where links add some, the one without them too
        self.project = project = projects[0]
        self.unused = unused_files  # a sentence for each configuration file that was not used, or only in part
        self.paths, self.links = paths, links
        # Asked once: a question about a protocol costs as much as resolving an import.
        self._shared = project if isinstance(project, SharedScope) else None
        self._told = project if isinstance(project, SelfDescribed) else None
        self._imports: dict[str, tuple[Import, ...]] = {}
        self._neighbours: dict[str, set[str]] = {}

    async def importers(self, targets: Collection[str], among: Collection[str] | None = None) -> Importers:
        """Importing file -> its imports that land on one of the targets. Proposed and confirmed on the head tree.

        `among`: the files that are asked; of many only those that are proposed, if a search for few targets tells which.
        """
        ways = {way for path in targets for way in (path, *self.links.others.get(path, ()))}
        clues = [self.project.clues(path) for path in sorted(ways)]
        words = frozenset(word for clue in clues for word in clue.words)
        if not words:
            return {}
        candidates = frozenset(among or ())
        if among is None or len(clues) <= FEW < len(candidates):
            proposals = await propose(self.tree, self.language, clues)
            candidates = proposals if among is None else candidates & proposals
        imports_by_path: dict[str, tuple[Import, ...]] = {}
        paths = sorted(candidates)
        for at in range(0, len(paths), PORTION):  # the texts of a large tree are not held all at once
            for path, source in (await self.tree.read_many(paths[at : at + PORTION])).items():
                imports = tuple(item for item in self.resolve(path, source, words) if item.target in targets)
                if imports:
                    imports_by_path[path] = imports
        return imports_by_path

    async def imports(self, path: str) -> tuple[Import, ...]:
        """Every import of a file of this side that lands in the tree."""
        await self.load([path])
        return self._imports[path]

    async def load(self, paths: Collection[str]) -> None:
        """Read the imports of many files in one pass."""
        new = [path for path in dict.fromkeys(paths) if path not in self._imports]
        sources = await self.tree.read_many(new, self.side) if new else {}
        for path in new:
            self._imports[path] = self.resolve(path, sources[path]) if path in sources else ()

    def resolve(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Import, ...]:
        """The imports of a text at a path that land in the tree, links followed; with `words` as a project has it."""
        source = without_mark(source)
        items = self.project.imports(path, source, words)
        if not self.links.real:
            return items
        if self._names_linked(source):  # where a second path makes two of one name, the tree without links decides
            lines = {item.line for item in items}
            others = [item for one in self.projects[1:] for item in one.imports(path, source, words)]
            items += tuple(item for item in others if item.line not in lines)
        real = self.links.real
        found = (replace(item, target=real[item.target]) if item.target in real else item for item in items)
        return tuple(item for item in dict.fromkeys(found) if item.target != path)

    def _names_linked(self, source: bytes) -> bool:
        """Whether a text may import a file that has a second path."""
        return self._linked is None or self._linked.search(source) is not None

    @cached_property
    def _linked(self) -> re.Pattern[bytes] | None:
        """A pattern that every text with an import of a linked file matches; None if any text may import one."""
        if self.is_told:
            return None
        suffixes = tuple(self.language.SUFFIXES)
        paths = [path for pair in self.links.real.items() for path in pair if path.endswith(suffixes)]
        clues = [self.project.clues(path).words for path in paths] if len(paths) <= MOST_LINKED else [frozenset[str]()]
        words = b"|".join(re.escape(word.encode()) for word in sorted(frozenset[str]().union(*clues)))
        return re.compile(words or NEVER, re.IGNORECASE) if all(clues) else None

    @property
    def is_told(self) -> bool:
        """Whether the files themselves say what they hold, and not their paths."""
        return self._told is not None

    def learn(self, path: str, source: bytes, outline: Outline) -> None:
        """Tell the project what a changed file holds, where its path does not say it."""
        for project in self.projects:
            if isinstance(project, SelfDescribed):
                project.learn(path, source, outline)
            if isinstance(project, SelfNamed):
                project.note(path, source)

    def is_same(self, before: bytes, after: bytes) -> bool:
        """Whether a file that may have moved says by itself that it is called as it was."""
        names = [self.project.name_in(one) for one in (before, after)] if isinstance(self.project, SelfNamed) else []
        return len({*names}) == 1 and all(names)

    def mates(self, path: str) -> Collection[str]:
        """The files that use the names of this one without importing it."""
        mates = self._shared.mates(path) if self._shared is not None else ()
        return {self.links.real.get(mate, mate) for mate in mates} - {path} if self.links.real else mates

    def neighbours(self, path: str) -> Collection[str]:
        """The files that may hold other definitions of this one's names: its mates, and if only the files tell their namespace, those of its folder."""
        if path not in self._neighbours:
            folder, suffix = posixpath.split(path)[0], posixpath.splitext(path)[1]
            others = self.paths if self._told is not None else ()
            beside = [other for other in others if posixpath.split(other)[0] == folder and other.endswith(suffix)]
            self._neighbours[path] = {*self.mates(path), *beside} - {path}
        return self._neighbours[path]


def unread_part(path: str, source: bytes) -> str:
    """Return what the languages leave out of a configuration file, as a sentence; "" if they read all of it."""
    problem = CONFIG.problem(source)
    return f"{path} {problem}: what it says about imports was not used" if problem else ""


async def both(tree: Tree, language: Language, links: Mapping[Side, FollowedLinks]) -> tuple[Reach, Reach]:
    """The resolvers of the head and of the base. What a configuration says is read once where both sides hold the same."""
    head, base = await tree.entries("head"), await tree.entries("base")
    now = await tree.read_many(_configs(language, head))
    same = {path: source for path, source in now.items() if path in base and base[path].oid == head[path].oid}
    other = await tree.read_many([path for path in _configs(language, base) if path not in same], "base")
    first = _reach(tree, language, "head", head, now, links["head"])
    if (
        not other
        and same.keys() == now.keys()
        and links["head"].real == links["base"].real
        and head.keys() == base.keys()
        and all(head[path].kind == entry.kind for path, entry in base.items())
        and not isinstance(first.project, SelfDescribed)
    ):
        return first, Reach(tree, language, first.projects, first.paths, "base", links=first.links)
    return first, _reach(tree, language, "base", base, {**same, **other}, links["base"])


def _configs(language: Language, entries: Mapping[str, TreeEntry]) -> list[str]:
    """The configuration files that a language reads, those nearest the root first."""
    if not language.CONFIGS:
        return []
    fits = re.compile("|".join(translate(name) for name in language.CONFIGS)).match
    config_paths = [path for path in entries if fits(path[path.rfind("/") + 1 :]) and "node_modules/" not in path]
    return sorted(config_paths, key=lambda path: (path.count("/"), path))[:MAX_CONFIGS]


def _reach(
    tree: Tree,
    language: Language,
    side: Side,
    entries: Mapping[str, TreeEntry],
    configs: Mapping[str, bytes],
    links: FollowedLinks,
) -> Reach:
    files = frozenset(path for path, entry in entries.items() if entry.kind == "file")
    if all(map(is_prose, links.real)):  # the licence of each package: no import leads there
        links = replace(links, real={}, others={})
    paths = files | links.real.keys()
    kinds = (paths, files) if links.real else (paths,)
    projects = [language.project(kind, limits.Contents(configs)) for kind in kinds]
    notes = tuple(note for path, source in configs.items() if (note := unread_part(path, source)))
    if links.cut:
        notes += (
            f"the links of the {side} lead to more than {MOST_PATHS:,} paths: imports through the others were not followed",
        )
    return Reach(tree, language, projects, paths, side, notes, links)
