"""The namespaces of a tree as `impact` resolves them, for the search of who uses a file: neighbours need no import."""

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from typing import TypeVar

from tree_sitter import Node

from impact import reader
from impact.importers import WHOLE, KnownModules
from impact.language import Language, language_of
from impact.lexical import mention
from impact.namespaces import Namespaces
from impact.nodes import Spans, first_line, is_declared
from impact.spots import any_of
from impact.values import Clues, Facts, Import, Link

WORD = re.compile(rb"(?<![\w$])[^\W\d][\w$]*+")
CHAIN = re.compile(rb"(?:[\w$]++\s*+\.)++\Z")  # what stands before a name, up to its dot
MAX_CHAIN = 120
MOST_PLACES = 20_000  # of names in one file

Resolver = TypeVar("Resolver", bound=Namespaces)


class KnownNamespaces(KnownModules[Resolver]):
    """The namespaces of one tree. Satisfies `ports.Project`, `ports.SharedScope` and `ports.SelfDescribed`."""

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        super().__init__(paths, configs)
        self._names: dict[str, frozenset[str]] = {}  # a file that was told of -> the names that others can use

    def learn(self, path: str, source: bytes, outline: Facts) -> None:
        """Note what a changed file holds, or held."""
        del outline
        language = language_of(path)
        facts = reader.facts(language, source) if language is not None else None
        if facts is not None:
            self.modules.tell(path, facts)
            self._names[path] = self._names.get(path, frozenset()).union(*self.modules.names(path, facts))

    def mates(self, path: str) -> Collection[str]:
        """The changed files of the same namespace: what left one may have come to another."""
        spaces = self.modules.spaces_of.get(path, ())
        others = sorted(self._names.keys() & self.paths - {path})
        return [other for other in others if not self.modules.spaces_of[other].isdisjoint(spaces)]

    def sees(self, path: str, other: str) -> bool:
        """Whether a file is built with another one."""
        return self.modules.sees(path, other)

    def clues(self, path: str) -> Clues:
        """A file that uses another writes one of its names."""
        names = self._names.get(path, frozenset({posixpath.basename(path).partition(".")[0]}))
        language = language_of(path)
        for ending in language.endings.values() if language is not None else ():
            names = names.union(name.removesuffix(ending) for name in names if name != ending)
        words = "|".join(sorted(re.escape(name) for name in names))
        return Clues(names, (rf"\b(?:{words})\b",) if words else ())

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Link, ...]:
        """What a file takes from others: by its statements, and without one from the namespaces that it sees."""
        language = language_of(path)
        if language is None or not mention(words).search(source):
            return ()
        root = reader.parse(language, source)
        found = _File(self.modules, language, path, source, root).imports(words) if root is not None else ()
        return tuple(item for item in dict.fromkeys(found) if item.target != path)


