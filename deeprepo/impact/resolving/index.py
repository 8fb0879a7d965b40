"""Index one tree. Missing files are noted while facts are requested, and then read together."""

import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from fnmatch import fnmatch
from typing import Any, TypeVar

from deeprepo.impact.changes import Query
from deeprepo.impact.language import Language, language_of
from deeprepo.impact.paths import Paths
from deeprepo.impact.ports import Tree
from deeprepo.impact.reading import reader, syntax
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.resolving.namespaces import Namespaces
from deeprepo.impact.structs import replace
from deeprepo.impact.text.lines import without_mark
from deeprepo.impact.values import Facts, Link, Side

Told = TypeVar("Told")
ROUNDS = 12  # rounds of reading: an import chain takes one for each file
MOST_FILES = 1_500  # source files that one report reads; configuration files are small and don't count
MOST_CONFIGS = 10_000  # configuration files that don't count; if there are more, all count


class Index:
    """One side of a tree. Facts that are not yet known are None, and `wanted` lists their files."""

    def __init__(
        self,
        tree: Tree,
        side: Side,
        paths: Paths,
        links: Mapping[str, Sequence[Link]] | None,
        load: Callable[[Collection[str]], Awaitable[None]] | None,
    ) -> None:
        self.paths, self._tree, self._side, self._links, self._load = paths, tree, side, links, load
        self._unlinked: set[str] = set()  # files whose links are requested
        self.wanted: set[str] = set()
        self.sources: dict[str, bytes] = {}
        self.cut = False  # whether files were omitted because of the limit
        self._facts: dict[str, Facts | None] = {}
        self._modules: dict[str, Resolver] = {}
        self._awaited: set[str] = set()  # languages whose configuration is read next
        self._unread: set[str] = set()
        self._configs: dict[str, tuple[str, ...]] = {}
        # Language, pattern and name -> its files with a matching line; then the searches still to do.
        self._homes: dict[tuple[str, str, str], tuple[str, ...]] = {}
        self._unfound: set[tuple[str, str, str]] = set()
        # Results of `resolve.py` by search depth; cleared when more files are read.
        self.answers: dict[tuple[str, str, int], Any] = {}

    def facts(self, path: str) -> Facts | None:
        """Return the facts of a file; None if its language is unknown, it is unreadable or not yet read."""
        if path in self._facts:
            return self._facts[path]
        language = language_of(path)
        if language is None or path not in self.paths.files or path in self._unread:
            return None
        source = self.sources.get(path)
        if source is None:
            self.wanted.add(path)
            return None
        found = reader.facts(syntax.language_for(path, source) or language, source)
        if found is not None and language.offers_all(path):
            found = replace(found, definitions=tuple(replace(one, private=False) for one in found.definitions))
        self._facts[path] = found
        self._tell(path, language)
        return found

    def _tell(self, path: str, language: Language) -> None:
        """Register what a file declares with the modules of its language, if they need it."""
        modules, facts = self._modules.get(language.folder), self._facts[path]
        if isinstance(modules, Namespaces) and facts is not None:
            modules.register(path, facts)

    def links(self, path: str) -> Sequence[Link]:
        """Return the imports of a file from the search; () if there are none or they are not yet known."""
        if self._links is not None and path not in self._links:
            self._unlinked.add(path)
        return (self._links or {}).get(path, ())

    def modules(self, language: Language) -> Resolver | None:
        """Return the import resolver of a language; None until its configuration files are read."""
        if language.folder in self._awaited:
            return None
        if language.folder not in self._modules:
            configs = self._paths_of(language)
            missing = [path for path in configs if path not in self.sources and path not in self._unread]
            if missing:
                self.wanted.update(missing)
                self._awaited.add(language.folder)
                return None
            known = {path: self.sources[path] for path in configs if path in self.sources}
            self._modules[language.folder] = language.modules(self.paths, known)
            for path in self._facts:
                if (one := language_of(path)) is not None and one.folder == language.folder:
                    self._tell(path, one)
        return self._modules[language.folder]

    def homes(self, language: Language, pattern: str, name: str) -> tuple[str, ...]:
        """Return the files of a language with a line that matches the pattern.

        NAME in it stands for the name. Return () until the files are searched.
        """
        key = language.folder, pattern, name
        if pattern and key not in self._homes:
            self._unfound.add(key)
        return self._homes.get(key, ())

    def _paths_of(self, language: Language) -> tuple[str, ...]:
        if language.folder not in self._configs:
            globs = language.scope.configs
            plain = frozenset(one for one in globs if "*" not in one)
            starred = [one for one in globs if "*" in one]
            found = []
            for path in self.paths.files:
                name = path.rpartition("/")[2]
                if name in plain or any(fnmatch(name, one) for one in starred):
                    found.append(path)
            self._configs[language.folder] = tuple(sorted(found))
        return self._configs[language.folder]

    async def settled(self, ask: "Callable[[Index], Told]") -> tuple[Told, bool]:
        """Return the answer of `ask` after reading the files that it needs, and whether these are all."""
        for _ in range(ROUNDS):
            answer = ask(self)
            if not await self._read():
                return answer, True
        return answer, False

    async def _read(self) -> bool:
        """Read the requested files; return False if nothing was requested."""
        unlinked = [*self._unlinked]
        self._unlinked.clear()
        if unlinked and self._load is not None:
            await self._load(unlinked)
        rows = [(key[1].replace("NAME", re.escape(key[2])), key) for key in sorted(self._unfound)]
        self._unfound.clear()
        any_row = Query(["|".join(row for row, _ in rows)], syntax="perl", side=self._side)
        holding = sorted(await self._tree.grep(any_row)) if rows else ()
        holders = {one: language.folder for one in holding if (language := language_of(one)) is not None}
        self.wanted.update(one for one, folder in holders.items() if folder in {key[0] for _, key in rows})
        wanted = sorted(self.wanted - self.sources.keys() - self._unread)
        self.wanted.clear()
        self._awaited.clear()
        if not wanted and not rows:
            return bool(unlinked)
        configs = {path for paths in self._configs.values() for path in paths}
        if len(configs) > MOST_CONFIGS:
            configs = set()
        code = [path for path in wanted if path not in configs]
        room = max(0, MOST_FILES - len(self.sources.keys() - configs))
        self.cut = self.cut or len(code) > room
        asked = [*(path for path in wanted if path in configs), *code[:room]]
        found = await self._tree.read_many(asked, self._side) if asked else {}
        self.sources.update({path: without_mark(source) for path, source in found.items()})
        self._unread.update(path for path in wanted if path not in found)
        self.answers.clear()
        for path in found:  # namespace declarations affect all later results
            if (one := language_of(path)) is not None and issubclass(one.modules, Namespaces):
                self.facts(path)
        for row, key in rows:
            there = re.compile(row.encode(), re.MULTILINE)
            mine = (one for one, folder in holders.items() if folder == key[0])
            self._homes[key] = tuple(one for one in mine if there.search(self.sources.get(one, b"")))
        return True


async def index_of(
    tree: Tree,
    side: Side,
    links: Mapping[str, Sequence[Link]] | None = None,
    load: Callable[[Collection[str]], Awaitable[None]] | None = None,
) -> Index:
    """Return an index of one side. `links`: the imports of files, if a search has them; `load` reads more of them."""
    paths = Paths({path: entry.kind == "file" for path, entry in (await tree.entries(side)).items()})
    return Index(tree, side, paths, links, load)
