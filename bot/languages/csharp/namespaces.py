"""The namespaces of C#: a name is found in the file's own namespaces, in those it uses, and in those that the project uses.

Paths say nothing: the files that are asked about tell what they hold (`learn`), and the others are searched for its names.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from bot.languages import lexical
from bot.values import Clues, Import, Outline
from impact.parsing import Lines

NAMESPACE = re.compile(rb"^[ \t]*namespace\s+([\w.]+)", re.MULTILINE)
USING = re.compile(
    rb"(?:^|(?<=[{;]))[ \t]*(?:global\s+)?using\s+(?P<static>static\s+)?(?:(?P<alias>\w+)\s*=\s*)?(?:global::)?(?P<name>[\w.]+)(?:<[^;\n]*>)?\s*;",
    re.MULTILINE,
)
GLOBAL = re.compile(
    rb"^[ \t]*+global\s++using\s++(?:static\s++)?([\w.]++)\s*+;|<Using\s++Include=\"([\w.]++)\"", re.MULTILINE
)
GLOBAL_STATIC = re.compile(rb"^[ \t]*+global\s++using\s++static\s++(?:global::)?([\w.]++)\s*+;", re.MULTILINE)
WORD = re.compile(rb"[A-Za-z_]\w*")
EXTENSION = re.compile(rb"\b(\w++)\s*+(?:<[^<>()]{0,80}+>)?\s*+\(\s*+(?:\[[^\]]{0,80}+\]\s*+)?this\s")
CHAIN = re.compile(rb"(?:[\w)\]>?!]+\s*\.\s*)+$")  # what stands before a dot
OPENING, CLOSED = re.compile(rb"[\[(<{};]"), re.compile(rb"\([^()]*+\)")
MAX_CHAIN = 120
MAX_PLACES = 300  # of one name in a file
WHOLE = frozenset({"*"})


@dataclass(slots=True)
class _FileNames:
    """What a file says about itself."""

    spaces: set[str]
    types: set[str]
    extensions: set[str]

    @property
    def names(self) -> set[str]:
        """What users of the file write."""
        short = {name.removesuffix("Attribute") for name in self.types} - {""}
        return self.types | self.extensions | short


@dataclass(frozen=True, slots=True)
class _File:
    """A file that uses others: its code without comments, strings, usings."""

    path: str
    spaces: Mapping[str, int]  # namespace in sight -> line of its `using`, 0 for the file's own
    aliases: Mapping[str, tuple[str, int]]
    body: bytes
    words: frozenset[bytes]
    lines: Lines


class Namespaces:
    """The namespaces of one tree. Satisfies `ports.Project`, `ports.SharedScope` and `ports.SelfDescribed`."""

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        self._paths = paths
        self._told: dict[str, _FileNames] = {}
        self._known: dict[tuple[str, str], set[str]] = defaultdict(set)  # (namespace, name) -> files
        self._names: dict[str, set[str]] = defaultdict(set)  # name -> namespaces
        self._global_static = {
            name.decode() for source in configs.values() for name in GLOBAL_STATIC.findall(lexical.config(source))
        }
        self._global = {
            (first or second).decode()
            for source in configs.values()
            for first, second in GLOBAL.findall(lexical.config(source))
        }

    def learn(self, path: str, source: bytes, outline: Outline) -> None:
        """Note what a file holds or held."""
        file_names = self._told.setdefault(path, _FileNames(set(), set(), set()))
        file_names.spaces |= {name.decode() for name in NAMESPACE.findall(lexical.blank(source))} or {""}
        file_names.types |= {item.name for item in outline.symbols if "." not in item.name}
        file_names.extensions |= {name.decode() for name in EXTENSION.findall(source)}
        static = {
            name for space in file_names.spaces for name in file_names.types if f"{space}.{name}" in self._global_static
        }
        static_members = {name for name, local in outline.exports if local.rpartition(".")[0] in static}
        file_names.extensions |= static_members
        for name in static_members:  # without its class, and in every namespace
            self._names[name].add("")
            self._known["", name].add(path)
        for space in file_names.spaces:
            for name in file_names.names:
                self._names[name].add(space)
                if path in self._paths:
                    self._known[space, name].add(path)

    def mates(self, path: str) -> Collection[str]:
        """The changed files of the same namespace: parts of one class, and what moved from one to the other."""
        own = self._told.get(path)
        if own is None:
            return ()
        return [
            other
            for other, file_names in sorted(self._told.items())
            if other != path and other in self._paths and file_names.spaces & own.spaces
        ]

    def clues(self, path: str) -> Clues:
        """A file that uses another writes one of its names."""
        file_names = self._told.get(path)
        names = sorted(file_names.names) if file_names else []
        words = "|".join(re.escape(name) for name in names)
        return Clues(frozenset(names), (rf"\b(?:{words})\b",) if words else ())

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Import, ...]:
        """What a file takes from the files that were noted."""
        code = lexical.blank(source)
        lines = Lines(code)
        file = self._read(path, code, lines)
        imports = list(self._static(code, lines))
        wanted_words = words or frozenset(self._names)
        for word in sorted(wanted_words & self._names.keys()):
            if word.encode() in file.words or word in file.aliases:
                imports += self._meanings(file, word)
        for alias, (name, line) in file.aliases.items():
            space, _, last = name.rpartition(".")
            targets = sorted(self._known.get((space, last), ()))
            imports += [Import(target, frozenset({last}), line, ((last, alias),)) for target in targets]
        return tuple(item for item in imports if item.target != path)

    def _read(self, path: str, code: bytes, lines: Lines) -> _File:
        own = [name.decode() for name in NAMESPACE.findall(code)]
        around = [space[:at] for space in own for at in range(1, len(space)) if space[at] == "."] + own
        spaces = dict.fromkeys([*around, "", *self._global], 0)
        aliases = {}
        for match in USING.finditer(code):
            name, line = match["name"].decode(), lines.at(match.start("name"))
            if match["alias"]:
                aliases[match["alias"].decode()] = name, line
            elif not match["static"]:
                for space in (name, *(f"{outer}.{name}" for outer in around)):
                    spaces.setdefault(space, line)
        body = code
        for pattern in (USING, NAMESPACE):  # what they name is no use of a type
            body = pattern.sub(lambda match: lexical.KEPT.sub(b" ", match[0]), body)
        return _File(path, spaces, aliases, body, frozenset(WORD.findall(body)), lines)

    def _static(self, code: bytes, lines: Lines) -> Iterator[Import]:
        for match in USING.finditer(code):
            if match["static"]:
                space, _, name = match["name"].decode().rpartition(".")
                for target in sorted(self._known.get((space, name), ())):
                    yield Import(target, WHOLE, lines.at(match.start("name")))

    def _meanings(self, file: _File, word: str) -> list[Import]:
        """The files that a name means: its namespace is in sight, or written before it."""
        places = re.finditer(rb"(?<![\w$])" + word.encode() + rb"(?![\w$])", file.body)
        for match in islice(places, MAX_PLACES):
            ahead = file.body[max(0, match.start() - MAX_CHAIN) : match.start()].rstrip()
            chain = CHAIN.search(ahead) if ahead.endswith(b".") else None
            before = re.sub(rb"\s", b"", chain[0])[:-1].decode("utf-8", "replace") if chain else ""
            line = file.lines.at(match.start())
            imports = [
                self._import(target, word, (not before and file.spaces.get(space, 0)) or line)
                for space in sorted(self._names[word])
                for target in sorted(self._known.get((space, word), ()))
                if self._in_sight(file, space, before, is_call=word in self._told[target].extensions)
            ]
            taken_imports = [item for item in imports if not item.aliases or _is_attribute(file.body, match)]
            if taken_imports:
                return taken_imports
        return []

    def _import(self, target: str, word: str, line: int) -> Import:
        """An attribute is written without its last word."""
        file_names = self._told[target]
        name = word if word in file_names.types | file_names.extensions else f"{word}Attribute"
        return Import(target, frozenset({name}), line, ((name, word),) if name != word else ())

    def _in_sight(self, file: _File, space: str, before: str, *, is_call: bool) -> bool:
        if not before or (is_call and space in file.spaces):
            return space in file.spaces
        return before == space or (space.endswith(f".{before}") and space[: -len(before) - 1] in file.spaces)


def _is_attribute(body: bytes, name: re.Match[bytes]) -> bool:
    """Whether a name stands where an attribute does, the only place in which its last word may be left away."""
    ahead = CLOSED.sub(b"", body[max(0, name.start() - MAX_CHAIN) : name.start()])
    openings = OPENING.findall(ahead)
    return (
        bool(openings)
        and openings[-1] == b"["
        and body[name.end() : name.end() + MAX_CHAIN].lstrip()[:1] in (b"(", b"]", b",")
    )
