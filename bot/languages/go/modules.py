"""Go's imports: which folder an import path means, told from the go.mod and go.work files.

The unit is the package, a folder: an import means every file of it, and its files use each other's names without one. A
module of the tree is meant where the importing module is that module itself, replaces it by a folder, or shares a workspace
with it; otherwise the published version is meant, which this change does not touch.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from bot.languages.lexical import config, manifest_text
from bot.values import Clues, Import

# The beginning of a file, word by word: imports stand before every other declaration.
TOKEN = re.compile(rb"//[^\n]*+|/\*.*?(?:\*/|\Z)|\"[^\"\n]*+\"|`[^`]*+`?|[\w.]++|[;\n]", re.DOTALL)
OTHERS = frozenset({b"func", b"type", b"var", b"const"})
VERSION = re.compile(r"v\d+")
WHOLE, NOTHING = frozenset({"*"}), frozenset[str]()
Directive = tuple[str, ...]
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


class GoPackages:
    """The packages of one tree. Satisfies `ports.Project` and `ports.SharedScope`."""

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        self._folders: dict[str, set[str]] = defaultdict(set)
        for path in paths:
            if path.endswith(".go") and not path.startswith("vendor/") and "/vendor/" not in path:
                self._folders[posixpath.dirname(path)].add(path)
        self._names: dict[str, str] = {}  # folder of a module -> its import path
        self._others: dict[str, list[tuple[str, str]]] = defaultdict(
            list
        )  # module -> (import path, folder) it means too
        directives_by_path = {path: tuple(directives(config(source))) for path, source in configs.items()}
        for path, rows in directives_by_path.items():
            folder, name = posixpath.split(path)
            module_path = next((words[0] for verb, *words in rows if verb == "module" and words), "")
            if name == "go.mod" and module_path:
                self._names[folder] = module_path.strip('"').rstrip("/")
                self._others[folder] += _replacements(rows, folder)
        for path, rows in directives_by_path.items():
            if posixpath.basename(path) == "go.work":
                self._share(posixpath.dirname(path), rows)
        self._meant: dict[str, list[tuple[str, str]]] = {}

    @property
    def settings(self) -> object:
        """The modules, and what they mean by other modules."""
        return self._names, {home: sorted(rows) for home, rows in self._others.items() if rows}

    def _share(self, folder: str, rows: Sequence[Directive]) -> None:
        """The modules of a workspace mean each other."""
        folders = {_join(folder, word.strip('"')) for verb, *words in rows if verb == "use" for word in words}
        folders &= self._names.keys()
        for module in folders:
            self._others[module] += [(self._names[other], other) for other in sorted(folders - {module})]
            self._others[module] += _replacements(rows, folder)

    def mates(self, path: str) -> Collection[str]:
        """The other files of the folder: one package, and its tests."""
        return self._folders.get(posixpath.dirname(path), set()) - {path}

    def clues(self, path: str) -> Clues:
        """An import path is in quotes. Nobody imports a test."""
        folder = posixpath.dirname(path)
        home = self._home(folder)
        if path.endswith("_test.go") or home is None:
            return Clues(frozenset())
        rest = folder[len(home) :].strip("/")
        prefixes = {self._names[home]} | {name for rows in self._others.values() for name, at in rows if at == home}
        specs = frozenset(f"{prefix}/{rest}".rstrip("/") for prefix in prefixes)
        return Clues(specs, (rf"[\"`]({'|'.join(re.escape(spec) for spec in sorted(specs))})[\"`]",))

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Import, ...]:
        """The imports of a file that land in the tree: one for each file of the package that is meant."""
        imports: list[Import] = []
        pairs: set[tuple[str, str]] = set()
        for name, spec, line in specs(source):
            if (name, spec) in pairs:
                continue
            pairs.add((name, spec))
            folder = self._folder(spec, path) if not words or spec in words else None
            if folder is None:
                continue
            files = sorted(file for file in self._folders[folder] if not file.endswith("_test.go") and file != path)
            names = NOTHING if name == "_" else WHOLE
            here = name or _local_name(spec, source)
            aliases = (("*", here),) if name not in ("_", ".") and here else ()
            imports += [Import(file, names, line, aliases) for file in files]
        return tuple(imports)

    def _folder(self, spec: str, here: str) -> str | None:
        """The folder that an import path means in a file; the longest module path that fits wins, as in Go itself."""
        home = self._home(posixpath.dirname(here))
        if home is None:
            return None
        if home not in self._meant:
            known_modules = {(self._names[home], home), *self._others[home]}
            self._meant[home] = sorted(known_modules, key=lambda row: (-len(row[0]), row))
        for prefix, folder in self._meant[home]:
            if spec == prefix or spec.startswith(f"{prefix}/"):
                folder_path = _join(folder, spec[len(prefix) + 1 :])
                if folder_path in self._folders and self._home(folder_path) == folder:
                    return folder_path
        return None

    def _home(self, folder: str) -> str | None:
        """The folder of the module that a folder belongs to."""
        while folder not in self._names:
            if not folder:
                return None
            folder = posixpath.dirname(folder)
        return folder


def directives(source: bytes) -> Iterator[Directive]:
    """The directives of a go.mod or go.work, line by line: the verb and its words; the verb of a block stands before each line."""
    block = ""
    for line in manifest_text(source).split("\n"):
        words = line.partition("//")[0].split()
        if not words:
            continue
        if words[0] == ")":
            block = ""
        elif block:
            yield (block, *(word for word in words if word != ")"))
            block = "" if words[-1] == ")" else block
        elif words[1:2] == ["("] or words[0].endswith("("):
            block = words[0].removesuffix("(")
            inside = [word for word in words[1:] if word not in ("(", ")")]
            if inside:
                yield (block, *inside)
            block = "" if words[-1] == ")" else block
        else:
            yield tuple(words)


def _replacements(rows: Sequence[Directive], folder: str) -> Iterator[tuple[str, str]]:
    """Module -> the folder that stands in for it."""
    for verb, *words in rows:
        if verb == "replace" and "=>" in words[1:3] and words[-2] == "=>" and words[-1].startswith(("./", "../", "..")):
            yield words[0].strip('"'), _join(folder, words[-1])


def _join(folder: str, path: str) -> str:
    folder_path = posixpath.normpath(posixpath.join(folder, path)) if folder or path else ""
    return "" if folder_path == "." else folder_path


def _local_name(spec: str, source: bytes) -> str:
    """What a package is called in a file that gives it no name: the likely name that stands before a dot."""
    names = likely_names(spec)
    likely = (name for name in names if re.search(rb"\b" + re.escape(name.encode()) + rb"\.", source))
    return next(likely, names[0] if names else "")