class _File:
    """A file that uses others."""

    def __init__(self, modules: Namespaces, language: Language, path: str, source: bytes, root: Node) -> None:
        self._modules, self._language, self._path, self._source, self._root = modules, language, path, source, root
        head = reader.Reader(language, root, needs_definitions=False)
        self._items = head.imports(Spans(()))
        self._own_spaces = modules.in_sight(path, head.spaces())
        self._spaces = dict.fromkeys(self._own_spaces, 0)  # whose names the file sees -> line of the import, 0 for none
        self._taken = {bound.here for item in self._items for bound in item.names}
        self._meanings: dict[tuple[str, str], list[tuple[str, int, str]]] = {}
        nodes = [one for one, _ in head.found["imports"].of("import", "import.member", "called")]
        self._statements = Spans([(one.start_byte, one.end_byte, "") for one in nodes])

    def imports(self, words: frozenset[str]) -> Iterator[Link]:
        """`words`: what is asked for; none for all that the file names."""
        for item in self._items:
            for space in self._places(item.spec) if item.star else ():
                self._spaces.setdefault(space, item.line)
            if not words or not words.isdisjoint([*item.spec.split("."), *(bound.there for bound in item.names)]):
                yield from self._of_statement(item)
        yield from self._unwritten(words)

    def _places(self, spec: str) -> Iterator[str]:
        """What the name of a namespace may mean."""
        yield spec
        if self._language.relative:
            yield from (f"{space}.{spec}" for space in self._own_spaces if space)

    def _of_statement(self, item: Import) -> Iterator[Link]:
        """What a statement takes: all of a type, or names of a namespace or of a type in it."""
        for bound in item.names:
            for target in self._files(f"{item.spec}.{bound.there}".lstrip("."), self._holding):
                is_whole = self._modules.is_whole(target, bound.there)
                yield _import(target, bound.there, bound.here, item.line, is_whole=is_whole)
        if item.star:
            yield from (Link(one, WHOLE, item.line) for one in self._files(item.spec, self._called))

    def _files(self, name: str, find: Callable[[str], Collection[str]]) -> Collection[str]:
        """The files of a whole name, if need be of one that begins in a namespace of the file."""
        for place in self._places(name):
            if found := find(place):
                return () if place != name and self._is_own(name.partition(".")[0]) else sorted(found)
        return ()

    def _called(self, whole: str) -> Collection[str]:
        space, _, name = whole.rpartition(".")
        return self._modules.holding(self._path, space, name)

    def _holding(self, whole: str) -> Collection[str]:
        """The files of a name, or of the type that holds it."""
        return self._called(whole) or (self._holding(whole.rpartition(".")[0]) if "." in whole else ())

    def _unwritten(self, words: frozenset[str]) -> Iterator[Link]:
        """The names that no statement brings: of the namespaces in sight, or written with their namespace."""
        endings = {"": "", **self._language.endings}
        found: set[tuple[str, str, str]] = set()
        for match in islice((any_of(words) if words else WORD).finditer(self._source), MOST_PLACES):
            word, before = match[0].decode("utf-8", "replace"), self._before(match.start())
            for parent, ending in endings.items():
                new = [
                    one for one in self._meaning(word + ending, before) if (one[0], word + ending, one[2]) not in found
                ]
                node = self._name_at(match) if new else None
                if node is None or (parent and parent not in _around(node)):
                    continue
                for target, line, here in new:
                    found.add((target, word + ending, here))
                    is_whole = self._modules.is_whole(target, word)
                    yield _import(target, word + ending, here or word, line or first_line(node), is_whole=is_whole)

    def _before(self, at: int) -> str:
        """The names before the dot in front of a name, "?" for anything else; "" if there is no dot."""
        if self._source[at - 1 : at] != b".":
            return ""
        chain = CHAIN.search(self._source[max(0, at - MAX_CHAIN) : at])
        return re.sub(rb"\s", b"", chain[0])[:-1].decode("utf-8", "replace") if chain else "?"

    def _meaning(self, name: str, before: str) -> list[tuple[str, int, str]]:
        """What a name means: files, the line of the import that makes it so, and how the name is written if that is longer."""
        if (name, before) not in self._meanings:
            found = [*self._qualified(name, before)]
            if not found and name not in self._taken:
                found = [*self._bare(name, before)]
                found = found if found and not self._is_own(name) else []
            self._meanings[name, before] = found
        return self._meanings[name, before]

    def _qualified(self, name: str, before: str) -> Iterator[tuple[str, int, str]]:
        """A name that is written with its namespace. Below one in sight it needs a capital: else that is a variable."""
        for space in self._places(before) if before[:1].isupper() else [before] if before else ():
            for target in sorted(self._modules.holding(self._path, space, name)):
                yield target, 0, f"{before}.{name}"

    def _bare(self, name: str, before: str) -> Iterator[tuple[str, int, str]]:
        """A name of a namespace in sight; behind a dot one that a value of another type may have."""
        for space, line in self._spaces.items() if self._modules.is_known(name) else ():
            for target in sorted(self._modules.holding(self._path, space, name)):
                if not before or (target, name) in self._modules.members:
                    yield target, 0 if before else line, ""

    def _is_own(self, name: str) -> bool:
        """Whether the file gives a name a meaning itself."""
        nodes = map(self._name_at, any_of(frozenset({name})).finditer(self._source))
        return any(
            node is not None and is_declared(node, free_functions=self._language.free_functions) for node in nodes
        )

    def _name_at(self, match: re.Match[bytes]) -> Node | None:
        """The node of a name in code; None for a word of a comment, a text or a statement."""
        node = self._root.descendant_for_byte_range(*match.span())
        if (
            node is None
            or node.type not in self._language.identifiers
            or (node.start_byte, node.end_byte) != match.span()
        ):
            return None
        return None if any(self._statements.around(*match.span(), inclusive=True)) else node


def _around(node: Node) -> tuple[str, ...]:
    """The node types of its parent and grandparent, which show whether a name is part of a path."""
    above = node.parent
    return (above.type, above.parent.type if above.parent is not None else "") if above is not None else ()


def _import(target: str, name: str, here: str, line: int, *, is_whole: bool) -> Link:
    if is_whole:
        return Link(target, WHOLE, line, (("*", here),))
    return Link(target, frozenset({name}), line, ((name, here),) if here not in (name, "") else ())
