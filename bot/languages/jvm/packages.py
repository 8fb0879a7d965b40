"""The packages of Java and Kotlin: an import names a package and a type, and a neighbour needs none.

A Java type is in the file of its name, below folders that spell its package, wherever the source root is. What a Kotlin
file holds its path does not say: the files that are asked about tell it themselves (`learn`).
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from bot.languages import typed
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
class _Told:
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
    lines: typed.Lines

    def holds(self, name: str) -> bool:
        return name.encode() in self.words


class JvmPackages:
    """The packages of one tree. Satisfies `ports.Project`, `ports.Shared` and `ports.SelfDescribed`."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = frozenset(path for path in paths if path.endswith(SUFFIXES))
        self._stems: dict[str, list[str]] | None = None
        self._told: dict[str, _Told] = {}
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
        told = _Told(
            package,
            frozenset(types) | (before.types if before else frozenset()),
            frozenset(members) | (before.members if before else frozenset()),
        )
        self._told[path] = told
        for name in told.types | told.members:
            self._known[package, name].add(path)

    def mates(self, path: str) -> Collection[str]:
        """The changed files of the same package: what left one may have come to another."""
        package = self._packages.get(path)
        return [other for other in sorted(self._told) if other != path and self._packages.get(other) == package]

    def clues(self, path: str) -> Clues:
        """A file that uses another writes one of its names: neighbours need no import."""
        told = self._told.get(path)
        names = told.types | told.members if told else frozenset({_stem(path)})
        words = "|".join(sorted(re.escape(name) for name in names))
        return Clues(frozenset(names), (rf"\b(?:{words})\b",) if words else ())

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Import, ...]:
        """The imports of a file that land in the tree, and what it takes from its neighbours."""
        code = typed.blank(source, templates=path.endswith((".kt", ".kts")))
        statements = list(STATEMENT.finditer(code))
        body = PACKAGE.sub(_spaces, STATEMENT.sub(_spaces, code))
        lines = typed.Lines(code)
        file = _File(path, _package(code), body, frozenset(WORD.findall(body)), lines)
        found: list[Import] = []
        taken: set[str] = set()
        open_to = {file.package: 0}
        for match in statements:
            name, alias = match["name"].decode("utf-8", "replace").replace("`", ""), match["alias"]
            line = lines.at(match.start())
            if name.endswith(".") and code[match.end() : match.end() + 1] == b"*":
                open_to.setdefault(name[:-1], line)
                found += self._starred(file, name[:-1], line, words)
            else:
                here = alias.decode().replace("`", "") if alias else name.rpartition(".")[2]
                taken.add(here)
                if not words or not words.isdisjoint(name.split(".")):
                    found += self._named(file, name, here, line)
        found += self._unnamed(file, open_to, taken, words)
        return tuple(item for item in found if item.target != path)

    def _named(self, file: _File, name: str, here: str, line: int) -> Iterator[Import]:
        """`import a.b.Outer.Inner`: the deepest name is taken, from the file of the outermost type. Unused: no name is."""
        parts = name.split(".")
        used = file.holds(here) or not file.path.endswith(".java")
        for at in range(len(parts) - 1, -1, -1):
            targets = self._lookup(".".join(parts[:at]), parts[at], file.path)
            for target in targets:
                names = frozenset({parts[-1]}) if used else frozenset[str]()
                yield Import(target, names, line, ((parts[-1], here),) if here != parts[-1] and used else ())
            if targets:
                return

    def _starred(self, file: _File, name: str, line: int, words: frozenset[str]) -> Iterator[Import]:
        """`import static a.b.Type.*`: everything of a type; of a package, see `_unnamed`."""
        package, _, last = name.rpartition(".")
        if not words or last in words:
            for target in self._lookup(package, last, file.path):
                yield Import(target, WHOLE, line)

    def _unnamed(
        self, file: _File, open_to: dict[str, int], taken: set[str], words: frozenset[str]
    ) -> Iterator[Import]:
        """Names of the file's own package, of packages imported whole, and names written with their package."""
        own = {name.decode() for names in DEFINED.findall(file.body) for name in names if name}
        asked = words or frozenset(word.decode() for word in file.words)
        for word in sorted(asked - taken - own):
            if not file.holds(word):
                continue
            meant = [(t, line) for package, line in open_to.items() for t in self._lookup(package, word, file.path)]
            at = re.search(rb"(?<![\w$.])" + word.encode() + rb"(?![\w$])", file.body) if meant else None
            for target, line in meant:
                found = at or self._called(target, word, file)
                if found and _visible(target, file.path):
                    number = line or file.lines.at(found.start())
                    yield Import(target, frozenset({word}), number)
        yield from self._qualified(file, asked)

    def _called(self, target: str, word: str, file: _File) -> re.Match[bytes] | None:
        """An extension is called like a member."""
        told = self._told.get(target)
        if told is None or word not in told.members:
            return None
        return re.search(rb"\.\s*" + word.encode() + rb"(?![\w$])", file.body)

    def _qualified(self, file: _File, asked: Collection[str]) -> Iterator[Import]:
        """The first place at which each of the words is written with its package."""
        seen: set[str] = set()
        tried: set[tuple[str, str]] = set()
        for match in QUALIFIED.finditer(file.body):
            parts = match[0].decode("utf-8", "replace").split(".")
            for at in range(1, len(parts)):
                package, word = ".".join(parts[:at]), parts[at]
                if word not in asked or word in seen or (package, word) in tried:
                    continue
                tried.add((package, word))
                for target in self._lookup(package, word, file.path):
                    seen.add(word)
                    yield Import(target, frozenset({word}), file.lines.at(match.start()))

    def _lookup(self, package: str, name: str, here: str) -> list[str]:
        """The files that hold a type or a top-level function: those of the nearest module, where several do."""
        if self._stems is None:
            self._stems = defaultdict(list)
            for path in sorted(self._paths):
                self._stems[_stem(path)].append(path)
        found = set(self._known.get((package, name), ()))
        folder = "/" + package.replace(".", "/")
        for path in self._stems.get(name, ()):
            if path not in self._told and f"/{posixpath.dirname(path)}".endswith(folder if package else "/"):
                found.add(path)
        if len(found) <= 1:
            return list(found)
        near = max(_common(path, here) for path in found)
        modules = {path.partition("/src/")[0] for path in found if _common(path, here) == near}
        return sorted(path for path in found if path.partition("/src/")[0] in modules)


def _stem(path: str) -> str:
    return posixpath.basename(path).partition(".")[0]


def _package(source: bytes) -> str:
    match = PACKAGE.search(source)
    return match[1].decode("utf-8", "replace").replace("`", "") if match else ""


def _spaces(match: re.Match[bytes]) -> bytes:
    return typed.KEPT.sub(b" ", match[0])


def _visible(target: str, here: str) -> bool:
    """Tests see everything; nothing else sees tests."""
    return bool(TESTS.search(here)) or not TESTS.search(target)


def _common(one: str, two: str) -> int:
    pairs = zip(one.split("/"), two.split("/"), strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), 99)
