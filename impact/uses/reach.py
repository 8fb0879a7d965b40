"""Who imports a file: two searches propose the files that hold what an importer must hold; those whose imports land on it are kept."""

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import translate

from impact.changes import Query, TreeEntry
from impact.concurrency import together
from impact.ports import Language, Project, SelfDescribed, SelfNamed, SharedScope, Tree
from impact.text.lines import CONFIG, without_mark
from impact.values import Clues, Facts, Link, Side

MAX_CONFIGS = 3_000
PORTION = 100  # files
FEW = 40  # files that are read rather than proposed by a search; targets that one search finds quickly
EDGE = r"\b"
START = "^"
BEHIND_MARK = (
    r"^[^\x00-\x7F]{0,3}"  # a byte order mark may stand before the first line, as one letter or as three bytes
)
TOGETHER = 100  # alternatives in one pattern
Importers = Mapping[str, tuple[Link, ...]]


class Reach:
    """Who reaches a file of one language by an import, on one side of the change."""

    def __init__(
        self,
        tree: Tree,
        language: Language,
        project: Project,
        paths: frozenset[str],
        side: Side,
        unused_files: Sequence[str] = (),
    ) -> None:
        self.tree, self.language, self.project, self.paths, self.side = tree, language, project, paths, side
        self.unused = unused_files  # a sentence for each configuration file that was not used, or only in part
        # Asked once: a question about a protocol costs as much as resolving an import.
        self._shared = project if isinstance(project, SharedScope) else None
        self._told = project if isinstance(project, SelfDescribed) else None
        self._imports: dict[str, tuple[Link, ...]] = {}
        self._neighbours: dict[str, set[str]] = {}

    async def importers(self, targets: Collection[str], among: Collection[str] | None = None) -> Importers:
        """Importing file -> its imports that land on one of the targets. Proposed and confirmed on the head tree.

        `among`: the files that are asked; of many only those that are proposed, if a search for few targets tells which.
        """
        clues = [self.project.clues(path) for path in sorted(targets)]
        words = frozenset(word for clue in clues for word in clue.words)
        if not words:
            return {}
        candidates = frozenset(among or ())
        if among is None or len(clues) <= FEW < len(candidates):
            proposals = await _propose(self.tree, self.language, clues)
            candidates = proposals if among is None else candidates & proposals
        imports_by_path: dict[str, tuple[Link, ...]] = {}
        paths = sorted(candidates)
        for at in range(0, len(paths), PORTION):  # the texts of a large tree are not held all at once
            for path, source in (await self.tree.read_many(paths[at : at + PORTION])).items():
                imports = tuple(item for item in self.resolve(path, source, words) if item.target in targets)
                if imports:
                    imports_by_path[path] = imports
        return imports_by_path

    async def imports(self, path: str) -> tuple[Link, ...]:
        """Every import of a file of this side that lands in the tree."""
        await self.load([path])
        return self._imports[path]

    async def load(self, paths: Collection[str]) -> None:
        """Read the imports of many files in one pass."""
        new = [path for path in dict.fromkeys(paths) if path not in self._imports]
        sources = await self.tree.read_many(new, self.side) if new else {}
        for path in new:
            self._imports[path] = self.resolve(path, sources[path]) if path in sources else ()

    def resolve(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Link, ...]:
        """The imports of a text at a path that land in the tree; with `words` as a project has it."""
        return self.project.imports(path, without_mark(source), words)

    @property
    def is_told(self) -> bool:
        """Whether the files themselves say what they hold, and not their paths."""
        return self._told is not None

    def learn(self, path: str, source: bytes, outline: Facts) -> None:
        """Tell the project what a changed file holds, where its path does not say it."""
        if self._told is not None:
            self._told.learn(path, source, outline)
        if isinstance(self.project, SelfNamed):
            self.project.note(path, source)

    def is_same(self, before: bytes, after: bytes) -> bool:
        """Whether a file that may have moved says by itself that it is called as it was."""
        names = [self.project.name_in(one) for one in (before, after)] if isinstance(self.project, SelfNamed) else []
        return len({*names}) == 1 and all(names)

    def mates(self, path: str) -> Collection[str]:
        """The files that use the names of this one without importing it."""
        return self._shared.mates(path) if self._shared is not None else ()

    def sees(self, path: str, homes: Collection[str]) -> bool:
        """Whether a file is built with one of these."""
        return self._told is None or not homes or any(self._told.sees(path, home) for home in homes)

    def neighbours(self, path: str) -> Collection[str]:
        """The files that may hold other definitions of this one's names: its mates, and if only the files tell their namespace, those of its folder."""
        if path not in self._neighbours:
            folder, suffix = posixpath.split(path)[0], posixpath.splitext(path)[1]
            others = self.paths if self._told is not None else ()
            beside = [other for other in others if posixpath.split(other)[0] == folder and other.endswith(suffix)]
            self._neighbours[path] = {*self.mates(path), *beside} - {path}
        return self._neighbours[path]


