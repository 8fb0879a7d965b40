"""Find who imports a file of one language, on one side of the change.

Two searches propose files with the words of an import; those whose imports resolve to the file are kept.
"""

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fnmatch import translate
from functools import partial
from typing import TYPE_CHECKING

from deeprepo.impact import resolving
from deeprepo.impact.changes import Query, TreeEntry
from deeprepo.impact.concurrency import together
from deeprepo.impact.language import Language
from deeprepo.impact.ports import Tree
from deeprepo.impact.reading.unreadable import Unreadable
from deeprepo.impact.text.lines import CONFIG, is_minified, without_mark
from deeprepo.impact.uses.steps import TRACE
from deeprepo.impact.values import Clues, Link, Outline, Side

if TYPE_CHECKING:
    from deeprepo.impact.resolving.importers import Project

MAX_CONFIGS = 3_000
PORTION = 100  # files
EDGE = r"\b"
START = "^"
BEHIND_MARK = r"^[^\x00-\x7F]{0,3}"  # a byte order mark may precede the first line, as one letter or three bytes
TOGETHER = 100  # alternatives in one pattern
LinksByImporter = Mapping[str, tuple[Link, ...]]


class Reach:
    """Finds who imports a file of one language on one side of the change."""

    def __init__(
        self,
        tree: Tree,
        language: Language,
        project: "Project",
        paths: frozenset[str],
        side: Side,
        unused_files: Sequence[str] = (),
    ) -> None:
        self.tree, self.language, self.project, self.paths, self.side = tree, language, project, paths, side
        self.unused = unused_files  # sentences about configuration files that were not fully used
        self.known_links: dict[str, tuple[Link, ...]] = {}
        self._stars: dict[str, list[Link]] = {}
        self.unread: dict[str, str] = {}  # file with unreadable imports -> reason
        self._neighbours: dict[str, set[str]] = {}

    async def importers(self, targets: Collection[str]) -> LinksByImporter:
        """Return importing file -> its imports of one of the targets, read from the head, where a forgotten user is."""
        clues = [self.project.clues(path) for path in sorted(targets)]
        words = frozenset(word for clue in clues for word in clue.words)
        if not words:
            return {}
        imports_by_path: dict[str, tuple[Link, ...]] = {}
        paths, trace = sorted(await _propose(self.tree, self.language, clues)), TRACE.get()
        for at in range(0, len(paths), PORTION):  # limits how many texts are in memory
            for path, source in (await self.tree.read_many(paths[at : at + PORTION])).items():
                imports = tuple(item for item in self.resolve(path, source, words) if item.target in targets)
                if imports:
                    imports_by_path[path] = imports
        if trace is not None:
            trace.proposed.update(paths)
        return imports_by_path

    async def links(self, path: str) -> tuple[Link, ...]:
        """Return every import of a file on this side that resolves to the tree."""
        await self.load([path])
        return self.known_links[path]

    async def load(self, paths: Collection[str]) -> None:
        """Read the imports of many files in one pass."""
        new = [path for path in dict.fromkeys(paths) if path not in self.known_links]
        sources = await self.tree.read_many(new, self.side) if new else {}
        for path in new:
            self.known_links[path] = self.resolve(path, sources[path]) if path in sources else ()

    async def stars(self, paths: Collection[str]) -> list[str]:
        """Return the files whose names some files re-export with a wildcard."""
        new = [path for path in dict.fromkeys(paths) if path not in self._stars]
        unknown = [path for path in new if path not in self.known_links]
        sources = await self.tree.read_many(unknown, self.side) if unknown else {}
        for path in new:
            read = partial(self.project.statements, path)
            items = self._readable(path, read, sources[path]) if path in sources else self.known_links.get(path, ())
            self._stars[path] = [one for one in items if "*" in one.names and "*" not in dict(one.aliases)]
        stars = (one for path in paths for one in self._stars[path])
        return [one.target for one in stars if one.public]

    def resolve(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Link, ...]:
        """Return the imports of a text that resolve to the tree; `words` as in `Project.links`.

        An unreadable file has none and is recorded in `unread`.
        """
        return self._readable(path, partial(self.project.links, path, words=words), source)

    def _readable(self, path: str, read: Callable[[bytes], tuple[Link, ...]], source: bytes) -> tuple[Link, ...]:
        try:
            return read(without_mark(source))
        except Unreadable as error:
            if not is_minified(source):
                self.unread[path] = str(error)
            return ()

    @property
    def declares_content(self) -> bool:
        """Whether files declare what they contain, independent of their paths."""
        return self.project.declares_content

    def is_same(self, before: Outline, after: Outline) -> bool:
        """Return whether a file that may have moved still declares the same module."""
        return bool(self.language.module_word and before.module) and before.module == after.module

    def visible_files(self, path: str) -> Collection[str]:
        """Return the files that use the names of this one without importing it."""
        return self.project.visible_files(path)

    def sees(self, path: str, homes: Collection[str]) -> bool:
        """Return whether a file is built with one of these."""
        return not homes or any(self.project.sees(path, home) for home in homes)

    def neighbours(self, path: str) -> Collection[str]:
        """Return the files that may define the same names.

        These are its visible_files, and its folder if files declare their namespaces.
        """
        if path not in self._neighbours:
            folder, suffix = posixpath.split(path)[0], posixpath.splitext(path)[1]
            others = self.paths if self.declares_content else ()
            beside = [other for other in others if posixpath.split(other)[0] == folder and other.endswith(suffix)]
            self._neighbours[path] = {*self.visible_files(path), *beside} - {path}
        return self._neighbours[path]


