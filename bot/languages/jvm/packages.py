"""The packages of Java, Kotlin and Scala: an import names a package and a type, and a neighbour needs none.

A Java type is in the file of its name, below folders that spell its package, wherever the source root is. What a file of
Kotlin or Scala holds its path does not say: the files that are asked about tell it themselves (`learn`).
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from bot.languages import lexical
from bot.text.filetypes import parsed_by
from bot.text.lines import without_mark
from bot.values import Clues, Import, Outline
from impact.parsing import Lines

SUFFIXES = parsed_by("jvm")
SCALA = (".scala",)
TEMPLATED = (".kt", ".kts", *SCALA)  # texts may hold code
MOST_CLAUSES = 12  # packages inside packages
QUALIFIED = re.compile(rb"(?<![\w.$])(?:[a-z_]\w*\.){1,12}\w+(?![\w$])")
PACKAGE = re.compile(rb"^[ \t]*(?:@[^\n;]*\s)?package\s+([\w.`]+)", re.MULTILINE)
STATEMENT = re.compile(
    rb"^[ \t]*import[ \t]+(?P<static>static[ \t]+)?(?P<name>[\w.$`]+)(?:[ \t]+as[ \t]+(?P<alias>[\w`]+))?", re.MULTILINE
)
SCALA_PACKAGE = re.compile(rb"^[ \t]*+package[ \t]++(?:(?P<object>object)[ \t]++)?(?P<name>[\w.`]++)", re.MULTILINE)
SCALA_IMPORT = re.compile(rb"^[ \t]*+import[ \t]++((?:[^\n;{}]++|\{[^{}]{0,4000}\})++)", re.MULTILINE)
SELECTION = re.compile(r"(?<![\w`$.])((?:[\w`$]++\.)*+)(?:\{([^{}]*+)\}|([\w`$*]++)(?: as ([\w`]++))?)")
RENAMED = re.compile(r" ?(?:=>|\bas\b) ?")
DEFINED = re.compile(
    rb"\b(?:class|interface|enum|record|object|typealias)\s+(\w+)|\bfun\s+(?:<[^<>\n]{0,80}>\s*)?(?:[\w.<>?*]+\.)?(\w+)\s*\("
    rb"|\bva[lr]\s+(\w+)|\b(\w+)\s*:(?!:)"
)
SCALA_DEFINED = re.compile(
    rb"\b(?:class|trait|enum|object|type|def|given)[ \t]++(\w++)|\bva[lr][ \t]++(\w++)|\b([a-z_]\w*+)\s*+:(?!:)|\b([a-z_]\w*+)[ \t]*+(?:=>|<-)"
)
WORD = re.compile(rb"(?<![\w$])[A-Za-z_]\w*")
TESTS = re.compile(r"(^|/)src/(test|\w*Test)/")
WHOLE = frozenset({"*"})
FACADE = re.compile(rb"@file:(?:kotlin\.jvm\.)?JvmName\(\s*(?:name\s*=\s*)?\"(\w+)\"")


@dataclass(frozen=True, slots=True)
class _FileNames:
    """What a file says about itself."""

    package: str
    types: frozenset[str]
    members: frozenset[str]  # top-level functions and properties


@dataclass(frozen=True, slots=True)
class ImportedName:
    """One name that a file imports."""

    name: str  # as written, with its package; of everything in a package or an object the name of that
    alias: str
    at: int  # where its statement begins
    is_star: bool = False


@dataclass(frozen=True, slots=True)
class _File:
    """An importing file: its code without comments, and without its package and imports."""

    path: str
    package: str
    body: bytes
    words: frozenset[bytes]  # identifiers of the body
    lines: Lines

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
        self._facades: dict[str, str] = {}  # file of Kotlin -> the class by which Java calls what is in none
        self._known: dict[tuple[str, str], set[str]] = defaultdict(set)

    def learn(self, path: str, source: bytes, outline: Outline) -> None:
        """Note what a file of the tree holds or held."""
        packages = _packages(path, without_mark(source))
        package = packages[-1]
        self._packages[path] = package
        if path not in self._paths or _is_stand_in(path, package):
            return
        before = self._told.get(path)
        kinds = {item.name: item.kind for item in outline.symbols if "." not in item.name and item.is_exported}
        members = {name for name, kind in kinds.items() if kind in ("function", "variable")}
        types = set(kinds) - members
        if members and path.endswith(".kt"):
            self._facades[path] = facade_of(path, source)
            types.add(self._facades[path])
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
        code = lexical.blank(source, templates=path.endswith(TEMPLATED))
        head, import_pattern = _syntax(path)
        body = head.sub(_spaces, import_pattern.sub(_spaces, code))
        lines = Lines(code)
        packages = _packages(path, code)
        file = _File(path, packages[-1], body, frozenset(WORD.findall(body)), lines)
        definition_pattern = SCALA_DEFINED if path.endswith(SCALA) else DEFINED
        own = {name.decode() for names in definition_pattern.findall(body) for name in names if name}
        imports: list[Import] = []
        taken_names: set[str] = set()
        open_to = dict.fromkeys(reversed(packages), 0)
        for statement in imported_names(path, code):
            name, line = statement.name, lines.at(statement.at)
            is_relative = path.endswith(SCALA) and name.partition(".")[0] not in own
            places = [name, *(f"{package}.{name}" for package in packages if is_relative)]
            if statement.is_star:
                for one in places:
                    open_to.setdefault(one, line)
                    imports += self._star_imports(file, one, line, words)
            else:
                here = statement.alias or name.rpartition(".")[2]
                taken_names.add(here)
                if not words or not words.isdisjoint(name.split(".")):
                    imports += next(filter(None, (list(self._import(file, one, here, line)) for one in places)), [])
        imports += self._unnamed_imports(file, open_to, taken_names | own, words)
        return tuple(item for item in imports if item.target != path)

    def _import(self, file: _File, name: str, here: str, line: int) -> Iterator[Import]:
        """`import a.b.Outer.Inner`: the deepest name is taken, from the file of the outermost type. Unused: no name is."""
        parts = name.split(".")
        is_used = file.holds(here) or not file.path.endswith(".java")
        for at in range(len(parts) - 1, -1, -1):
            targets = self._lookup(".".join(parts[:at]), parts[at], file.path)
            for target in targets:
                if self._facades.get(target) == parts[-1] and is_used:
                    yield Import(target, WHOLE, line, (("*", here),))
                    continue
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
        wanted_words = words or frozenset(word.decode() for word in file.words)
        for word in sorted(wanted_words - taken_names):
            if not file.holds(word):
                continue
            targets = [(t, line) for package, line in open_to.items() for t in self._lookup(package, word, file.path)]
            if file.path.endswith(SCALA) and any(line for _, line in targets):
                targets = [(t, line) for t, line in targets if line]  # an import goes before a neighbour
            at = re.search(rb"(?<![\w$.])" + word.encode() + rb"(?![\w$])", file.body) if targets else None
            for target, line in targets:
                if file.path.endswith(".java") and self._is_top_level(target, word):
                    continue
                place = at or self._extension_call(target, word, file)
                if place and _visible(target, file.path):
                    number = line or file.lines.at(place.start())
                    is_facade = self._facades.get(target) == word
                    yield Import(
                        target, WHOLE if is_facade else frozenset({word}), number, (("*", word),) if is_facade else ()
                    )
        yield from self._qualified_imports(file, wanted_words)

    def _is_top_level(self, target: str, word: str) -> bool:
        """Whether a file of Kotlin has a name outside of classes alone: Java calls that by the class of the file."""
        file_names = self._told.get(target)
        if file_names is None or target not in self._facades:
            return False
        return word in file_names.members and word not in file_names.types

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
                    full_name = f"{package}.{word}"  # the bare word may mean another one
                    yield Import(target, frozenset({word}), file.lines.at(match.start()), ((word, full_name),))

    def _lookup(self, package: str, name: str, here: str) -> list[str]:
        """The files that hold a type or a top-level function: those of the nearest module, where several do."""
        if self._stems is None:
            self._stems = defaultdict(list)
            for path in sorted(self._paths):
                self._stems[_stem(path)].append(path)
        files = set(self._known.get((package, name), ()))
        folder = "/" + package.replace(".", "/")
        for path in self._stems.get(name, ()):
            if _is_stand_in(path, package):
                continue
            if path not in self._told and f"/{posixpath.dirname(path)}".endswith(folder if package else "/"):
                files.add(path)
        if len(files) <= 1:
            return list(files)
        near = max(_common(path, here) for path in files)
        modules = {path.partition("/src/")[0] for path in files if _common(path, here) == near}
        return sorted(path for path in files if path.partition("/src/")[0] in modules)


def facade_of(path: str, source: bytes) -> str:
    """The class by which Java calls what is in none; "" for a script."""
    if not path.endswith(".kt"):
        return ""
    match = FACADE.search(source)
    stem = posixpath.basename(path).partition(".")[0]
    return match[1].decode() if match else f"{stem[:1].upper()}{stem[1:]}Kt"


def _is_stand_in(path: str, package: str) -> bool:
    """Whether a file declares a class in Java's own package, for a platform that lacks it: on the others an import of it means Java's."""
    return package.startswith(("java.", "javax.")) and not path.endswith(".java")


def _stem(path: str) -> str:
    return posixpath.basename(path).partition(".")[0]


def imported_names(path: str, code: bytes) -> Iterator[ImportedName]:
    """What the imports of a file name; one of Scala may name several."""
    if not path.endswith(SCALA):
        for match in STATEMENT.finditer(code):
            name, alias = match["name"].decode("utf-8", "replace").replace("`", ""), match["alias"]
            is_star = name.endswith(".") and code[match.end() : match.end() + 1] == b"*"
            here = alias.decode().replace("`", "") if alias else ""
            yield ImportedName(name.removesuffix(".") if is_star else name, here, match.start(), is_star)
        return
    for match in SCALA_IMPORT.finditer(code):
        names = " ".join(match[1].decode("utf-8", "replace").split()).replace(" .", ".").replace(". ", ".")
        for part in SELECTION.finditer(names):
            place = part[1].replace("`", "").removeprefix("_root_.")
            selectors = (
                part[2].split(",") if part[2] is not None else [f"{part[3]} as {part[4]}" if part[4] else part[3]]
            )
            for selector in selectors:
                yield from _selected(place, selector, match.start())


def _selected(place: str, selector: str, at: int) -> Iterator[ImportedName]:
    """One selector of Scala: `Cart`, `Cart => Basket`, `_`, `given`; `Cart => _` names nothing."""
    name, *alias = RENAMED.split(selector.strip().replace("`", ""))
    if name in ("_", "*") or name.split(" ")[0] == "given":
        if place:
            yield ImportedName(place.removesuffix("."), "", at, is_star=True)
    elif name and alias != ["_"]:
        yield ImportedName(f"{place}{name}", alias[0] if alias else "", at)


def _syntax(path: str) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """How a file says what package it is in, and what it imports."""
    return (SCALA_PACKAGE, SCALA_IMPORT) if path.endswith(SCALA) else (PACKAGE, STATEMENT)


def _packages(path: str, source: bytes) -> tuple[str, ...]:
    """The packages that a file is in, the outermost first; of Scala each clause is in the one before, and an object is one, too."""
    if not path.endswith(SCALA):
        match = PACKAGE.search(source)
        return (match[1].decode("utf-8", "replace").replace("`", "") if match else "",)
    packages: list[str] = []
    for match in islice(SCALA_PACKAGE.finditer(source), MOST_CLAUSES):
        name = match["name"].decode("utf-8", "replace").replace("`", "")
        packages.append(f"{packages[-1]}.{name}" if packages else name)
    return tuple(packages) or ("",)


def _spaces(match: re.Match[bytes]) -> bytes:
    return lexical.KEPT.sub(b" ", match[0])


def _visible(target: str, here: str) -> bool:
    """Tests see everything; nothing else sees tests."""
    return bool(TESTS.search(here)) or not TESTS.search(target)


def _common(one: str, two: str) -> int:
    pairs = zip(one.split("/"), two.split("/"), strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), 99)
