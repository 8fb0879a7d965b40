"""Go's imports: the statements of a file, and who may write one for a package."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from bot.languages.modules import WHOLE, KnownModules
from bot.values import Clues, Import
from impact.languages.go import Modules
from impact.values import Import as Statement

# The beginning of a file, word by word: imports stand before every other declaration.
TOKEN = re.compile(rb"//[^\n]*+|/\*.*?(?:\*/|\Z)|\"[^\"\n]*+\"|`[^`]*+`?|[\w.]++|[;\n]", re.DOTALL)
OTHERS = frozenset({b"func", b"type", b"var", b"const"})
VERSION = re.compile(r"v\d+")
Spec = tuple[str, str, int]  # name that it is given here ("" where none is written), import path, line


def specs(source: bytes) -> Iterator[Spec]:
    """The import specs of a file."""
    inside, name, line = False, "", 1
    for token in TOKEN.finditer(source):
        word = token[0]
        if word in OTHERS:
            return
        if word == b"import":
            inside, name = True, ""
        elif word in (b"\n", b";"):
            name = ""
        elif inside and word[:1] in (b'"', b"`"):
            yield name, word[1:-1].decode("utf-8", "replace"), line
            name = ""
        elif not word.startswith((b"//", b"/*")):
            name = word.decode("utf-8", "replace")
        line += word.count(b"\n")


@lru_cache(maxsize=4096)
def likely_names(spec: str) -> tuple[str, ...]:
    """The names that a package is likely to have, told from its import path, the likeliest first."""
    parts = [part for part in spec.split("/") if part]
    if len(parts) > 1 and VERSION.fullmatch(parts[-1]):
        parts.pop()
    last = re.sub(r"\.v\d+$", "", parts[-1]) if parts else ""
    words = [word for word in re.split(r"[-.]", last) if word not in ("go", "golang", "")]
    names = [last, *words[-1:], *words[:1], "".join(words), "_".join(words)]
    return tuple(dict.fromkeys(name for name in names if name.isidentifier()))


class GoModules(KnownModules[Modules]):
    """The packages of one tree. Satisfies `ports.Project` and `ports.SharedScope`."""

    RESOLVER = Modules

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        super().__init__(paths, configs)
        self._folders: dict[str, set[str]] = defaultdict(set)
        for path in self.paths:
            if path.endswith(".go"):
                self._folders[posixpath.dirname(path)].add(path)

    def mates(self, path: str) -> Collection[str]:
        """The other files of the folder: one package, and its tests."""
        return self._folders.get(posixpath.dirname(path), set()) - {path}

    def clues(self, path: str) -> Clues:
        """An import path is in quotes. Nobody imports a test."""
        specs = self.modules.specs(path) if not path.endswith("_test.go") else frozenset[str]()
        return Clues(specs, (rf"[\"`]({'|'.join(re.escape(spec) for spec in sorted(specs))})[\"`]",) if specs else ())

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Import, ...]:
        """The imports of a file that land in the tree: one for each file of the package that is meant."""
        found: dict[tuple[str, str], list[Import]] = {}
        for name, spec, line in specs(source):
            if (name, spec) in found or (words and spec not in words):
                continue
            here = name or _local_name(spec, source)
            aliases = (("*", here),) if name not in ("_", ".") and here else ()
            files = self.modules.files(path, Statement(spec, line)) or ()
            taken = frozenset[str]() if name == "_" else WHOLE
            found[name, spec] = [Import(file, taken, line, aliases) for file in files if not file.endswith("_test.go")]
        return tuple(item for items in found.values() for item in items)


def _local_name(spec: str, source: bytes) -> str:
    """What a package is called in a file that gives it no name: the likely name that stands before a dot."""
    names = likely_names(spec)
    likely = (name for name in names if re.search(rb"\b" + re.escape(name.encode()) + rb"\.", source))
    return next(likely, names[0] if names else "")
