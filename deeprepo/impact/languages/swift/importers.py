"""Resolve Swift modules: the files of a target see each other, and `import` names a whole target.

Targets are declared in Package.swift, or are folders below `Sources` or `Tests`. Other files, such as those
of an Xcode project, count as one module, since its project file is not read. A path does not show what a file
provides, so the requested files are registered with `learn`.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from itertools import islice

from tree_sitter import Node

from deeprepo.impact.filetypes import parsed_by
from deeprepo.impact.reading import reader, spots
from deeprepo.impact.reading.lexical import MOST_IMPORTS, config
from deeprepo.impact.reading.nodes import ancestors, first_line, text
from deeprepo.impact.reading.unreadable import Unreadable
from deeprepo.impact.structs import Struct, field
from deeprepo.impact.values import Clues, Facts, Link

SUFFIXES = parsed_by("swift")
FOLDERS = ("Sources", "Source", "src", "srcs", "Tests")
BELOW = re.compile(rf"(?:^|(?<=/))(?:{'|'.join(FOLDERS)})/([^/]++)/")
TARGET = re.compile(rb"\.(?:target|executableTarget|testTarget|macro|plugin)\s*+\(\s*+name:\s*+\"([^\"\n]++)\"")
PATH = re.compile(rb"\bpath:\s*+\"([^\"\n]*+)\"")
TESTABLE, EXPORTED = "testable", "_exported"
NAMES = ("simple_identifier", "type_identifier")
DECLARES = re.compile(r"(?:function|class|protocol|typealias)_declaration|pattern")
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
            with suppress(Unreadable):  # then its re-exports are unknown
                for module, marks in _File(path, config(source)).imports if path.endswith(SUFFIXES) else ():
                    if EXPORTED in marks:
                        self._exported[self.module(path)[1]].add(module)
        self._files: dict[Module, frozenset[str]] | None = None
        self._registered: dict[str, _FileNames] = {}

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
        names = self._registered.setdefault(path, _FileNames())
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
        return True

    def visible_files(self, path: str) -> Collection[str]:
        """Return the other files of the module."""
        if self._files is None:
            files = defaultdict(set)
            for one in self._paths:
                files[self.module(one)].add(one)
            self._files = {module: frozenset(mine) for module, mine in files.items()}
        return self._files.get(self.module(path), frozenset()) - {path}

    def clues(self, path: str) -> Clues:
        """Return the names of a file: every file that uses it contains one of them, since imports name no file."""
        names = self._registered[path].every if path in self._registered else set[str]()
        words = "|".join(sorted(map(re.escape, names)))
        return Clues(frozenset(names), (rf"\b(?:{words})\b",) if words else ())

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Link, ...]:
        """Return what a file uses from registered files: from other modules by import, from its own by name."""
        names_of_files = {
            name for names in self._registered.values() for name in names.every if not words or name in words
        }
        if not any(name.encode() in source for name in names_of_files):
            return ()
        file, own = _File(path, source), self.module(path)
        first, aliases = file.first_lines(names_of_files), file.aliases
        in_sight = self._in_sight(file.imports)
        imports: list[Link] = []
        for target, names in sorted(self._registered.items()):
            module = self.module(target)
            is_own = module == own
            if target == path or target not in self._paths or not (is_own or module[1] in in_sight):
                continue
            offered_names = names.every if is_own or in_sight.get(module[1]) else names.public
            for name in sorted(offered_names & first.keys()):
                if name in aliases:
                    here, line = aliases[name]
                    imports.append(Link(target, frozenset({name}), line, ((name, here),)))
                if not is_own and not self._is_elsewhere(name, target, own, in_sight):
                    imports.append(Link(target, frozenset({name}), first[name]))
                    line = file.line_of_qualified(module[1], name)
                    imports += [Link(target, WHOLE, line, (("*", module[1]),))] if line else []
        return tuple(dict.fromkeys(imports))

    def _in_sight(self, imports: Collection[tuple[str, str]]) -> dict[str, bool]:
        """Return visible module -> whether its internal names are visible, too."""
        in_sight: dict[str, bool] = {}
        wanted_modules = [(module, TESTABLE in marks) for module, marks in imports]
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
        if name in self._registered[target].now:
            return False
        others = [
            one
            for one in self._registered
            if one != target and name in self._registered[one].now and one in self._paths
        ]
        return any(self.module(one) == own or self.module(one)[1] in in_sight for one in others)


class _File:
    """The imports of a file, and the names in its code."""

    def __init__(self, path: str, source: bytes) -> None:
        self._source = source
        self._root, self._rows = reader.names(path, source)

    @property
    def imports(self) -> list[tuple[str, str]]:
        """The imported modules, each with its attributes."""
        rows = list(islice(self._rows.of("import"), MOST_IMPORTS))
        return [(text(found["module"][0]), text(node).partition("import ")[0]) for node, found in rows]

    @property
    def aliases(self) -> dict[str, tuple[str, int]]:
        """Type -> another name for it, and the line that gives it."""
        rows = self._rows.of("alias")
        return {text(found["there"][0]): (text(found["here"][0]), first_line(node)) for node, found in rows}

    def first_lines(self, names: Collection[str]) -> dict[str, int]:
        """Return the first line in code of each name that the file does not declare."""
        first: dict[str, int] = {}
        declared = set[str]()
        for match in spots.any_of(frozenset(names)).finditer(self._source) if names else ():
            name = match[0].decode("utf-8", "replace")
            node = self._name_at(match.start(), match.end()) if name not in declared else None
            above = node.parent if node is not None else None
            if node is None or above is None:
                continue
            if DECLARES.fullmatch(above.type) and _declares(above, node):
                declared.add(name)
            first.setdefault(name, first_line(node))
        return {name: line for name, line in first.items() if name not in declared}

    def line_of_qualified(self, module: str, name: str) -> int:
        """Return the line of the first place where a name is qualified by its module, or 0."""
        place = re.compile(rf"(?<![\w$.]){re.escape(module)}\.{re.escape(name)}(?![\w$])".encode())
        for match in place.finditer(self._source):
            node = self._name_at(match.end() - len(name.encode()), match.end())
            if node is not None:
                return first_line(node)
        return 0

    def _name_at(self, start: int, end: int) -> Node | None:
        """Return the identifier at a position, outside import statements; None in a comment or string."""
        node = self._root.descendant_for_byte_range(start, end)
        is_name = node is not None and node.type in NAMES and (node.start_byte, node.end_byte) == (start, end)
        if node is None or not is_name:
            return None
        return None if any(one.type == "import_declaration" for one in islice(ancestors(node), 3)) else node


def _declares(above: Node, node: Node) -> bool:
    return node in (above.child_by_field_name("name"), above.child_by_field_name("bound_identifier"))


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