def _unread_part(path: str, source: bytes) -> str:
    """Return what the languages leave out of a configuration file, as a sentence; "" if they read all of it."""
    problem = CONFIG.problem(source)
    return f"{path} {problem}: what it says about imports was not used" if problem else ""


async def both(tree: Tree, language: Language) -> tuple[Reach, Reach]:
    """The resolvers of the head and of the base. What a configuration says is read once where both sides hold the same."""
    head, base = await tree.entries("head"), await tree.entries("base")
    now = await tree.read_many(_configs(language, head))
    same = {path: source for path, source in now.items() if path in base and base[path].oid == head[path].oid}
    other = await tree.read_many([path for path in _configs(language, base) if path not in same], "base")
    first = _reach(tree, language, "head", head, now)
    if (
        not other
        and same.keys() == now.keys()
        and head.keys() == base.keys()
        and all(head[path].kind == entry.kind for path, entry in base.items())
        and not isinstance(first.project, SelfDescribed)
    ):
        return first, Reach(tree, language, first.project, first.paths, "base")
    return first, _reach(tree, language, "base", base, _joined(now, {**same, **other}))


def _joined(like: Mapping[str, bytes], texts: dict[str, bytes]) -> Mapping[str, bytes]:
    """Return texts in a mapping of the kind that the tree hands out: it may note which one is in hand."""
    kind = type(like)
    return kind(texts)  # type: ignore[call-arg]


def _configs(language: Language, entries: Mapping[str, TreeEntry]) -> list[str]:
    """The configuration files that a language reads, those nearest the root first."""
    if not language.CONFIGS:
        return []
    fits = re.compile("|".join(translate(name) for name in language.CONFIGS)).match
    config_paths = [path for path in entries if fits(path[path.rfind("/") + 1 :]) and "node_modules/" not in path]
    return sorted(config_paths, key=lambda path: (path.count("/"), path))[:MAX_CONFIGS]


def _reach(
    tree: Tree, language: Language, side: Side, entries: Mapping[str, TreeEntry], configs: Mapping[str, bytes]
) -> Reach:
    paths = frozenset(path for path, entry in entries.items() if entry.kind == "file")
    project = language.project(paths, configs)
    notes = tuple(note for path, source in configs.items() if (note := _unread_part(path, source)))
    return Reach(tree, language, project, paths, side, notes)


def globs(language: Language, folder: str = "") -> list[str]:
    """The pathspecs of a language's files, below a folder where one is named."""
    if not folder:
        return [f"*{suffix}" for suffix in language.SUFFIXES]
    return [f":(glob){_escape(folder)}/**/*{suffix}" for suffix in language.SUFFIXES]


def _escape(folder: str) -> str:
    """Folders such as `[id]` are names here, not patterns."""
    return "".join(f"\\{letter}" if letter in r"\*?[" else letter for letter in folder)


async def _propose(tree: Tree, language: Language, clues: Sequence[Clues], side: Side = "head") -> frozenset[str]:
    """Files that hold what an importer must hold. Most of them do import."""
    far = sorted({pattern for clue in clues for pattern in clue.far})
    near = sorted({pattern for clue in clues for pattern in clue.near})
    below = [
        spec for folder in _outer({clue.folder for clue in clues if clue.near}) for spec in globs(language, folder)
    ]
    everywhere, beside = await together(
        tree.grep(Query(_join(far), globs(language), syntax="perl", side=side)),
        tree.grep(Query(_join(near), below, syntax="perl", side=side)),
    )
    return everywhere | beside


def _outer(folders: Iterable[str]) -> list[str]:
    """The folders that lie in none of the others."""
    outer_folders: list[str] = []
    for folder in sorted(folders):
        if not any(not other or folder == other or folder.startswith(f"{other}/") for other in outer_folders):
            outer_folders.append(folder)
    return outer_folders


def _join(patterns: Sequence[str]) -> list[str]:
    """Alternatives in few patterns: git runs each pattern over every line, and looks for a word's edge once where all begin so."""
    joined_patterns = []
    for at in range(0, len(patterns), TOGETHER):
        group = [
            BEHIND_MARK + pattern.removeprefix(START) if pattern.startswith(START) else pattern
            for pattern in patterns[at : at + TOGETHER]
        ]
        edge = EDGE if all(pattern.startswith(EDGE) for pattern in group) else ""
        joined_patterns.append(f"{edge}(?:{'|'.join(f'(?:{pattern.removeprefix(edge)})' for pattern in group)})")
    return joined_patterns
