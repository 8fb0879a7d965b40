"""The modules of a tree as `impact` resolves them, for the search of who imports a file."""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Generic, TypeVar

from impact import reader
from impact.language import Language, Modules, language_of
from impact.lexical import mention
from impact.paths import Paths
from impact.values import Clues, Import, Link

WHOLE = frozenset({"*"})
FOLDER = re.compile(rb"""["'`]\.[./]*["'`]|\bfrom\s+\.+\s+import""")  # an import that names no module: a folder's own


Resolver = TypeVar("Resolver", bound=Modules)


class _Statements:
    """The import statements of one text, and where those lead that somebody has asked for: a search asks again and again, by other words."""

    def __init__(self, rows: tuple[Import, ...]) -> None:
        self.rows, self.links = rows, dict[int, tuple[Link, ...]]()
        self._said = [
            (at, "\0".join((one.spec, *(bound.there for bound in one.names))).encode() if one.spec.strip("./") else b"")
            for at, one in enumerate(rows)
            if one.spec
        ]

    def asked(self, mentions: re.Pattern[bytes]) -> Iterator[int]:
        """The statements that write one of the words, and those of a folder's own names, which write none."""
        return (at for at, said in self._said if not said or mentions.search(said))


class KnownModules(Generic[Resolver]):
    """The modules of one tree. With the clues of its language it satisfies `ports.Project`."""

    RESOLVER: type[Resolver]

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        self.paths = paths if isinstance(paths, frozenset) else frozenset(paths)
        self.modules = self.RESOLVER(Paths(dict.fromkeys(self.paths, True)), configs)
        self.modules.guesses = True
        self._resolved: dict[str, _Statements] = {}  # path -> the statements of the text that was asked for last

    def clues(self, path: str) -> Clues:
        """What a file that imports `path` must contain."""
        raise NotImplementedError

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Link, ...]:
        """The imports of a file that land in the tree; with `words`, only statements whose module is written with one of them."""
        mentions = mention(words)
        if not mentions.search(source) and not FOLDER.search(source):
            return ()
        language = language_of(path)
        rows = statements(language, source) if language is not None else ()
        known = self._resolved.get(path)
        if known is None or known.rows is not rows:
            known = self._resolved[path] = _Statements(rows)
        found: dict[Link, None] = {}
        for at in known.asked(mentions):
            if at not in known.links:
                known.links[at] = tuple(self._of_statement(path, rows[at]))
            found |= dict.fromkeys(known.links[at])
        return tuple(item for item in found if item.target != path)

    def _of_statement(self, path: str, item: Import) -> Iterator[Link]:
        """What one statement takes, by the file that has it. A name that is a module is that whole module."""
        names: dict[str, dict[str, str]] = {}
        for bound in item.names:
            inner = self.modules.inner(path, item, bound.there)
            for file in inner or self.modules.files(path, item, bound.there) or ():
                there, taken = "*" if inner else bound.there, names.setdefault(file, {})
                taken[there] = bound.here or taken.get(there, "")
        if item.whole or item.star or not item.names:
            for file in self.modules.files(path, item) or ():
                taken = names.setdefault(file, {})
                if item.whole or item.star:
                    taken["*"] = item.whole
        for file, taken in names.items():
            aliases = tuple((there, here) for there, here in taken.items() if there != here and (here or there != "*"))
            yield Link(file, frozenset(taken), item.line, aliases)


@lru_cache(maxsize=512)
def statements(language: Language, code: bytes) -> tuple[Import, ...]:
    """The import statements of a file, as written."""
    return reader.imports(language, code)
