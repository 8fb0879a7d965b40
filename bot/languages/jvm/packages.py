"""The packages of Java and Kotlin: an import names a package and a type, and a neighbour needs none.

A Java type is in the file of its name, below folders that spell its package, wherever the source root is. What a Kotlin
file holds its path does not say: the files that are asked about tell it themselves (`learn`).
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from bot.languages import typed_receivers
from bot.text.filetypes import parsed_by
from bot.values import Clues, Import, Outline

SUFFIXES = parsed_by("jvm")
QUALIFIED = re.compile(rb"(?<![\w.$])(?:[a-z_]\w*\.){1,12}\w+(?![\w$])")
PACKAGE = re.compile(rb"^[ \t]*(?:@[^\n;]*\s)?package\s+([\w.`]+)", re.MULTILINE)
STATEMENT = re.compile(
    rb"^[ \t]*import[ \t]+(?P<static>static[ \t]+)?(?P<name>[\w.$`]+)(?:[ \t]+as[ \t]+(?P<alias>[\w`]+))?", re.MULTILINE
)
FACADE = re.compile(rb"@file:(?:kotlin\.jvm\.)?JvmName\(\s*(?:name\s*=\s*)?\"(\w+)\"")
DEFINED = re.compile(
    rb"\b(?:class|interface|enum|record|object|typealias)\s+(\w+)|\bfun\s+(?:<[^<>\n]{0,80}>\s*)?(?:[\w.<>?*]+\.)?(\w+)\s*\("
    rb"|\bva[lr]\s+(\w+)|\b(\w+)\s*:"
)
WORD = re.compile(rb"(?<![\w$])[A-Za-z_]\w*")
TESTS = re.compile(r"(^|/)src/(test|\w*Test)/")
WHOLE = frozenset({"*"})


@dataclass(frozen=True, slots=True)
class _FileNames:
    """What a file says about itself."""

    package: str
    types: frozenset[str]
    members: frozenset[str]  # top-level functions and properties


@dataclass(frozen=True, slots=True)
class _File:
    """An importing file: its code without comments, and without its package and imports."""

    path: str
    package: str
    body: bytes
    words: frozenset[bytes]  # identifiers of the body
    lines: typed_receivers.Lines

    def holds(self, name: str) -> bool:
        return name.encode() in self.words


class JvmPackages:
    """The packages of one tree. Satisfies `ports.Project`, `ports.SharedScope` and `ports.SelfDescribed`."""

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        del configs  # paths and the files themselves say what a package holds
        self._paths = frozenset(path for path in paths if path.endswith(SUFFIXES))
        self._stems: dict[str, list[str]] | None = None
        self._told: dict[str, _FileNames] = {}
        self._packages: dict[str, str] = {}  # of the files that were told of
        self._known: dict[tuple[str, str], set[str]] = defaultdict(set)

    def learn(self, path: str, source: bytes, outline: Outline) -> None:
        """Note what a file of the tree holds or held."""
        package = _package(source)
        self._packages[path] = package
        if path not in self._paths:
            return
        before = self._told.get(path)
        kinds = {item.name: item.kind for item in outline.symbols if "." not in item.name and item.is_exported}
        members = {name for name, kind in kinds.items() if kind in ("function", "variable")}
        types = set(kinds) - members
        if members and path.endswith(".kt"):
            facade = FACADE.search(source)
            types.add(facade[1].decode() if facade else f"{_stem(path)[:1].upper()}{_stem(path)[1:]}Kt")
        package = _package(source)
        file_names = _FileNames(
            package,
            frozenset(types) | (before.types if before else frozenset()),
            frozenset(members) | (before.members if before else frozenset()),
        )
        self._told[path] = file_names
        for name in file_names.types | file_names.members:
            self._known[package, name].add(path)

    def mates(self, path: str) -> Collection[str]:
        """The changed files of the same package: what left one may have come to another."""
        package = self._packages.get(path)
        return [other for other in sorted(self._told) if other != path and self._packages.get(other) == package]

    def clues(self, path: str) -> Clues:
        """A file that uses another writes one of its names: neighbours need no import."""
        file_names = self._told.get(path)
        names = file_names.types | file_names.members if file_names else frozenset({_stem(path)})
        words = "|".join(sorted(re.escape(name) for name in names))
        return Clues(frozenset(names), (rf"\b(?:{words})\b",) if words else ())

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Import, ...]:
        """The imports of a file that land in the tree, and what it takes from its neighbours."""
        code = typed_receivers.blank(source, templates=path.endswith((".kt", ".kts")))
        statements = list(STATEMENT.finditer(code))
        body = PACKAGE.sub(_spaces, STATEMENT.sub(_spaces, code))
        lines = typed_receivers.Lines(code)
        file = _File(path, _package(code), body, frozenset(WORD.findall(body)), lines)
        imports: list[Import] = []
        taken_names: set[str] = set()
        open_to = {file.package: 0}
        for match in statements:
            name, alias = match["name"].decode("utf-8", "replace").replace("`", ""), match["alias"]
            line = lines.at(match.start())
            if name.endswith(".") and code[match.end() : match.end() + 1] == b"*":
                open_to.setdefault(name[:-1], line)
                imports += self._star_imports(file, name[:-1], line, words)
            else:
                here = alias.decode().replace("`", "") if alias else name.rpartition(".")[2]
                taken_names.add(here)
                if not words or not words.isdisjoint(name.split(".")):
                    imports += self._import(file, name, here, line)
        imports += self._unnamed_imports(file, open_to, taken_names, words)
        return tuple(item for item in imports if item.target != path)

    def _import(self, file: _File, name: str, here: str, line: int) -> Iterator[Import]:
        """`import a.b.Outer.Inner`: the deepest name is taken, from the file of the outermost type. Unused: no name is."""
        parts = name.split(".")
        is_used = file.holds(here) or not file.path.endswith(".java")
        for at in range(len(parts) - 1, -1, -1):
            targets = self._lookup(".".join(parts[:at]), parts[at], file.path)
            for target in targets:
                names = frozenset({parts[-1]}) if is_used else frozenset[str]()
                yield Import(target, names, line, ((parts[-1], here),) if here != parts[-1] and is_used else ())
            if targets:
                return

    def _star_imports(self, file: _File, name: str, line: int, words: frozenset[str]) -> Iterator[Import]:
        """`import static a.b.Type.*`: everything of a type; of a package, see `_unnamed_imports`."""
        package, _, last = name.rpartition(".")
        if not words or last in words:
            for target in self._lookup(package, last, file.path):
                yield Import(target, WHOLE, line)

    def _unnamed_imports(
        self, file: _File, open_to: dict[str, int], taken_names: set[str], words: frozenset[str]
    ) -> Iterator[Import]:
        """Names of the file's own package, of packages imported whole, and names written with their package."""
        own = {name.decode() for names in DEFINED.findall(file.body) for name in names if name}
        wanted_words = words or frozenset(word.decode() for word in file.words)
        for word in sorted(wanted_words - taken_names - own):
            if not file.holds(word):
                continue
            targets = [(t, line) for package, line in open_to.items() for t in self._lookup(package, word, file.path)]
            at = re.search(rb"(?<![\w$.])" + word.encode() + rb"(?![\w$])", file.body) if targets else None
            for target, line in targets:
                place = at or self._extension_call(target, word, file)
                if place and _visible(target, file.path):
                    number = line or file.lines.at(place.start())
                    yield Import(target, frozenset({word}), number)
        yield from self._qualified_imports(file, wanted_words)

    def _extension_call(self, target: str, word: str, file: _File) -> re.Match[bytes] | None:
        """An extension is called like a member."""
        file_names = self._told.get(target)
        if file_names is None or word not in file_names.members:
            return None
        return re.search(rb"\.\s*" + word.encode() + rb"(?![\w$])", file.body)

    def _qualified_imports(self, file: _File, wanted_words: Collection[str]) -> Iterator[Import]:
        """The first place at which each of the words is written with its package."""
        seen_words: set[str] = set()
        tried_pairs: set[tuple[str, str]] = set()
        for match in QUALIFIED.finditer(file.body):
            parts = match[0].decode("utf-8", "replace").split(".")
            for at in range(1, len(parts)):
                package, word = ".".join(parts[:at]), parts[at]
                if word not in wanted_words or word in seen_words or (package, word) in tried_pairs:
                    continue
                tried_pairs.add((package, word))
                for target in self._lookup(package, word, file.path):
                    seen_words.add(word)
                    yield Import(target, frozenset({word}), file.lines.at(match.start()))

    def _lookup(self, package: str, name: str, here: str) -> list[str]:
        """The files that hold a type or a top-level function: those of the nearest module, where several do."""
        if self._stems is None:
            self._stems = defaultdict(list)
            for path in sorted(self._paths):
                self._stems[_stem(path)].append(path)
        files = set(self._known.get((package, name), ()))
        folder = "/" + package.replace(".", "/")
        for path in self._stems.get(name, ()):
            if path not in self._told and f"/{posixpath.dirname(path)}".endswith(folder if package else "/"):
                files.add(path)
        if len(files) <= 1:
            return list(files)
        near = max(_common(path, here) for path in files)
        modules = {path.partition("/src/")[0] for path in files if _common(path, here) == near}
        return sorted(path for path in files if path.partition("/src/")[0] in modules)


def _stem(path: str) -> str:
    return posixpath.basename(path).partition(".")[0]


def _package(source: bytes) -> str:
    match = PACKAGE.search(source)
    return match[1].decode("utf-8", "replace").replace("`", "") if match else ""


def _spaces(match: re.Match[bytes]) -> bytes:
    return typed_receivers.KEPT.sub(b" ", match[0])


def _visible(target: str, here: str) -> bool:
    """Tests see everything; nothing else sees tests."""
    return bool(TESTS.search(here)) or not TESTS.search(target)


def _common(one: str, two: str) -> int:
    pairs = zip(one.split("/"), two.split("/"), strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), 99)
