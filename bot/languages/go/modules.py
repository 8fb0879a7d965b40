"""Go's imports: which folder an import path means, told from the go.mod and go.work files.

The unit is the package, a folder: an import means every file of it, and its files use each other's names without one. A
module of the tree is meant where the importing module is that module itself, replaces it by a folder, or shares a workspace
with it; otherwise the published version is meant, which this change does not touch.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from bot.values import Clues, Import

MODULE = re.compile(r"^\s*module\s+\"?([^\s\"]+)", re.MULTILINE)
REPLACED = re.compile(r"^\s*(?:replace\s+)?([^\s(]+)(?:\s+v\S+)?\s+=>\s+(\.{1,2}(?:/\S*)?)\s*$", re.MULTILINE)
USED = re.compile(r"^\s*use\s+(?:\(([^)]*)\)|(\S+))", re.MULTILINE)
# The beginning of a file, word by word: imports stand before every other declaration.
TOKEN = re.compile(rb"//[^\n]*|/\*.*?(?:\*/|\Z)|\"[^\"\n]*\"|`[^`]*`|[\w.]+|[;\n]", re.DOTALL)
OTHERS = frozenset({b"func", b"type", b"var", b"const"})
VERSION = re.compile(r"v\d+")
WHOLE, NOTHING = frozenset({"*"}), frozenset[str]()
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
def called(spec: str) -> tuple[str, ...]:
    """The names that a package is likely to have, told from its import path, the likeliest first."""
    parts = [part for part in spec.split("/") if part]
    if len(parts) > 1 and VERSION.fullmatch(parts[-1]):
        parts.pop()
    last = re.sub(r"\.v\d+$", "", parts[-1]) if parts else ""
    words = [word for word in re.split(r"[-.]", last) if word not in ("go", "golang", "")]
    found = [last, *words[-1:], *words[:1], "".join(words), "_".join(words)]
    return tuple(dict.fromkeys(name for name in found if name.isidentifier()))


class Packages:
    """The packages of one tree. Satisfies `ports.Project` and `ports.Shared`."""

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        self._folders: dict[str, set[str]] = defaultdict(set)
        for path in paths:
            if path.endswith(".go") and not path.startswith("vendor/") and "/vendor/" not in path:
                self._folders[posixpath.dirname(path)].add(path)
        self._names: dict[str, str] = {}  # folder of a module -> its import path
        self._others: dict[str, list[tuple[str, str]]] = defaultdict(
            list
        )  # module -> (import path, folder) it means too
        texts = {path: re.sub(r"//[^\n]*", "", source.decode("utf-8", "replace")) for path, source in configs.items()}
        for path, text in texts.items():
            folder, name = posixpath.split(path)
            declared = MODULE.search(text) if name == "go.mod" else None
            if declared:
                self._names[folder] = declared[1].rstrip("/")
                self._others[folder] += _replaced(text, folder)
        for path, text in texts.items():
            if posixpath.basename(path) == "go.work":
                self._share(posixpath.dirname(path), text)
        self._meant: dict[str, list[tuple[str, str]]] = {}

    def _share(self, folder: str, text: str) -> None:
        """The modules of a workspace mean each other."""
        written = [word for block, one in USED.findall(text) for word in (block.split() if block else [one])]
        used = {_joined(folder, word.strip('"')) for word in written} & self._names.keys()
        for module in used:
            self._others[module] += [(self._names[other], other) for other in sorted(used - {module})]
            self._others[module] += _replaced(text, folder)

    def mates(self, path: str) -> Collection[str]:
        """The other files of the folder: one package, and its tests."""
        return self._folders.get(posixpath.dirname(path), set()) - {path}

    def clues(self, path: str) -> Clues:
        """An import path stands in quotes. Nobody imports a test."""
        folder = posixpath.dirname(path)
        home = self._home(folder)
        if path.endswith("_test.go") or home is None:
            return Clues(frozenset())
        rest = folder[len(home) :].strip("/")
        prefixes = {self._names[home]} | {name for rows in self._others.values() for name, at in rows if at == home}
        meant = frozenset(f"{prefix}/{rest}".rstrip("/") for prefix in prefixes)
        return Clues(meant, (rf"[\"`]({'|'.join(re.escape(spec) for spec in sorted(meant))})[\"`]",))

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Import, ...]:
        """The imports of a file that land in the tree: one for each file of the package that is meant."""
        found: list[Import] = []
        seen: set[tuple[str, str]] = set()
        for name, spec, line in specs(source):
            if (name, spec) in seen:
                continue
            seen.add((name, spec))
            folder = self._folder(spec, path) if not words or spec in words else None
            if folder is None:
                continue
            files = sorted(file for file in self._folders[folder] if not file.endswith("_test.go") and file != path)
            names = NOTHING if name == "_" else WHOLE
            here = name or _spoken(spec, source)
            aliases = (("*", here),) if name not in ("_", ".") and here else ()
            found += [Import(file, names, line, aliases) for file in files]
        return tuple(found)

    def _folder(self, spec: str, here: str) -> str | None:
        """The folder that an import path means in a file; the longest module path that fits wins, as in Go itself."""
        home = self._home(posixpath.dirname(here))
        if home is None:
            return None
        if home not in self._meant:
            known = {(self._names[home], home), *self._others[home]}
            self._meant[home] = sorted(known, key=lambda row: (-len(row[0]), row))
        for prefix, folder in self._meant[home]:
            if spec == prefix or spec.startswith(f"{prefix}/"):
                found = _joined(folder, spec[len(prefix) + 1 :])
                if found in self._folders and self._home(found) == folder:
                    return found
        return None

    def _home(self, folder: str) -> str | None:
        """The folder of the module that a folder belongs to."""
        while folder not in self._names:
            if not folder:
                return None
            folder = posixpath.dirname(folder)
        return folder


def _replaced(text: str, folder: str) -> Iterator[tuple[str, str]]:
    for name, target in REPLACED.findall(text):
        yield name.strip('"'), _joined(folder, target)


def _joined(folder: str, path: str) -> str:
    found = posixpath.normpath(posixpath.join(folder, path)) if folder or path else ""
    return "" if found == "." else found


def _spoken(spec: str, source: bytes) -> str:
    """What a package is called in a file that gives it no name: the likely name that stands before a dot."""
    names = called(spec)
    said = (name for name in names if re.search(rb"\b" + re.escape(name.encode()) + rb"\.", source))
    return next(said, names[0] if names else "")
