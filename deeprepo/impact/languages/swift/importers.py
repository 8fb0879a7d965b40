"""Resolve Swift modules: the files of a target see each other, and `import` names a whole target.

Targets are declared in Package.swift, or are folders below `Sources` or `Tests`. Other files, such as those
of an Xcode project, count as one module, since its project file is not read. A path does not show what a file
provides, so the requested files are registered with `learn`.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from deeprepo.impact.filetypes import parsed_by
from deeprepo.impact.parsing import Lines
from deeprepo.impact.reading.lexical import KEPT, MOST_IMPORTS, config
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.values import Clues, Facts, Link

SUFFIXES = parsed_by("swift")
FOLDERS = ("Sources", "Source", "src", "srcs", "Tests")
BELOW = re.compile(rf"(?:^|(?<=/))(?:{'|'.join(FOLDERS)})/([^/]++)/")
TARGET = re.compile(rb"\.(?:target|executableTarget|testTarget|macro|plugin)\s*+\(\s*+name:\s*+\"([^\"\n]++)\"")
PATH = re.compile(rb"\bpath:\s*+\"([^\"\n]*+)\"")
# An unclosed comment or string runs to the end, so that every byte is read once.
NOISE = re.compile(
    rb"//[^\n]*+|/\*(?:.*?\*/|.*)|#\"(?:[^\"\n]|\"(?!#))*+(?:\"#)?|\"\"\"(?:.*?\"\"\"|.*)|\"(?:\\.|[^\"\\\n])*+\"?",
    re.DOTALL,
)
STATEMENT = re.compile(
    rb"^[ \t]*+(?P<marks>(?:@\w++(?:\([^)\n]*+\))?[ \t]++|(?:public|internal|private|fileprivate|package)[ \t]++)*+)import[ \t]++"
    rb"(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)[ \t]++)?(?P<module>\w++)(?:\.(?P<name>\w++))?",
    re.MULTILINE,
)
DEFINED = re.compile(rb"\b(?:func|class|struct|enum|protocol|actor|typealias|let|var)[ \t]++(\w++)")
ALIAS = re.compile(rb"\btypealias[ \t]++(\w++)[ \t]*+=[ \t]*+(?:\w++\.)?(\w++)[ \t]*+$", re.MULTILINE)
WORD = re.compile(rb"[A-Za-z_]\w*")
LINE_COMMENT = re.compile(rb"^[ \t]*+//[^\n]*+", re.MULTILINE)
PUBLIC = re.compile(r"\b(?:public|open|package)\b")
DOCUMENTATION = ".docc/"
HEAD = 4  # lines with the modifiers of a definition
WHOLE = frozenset({"*"})
Module = tuple[str, str]  # package folder and target name; ("", "") for files of no package


class _FileNames(Struct):
    """The names that a file provides now or provided before the change."""

    every: set[str] = field(default_factory=set)
    public: set[str] = field(default_factory=set)
    now: frozenset[str] = frozenset()


class SwiftModules:
    """The modules of one tree. Satisfies `ports.Project`, `ports.SharedScope`, and `ports.SelfDescribed`."""

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        self._paths = frozenset(path for path in paths if path.endswith(SUFFIXES))
        self._folders = dict(_folders(configs))
        self._exported: dict[str, set[str]] = defaultdict(set)  # module -> the modules that it re-exports
        for path, source in configs.items():
            for match in STATEMENT.finditer(_code(config(source))):
                if b"@_exported" in match["marks"]:
                    self._exported[self.module(path)[1]].add(match["module"].decode())
        self._files: dict[Module, frozenset[str]] | None = None
        self._told: dict[str, _FileNames] = {}

    def module(self, path: str) -> Module:
        """Return the module of a file. Documentation code is not built, so each file is its own module."""
        if DOCUMENTATION in path:
            return path, ""
        folder = posixpath.dirname(path)
        while folder:
            if folder in self._folders:
                return self._folders[folder]
            folder = posixpath.dirname(folder)
        below = list(BELOW.finditer(path))
        return (path[: below[-1].start()].rstrip("/"), below[-1][1]) if below else ("", "")

    def learn(self, path: str, source: bytes, outline: Facts) -> None:
        """Register the names of a file on either side."""
        names = self._told.setdefault(path, _FileNames())
        lines = source.decode("utf-8", "replace").split("\n")
        now = set()
        for symbol in outline.definitions:
            if "." not in symbol.name and not symbol.private:
                now.add(symbol.name)
                head = "\n".join(lines[symbol.start - 1 : symbol.start - 1 + HEAD]).partition(symbol.name)[0]
                if PUBLIC.search(head):
                    names.public.add(symbol.name)
        names.every |= now
        names.now = frozenset(now)

    def sees(self, path: str, other: str) -> bool:
        """Return True: imports decide which files are built together."""
        del path, other
        return True

    def mates(self, path: str) -> Collection[str]:
        """Return the other files of the module."""
        if self._files is None:
            files = defaultdict(set)
            for one in self._paths:
                files[self.module(one)].add(one)
            self._files = {module: frozenset(mine) for module, mine in files.items()}
        return self._files.get(self.module(path), frozenset()) - {path}

    def clues(self, path: str) -> Clues:
        """Return the names of a file: every file that uses it contains one of them, since imports name no file."""
        names = self._told[path].every if path in self._told else set[str]()
        words = "|".join(sorted(map(re.escape, names)))
        return Clues(frozenset(names), (rf"\b(?:{words})\b",) if words else ())

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Link, ...]:
        """Return what a file uses from registered files: from other modules by import, from its own by name."""
        code = _code(source)
        lines, own = Lines(code), self.module(path)
        statements = list(islice(STATEMENT.finditer(code), MOST_IMPORTS))
        body = STATEMENT.sub(lambda match: KEPT.sub(b" ", match[0]), code)
        first: dict[bytes, int] = {}
        for match in WORD.finditer(body):
            first.setdefault(match[0], match.start())
        used_words = {word.decode() for word in first.keys() - set(DEFINED.findall(body))}
        aliases = {match[2].decode(): (match[1].decode(), lines.at(match.start())) for match in ALIAS.finditer(body)}
        in_sight = self._in_sight(statements)
        imports: list[Link] = []
        for target, names in sorted(self._told.items()):
            module = self.module(target)
            is_own = module == own
            if target == path or target not in self._paths or not (is_own or module[1] in in_sight):
                continue
            offered_names = names.every if is_own or in_sight.get(module[1]) else names.public
            taken_names = {name for name in offered_names & used_words if not words or name in words}
            for name in sorted(taken_names):
                if name in aliases:
                    here, line = aliases[name]
                    imports.append(Link(target, frozenset({name}), line, ((name, here),)))
                if not is_own and not self._is_elsewhere(name, target, own, in_sight):
                    imports.append(Link(target, frozenset({name}), lines.at(first[name.encode()])))
                    imports += _qualified(target, name, module[1], body, lines)
        return tuple(dict.fromkeys(imports))

    def _in_sight(self, statements: Collection[re.Match[bytes]]) -> dict[str, bool]:
        """Return visible module -> whether its internal names are visible, too."""
        in_sight: dict[str, bool] = {}
        wanted_modules = [(match["module"].decode(), b"@testable" in match["marks"]) for match in statements]
        while wanted_modules:
            module, is_testable = wanted_modules.pop()
            if is_testable or module not in in_sight:
                in_sight[module] = is_testable
                wanted_modules += [
                    (other, False) for other in sorted(self._exported.get(module, ())) if other not in in_sight
                ]
        return in_sight

    def _is_elsewhere(self, name: str, target: str, own: Module, in_sight: Collection[str]) -> bool:
        """Return whether another visible changed file now has a name that the target lost."""
        if name in self._told[target].now:
            return False
        others = [one for one in self._told if one != target and name in self._told[one].now and one in self._paths]
        return any(self.module(one) == own or self.module(one)[1] in in_sight for one in others)


def _qualified(target: str, name: str, module: str, body: bytes, lines: Lines) -> Iterator[Link]:
    """Yield the first place where a name is qualified by its module."""
    if f"{module}.".encode() not in body:
        return
    place = rf"(?<![\w$.]){re.escape(module)}\.{re.escape(name)}(?![\w$])"
    if (match := re.search(place.encode(), body)) is not None:
        yield Link(target, WHOLE, lines.at(match.start()), (("*", module),))


def _code(source: bytes) -> bytes:
    """Return the code with comments and strings blanked out.

    Strings with code stay, and lines and columns stay the same.
    """
    return NOISE.sub(
        lambda match: match[0] if b"\\(" in match[0] and match[0][:1] != b"/" else KEPT.sub(b" ", match[0]), source
    )


def _folders(configs: Mapping[str, bytes]) -> Iterator[tuple[str, Module]]:
    """Yield folder and module of the targets with an explicit path in a manifest."""
    for path, source in sorted(configs.items()):
        if posixpath.basename(path) != "Package.swift":
            continue
        home = posixpath.dirname(path)
        text = LINE_COMMENT.sub(b"", config(source))
        targets = list(TARGET.finditer(text))
        for at, match in enumerate(targets):
            end = targets[at + 1].start() if at + 1 < len(targets) else len(text)
            where = PATH.search(text, match.end(), end)
            if where is not None:
                folder = posixpath.normpath(posixpath.join(home, where[1].decode("utf-8", "replace")))
                yield folder, (home, match[1].decode("utf-8", "replace"))


project = SwiftModules