def _unread_part(path: str, source: bytes) -> str:
    problem = CONFIG.problem(source)
    return f"{path} {problem}: what it says about imports was not used" if problem else ""


async def both(tree: Tree, language: Language) -> tuple[Reach, Reach]:
    """Return the resolvers of head and base. Configuration files that are equal on both sides are read once."""
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
        and not first.declares_content
    ):
        return first, Reach(tree, language, first.project, first.paths, "base")
    return first, _reach(tree, language, "base", base, _joined(now, {**same, **other}))


def _joined(like: Mapping[str, bytes], texts: dict[str, bytes]) -> Mapping[str, bytes]:
    """Return texts in the same mapping type as the tree returns, which may report reads."""
    kind = type(like)
    return kind(texts)  # type: ignore[call-arg]


def _configs(language: Language, entries: Mapping[str, TreeEntry]) -> list[str]:
    if not language.scope.configs:
        return []
    fits = re.compile("|".join(translate(name) for name in language.scope.configs)).match
    config_paths = [path for path in entries if fits(path[path.rfind("/") + 1 :]) and "node_modules/" not in path]
    return sorted(config_paths, key=lambda path: (path.count("/"), path))[:MAX_CONFIGS]


def _reach(
    tree: Tree, language: Language, side: Side, entries: Mapping[str, TreeEntry], configs: Mapping[str, bytes]
) -> Reach:
    paths = frozenset(path for path, entry in entries.items() if entry.kind == "file")
    project = resolving.project(language, paths, configs)
    notes = tuple(note for path, source in configs.items() if (note := _unread_part(path, source)))
    return Reach(tree, language, project, paths, side, notes)


def globs(language: Language, folder: str = "") -> list[str]:
    """Return the pathspecs of a language's files, optionally below a folder."""
    if not folder:
        return [f"*{suffix}" for suffix in language.suffixes]
    return [f":(glob){_escape(folder)}/**/*{suffix}" for suffix in language.suffixes]


def _escape(folder: str) -> str:
    """Escape a folder's name, since `[id]` is not a pattern here."""
    return "".join(f"\\{letter}" if letter in r"\*?[" else letter for letter in folder)


async def _propose(tree: Tree, language: Language, clues: Sequence[Clues]) -> frozenset[str]:
    """Return the files that contain the words of an import; most of them do import."""
    far = sorted({pattern for clue in clues for pattern in clue.far})
    near = sorted({pattern for clue in clues for pattern in clue.near})
    below = [
        spec for folder in _outer({clue.folder for clue in clues if clue.near}) for spec in globs(language, folder)
    ]
    everywhere, beside = await together(
        tree.grep(Query(_join(far), globs(language), syntax="perl")),
        tree.grep(Query(_join(near), below, syntax="perl")),
    )
    return everywhere | beside


def _outer(folders: Iterable[str]) -> list[str]:
    outer_folders: list[str] = []
    for folder in sorted(folders):
        if not any(not other or folder == other or folder.startswith(f"{other}/") for other in outer_folders):
            outer_folders.append(folder)
    return outer_folders


def _join(patterns: Sequence[str]) -> list[str]:
    """Combine patterns, since git runs each pattern over every line; a common word boundary is checked once."""
    joined_patterns = []
    for at in range(0, len(patterns), TOGETHER):
        group = [
            BEHIND_MARK + pattern.removeprefix(START) if pattern.startswith(START) else pattern
            for pattern in patterns[at : at + TOGETHER]
        ]
        edge = EDGE if all(pattern.startswith(EDGE) for pattern in group) else ""
        joined_patterns.append(f"{edge}(?:{'|'.join(f'(?:{pattern.removeprefix(edge)})' for pattern in group)})")
    return joined_patterns
