"""Resolve the imports and namespaces of a tree for the search for dependents."""

import posixpath
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, islice, product

from tree_sitter import Node

from deeprepo.impact.language import Language, language_of
from deeprepo.impact.paths import Paths
from deeprepo.impact.reading import reader
from deeprepo.impact.reading import statements as written
from deeprepo.impact.reading.lexical import any_word
from deeprepo.impact.reading.nodes import Spans, first_line, is_declared
from deeprepo.impact.reading.spots import any_of
from deeprepo.impact.reading.statements import Statements
from deeprepo.impact.resolver import Resolver
from deeprepo.impact.resolving.namespaces import Namespaces
from deeprepo.impact.structs import replace
from deeprepo.impact.values import Clues, Import, Link

EVERY_NAME = frozenset({"*"})
# a relative import of the folder itself, without a module name
FOLDER = re.compile(rb"""["'`]\.[./]*["'`]|\bfrom\s+\.+\s+import""")
WORD = re.compile(rb"(?<![\w$])[^\W\d][\w$]*+")
CHAIN = re.compile(rb"(?<![\w$.])(?:[\w$]++\s*+\.)++\Z")  # the qualifier before a name, up to its dot
# the same with other separators, of which one may come first
ROOTED = re.compile(rb"(?<![\w$])(?:\\|::)?+(?:\w++(?:\\|::))*+\Z")
INNER = re.compile(rb"(?:::[A-Z]\w*+)*+")  # what follows the name of a type
APART = (b".", b">", b":", b"$", b"@")  # what is before a member or variable, with other separators than a dot
MAX_CHAIN = 120
MAX_KEYWORD = 20
MOST_PLACES = 20_000  # occurrences of names in one file
KEPT = 4_096  # files whose import statements are cached, because a search repeats with other words


class _Statements:
    """The import statements of one text, with a cache of the links that were resolved."""

    def __init__(self, rows: tuple[Import, ...]) -> None:
        self.rows, self.links = rows, dict[int, tuple[Link, ...]]()
        said = [
            "\0".join((one.spec, *(bound.there for bound in one.names))) if one.spec.strip("./") else "" for one in rows
        ]
        self._nameless = [at for at, words in enumerate(said) if rows[at].spec and not words]
        self._named = [at for at, words in enumerate(said) if words]
        texts = [said[at].encode() for at in self._named]
        self._text, self._starts = b"\n".join(texts), [*accumulate((len(text) + 1 for text in texts), initial=0)]

    def that_mention(self, mentions: re.Pattern[bytes]) -> list[int]:
        """Return the statements that contain one of the words, or that import the folder itself."""
        found, at = [*self._nameless], 0
        while at < len(self._text) and (match := mentions.search(self._text, at)) is not None:
            number = bisect_right(self._starts, match.start())
            found.append(self._named[number - 1])
            at = self._starts[number]
        return sorted(found)


class Project:
    """Resolves the imports of a language on one side of the change."""

    declares_content: bool = False  # files declare what they contain, independent of their paths

    def __init__(self, resolver: type[Resolver], paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        self.paths = paths if isinstance(paths, frozenset) else frozenset(paths)
        self.modules = resolver(Paths(dict.fromkeys(self.paths, True)), configs)
        self._resolved: dict[str, _Statements] = {}  # path -> the statements of its last text

    def register(self, path: str, source: bytes) -> None:
        """Register the content of a changed file, on either side, before any other request.

        Nothing is needed if imports lead to paths.
        """

    def visible_files(self, path: str) -> Collection[str]:
        """Return the other files whose names a file sees without an import; the file itself need not exist."""
        return set(self.modules.visible_files(path)) - {path}

    def sees(self, path: str, other: str) -> bool:
        """Return whether a file is built with another one, without a project boundary between them."""
        return True

    def clues(self, path: str) -> Clues:
        """Return what a file that imports `path` must contain."""
        return self.modules.clues(path)

    def links(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Link, ...]:
        """Return a file's imports that resolve to the tree.

        With `words`, only statements that contain one of them are resolved.
        """
        mentions, language = any_word(words if not self.modules.imports_unnamed else frozenset()), language_of(path)
        if language is None or (not mentions.search(source) and not FOLDER.search(source)):
            return ()
        rows = statements(language, source)
        known = self._resolved.get(path)
        if known is None or known.rows is not rows:
            known = self._resolved[path] = _Statements(rows)
        found = known.that_mention(mentions)
        for at in found:
            if at not in known.links:
                known.links[at] = tuple(self.modules.links(path, rows[at], source))
        links = (item for at in found for item in known.links[at])
        return _of_others(path, links if not language.texts("paths") else _first(links))

    def statements(self, path: str, source: bytes) -> tuple[Link, ...]:
        """Return the imports that a file writes as statements. Each wildcard import is one of them."""
        return self.links(path, source)


@lru_cache(maxsize=KEPT)
def statements(language: Language, code: bytes) -> tuple[Import, ...]:
    """Return the import statements of a file, as written, and the paths in its code. Raises `Unreadable`."""
    rows = written.imports(language, code)
    return (*rows, *written.written_paths(language, code)) if language.texts("paths") else rows


class NamespaceProject(Project):
    """Resolves the imports and namespaces of a language whose files declare their namespaces."""

    modules: Namespaces

    def __init__(self, resolver: type[Namespaces], paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        super().__init__(resolver, paths, configs)
        self.declares_content = self.modules.declares_content
        self._names: dict[str, frozenset[str]] = {}  # registered file -> the names that others can use

    def register(self, path: str, source: bytes) -> None:
        """Register the content of a changed file, on either side."""
        language = language_of(path)
        facts = reader.facts(language, source) if language is not None else None
        if language is not None and facts is not None:
            if language.texts("names") and written.may_name(language, source, "inside"):
                facts = replace(facts, spaces=written.naming(language, source).spaces())
            self.modules.register(path, facts)
            shown = self.modules.names_unread(path) if not self.declares_content else ()
            self._names[path] = self._names.get(path, frozenset()).union(shown, *self.modules.names(path, facts))

    def visible_files(self, path: str) -> Collection[str]:
        """Return the files that share a namespace with this one."""
        return self.modules.mates(path, sorted(one for one in self._names if one in self.paths and one != path))

    def sees(self, path: str, other: str) -> bool:
        """Return whether a file is built together with another one."""
        return self.modules.sees(path, other)

    def clues(self, path: str) -> Clues:
        """Return the names of a file: every file that uses it contains one of them."""
        names = self._names.get(path, frozenset(self.modules.names_unread(path)))
        return self.modules.clues(path, names)

    def links(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Link, ...]:
        """Return what a file uses from others, by import or through its namespaces."""
        language = language_of(path)
        return _of_others(path, _File(self.modules, language, path, source).links(words)) if language else ()

    def statements(self, path: str, source: bytes) -> tuple[Link, ...]:
        """Return what a file imports in statements."""
        language = language_of(path)
        return _of_others(path, _File(self.modules, language, path, source).statements()) if language else ()


def _first(links: Iterable[Link]) -> list[Link]:
    """Return the first of each import that code repeats, ordered by line."""
    found: dict[object, Link] = {}
    for one in links:
        found.setdefault((one.target, one.names, one.aliases), one)
    return sorted(found.values(), key=lambda one: one.line)


def _of_others(path: str, links: Iterable[Link]) -> tuple[Link, ...]:
    """Return imports once each, without those of the file itself."""
    return tuple(item for item in dict.fromkeys(links) if item.target != path)


class _File:
    """A file that may use others. It is parsed only if its text shows that it may."""

    def __init__(self, modules: Namespaces, language: Language, path: str, source: bytes) -> None:
        self._modules, self._language, self._path, self._source = modules, language, path, source
        self._separator = language.scope.separator
        self._meanings: dict[tuple[str, str], list[tuple[str, int, str]]] = {}

    @cached_property
    def _head(self) -> Statements:
        return written.naming(self._language, self._source)

    @cached_property
    def _written(self) -> tuple[tuple[Import, ...], tuple[str, ...]]:
        """The import statements of the file, and the namespaces that it declares."""
        if not written.may_name(self._language, self._source, "import", "inside"):
            return (), ()
        return self._head.imports(self._head.rows), self._head.spaces()

    @cached_property
    def _spaces(self) -> dict[str, int]:
        """Visible namespace -> line of its import, or 0."""
        return dict.fromkeys(self._modules.in_sight(self._path, self._written[1]), 0)

    @cached_property
    def _around(self) -> Collection[str]:
        """The namespaces to which qualified names may be relative."""
        return self._modules.around(self._path, self._written[1])

    @cached_property
    def _aliases(self) -> Mapping[str, str]:
        """Local name -> full name."""
        found = {item.whole: item.spec for item in self._written[0] if item.whole}
        for item in self._written[0]:
            found |= {self._last(bound.here): self._below(item.spec, bound.there) for bound in item.names}
        return found

    @cached_property
    def _statements(self) -> Spans:
        return Spans.of(node for node, _ in self._head.rows.of("import", "import.member", "called"))

    def _below(self, space: str, name: str) -> str:
        return f"{space}{self._separator}{name}" if space else name

    def _last(self, name: str) -> str:
        return name.rpartition(self._separator)[2]

    def links(self, words: frozenset[str]) -> Iterator[Link]:
        """Yield the imports of the file. `words` limits the names; an empty set stands for all names."""
        places = [*islice((any_of(words) if words else WORD).finditer(self._source), MOST_PLACES)]
        if places:
            yield from self.statements(words)
            yield from self._unwritten(places)

    def statements(self, words: frozenset[str] = frozenset()) -> Iterator[Link]:
        """Yield the imports in statements."""
        for item in self._written[0]:
            for space in self._modules.opened(item) if item.star else ():
                line = item.line if not self._modules.has_broad_imports else 0
                self._spaces = {**dict.fromkeys(self._places(space), line), **self._spaces}
            if not words or not words.isdisjoint(self._words(item)):
                yield from self._of_statement(item)

    def _words(self, item: Import) -> Iterator[str]:
        for name in (item.spec, *(bound.there for bound in item.names)):
            yield from name.lstrip(":").split(self._separator)
        if item.star or "/" in item.spec:  # it may load a file
            yield from (posixpath.basename(item.spec), posixpath.basename(item.spec).partition(".")[0])

    def _places(self, spec: str) -> Iterator[str]:
        """Yield the full names that a namespace's name may stand for."""
        first, separator, rest = spec.partition(self._separator)
        if first in self._aliases:
            yield f"{self._aliases[first]}{separator}{rest}"
        yield spec
        if self._language.scope.relative_namespaces:
            yield from (self._below(space, spec) for space in self._around if space)

    def _of_statement(self, item: Import) -> Iterator[Link]:
        """Yield the imports of a statement: a whole type, or names from a namespace or type."""
        spaces = [item.spec] if item.spec else ["", *self._spaces]
        for bound, space in product(item.names, spaces):
            there, here = self._last(bound.there), self._last(bound.here)
            for target in self._files(self._below(space, bound.there), self._holding):
                is_whole = self._modules.is_whole(target, there)
                yield _import(target, there, here, item.line, is_whole=is_whole)
        names = frozenset(bound.there.lstrip(":") for bound in item.names) or EVERY_NAME
        loaded = self._modules.loaded(self._path, item)
        yield from (Link(one, names, item.line, (), item.star and item.hands_on) for one in loaded)
        is_whole_import = item.whole or (item.star and self._modules.opened(item))
        for target in self._files(item.spec, self._called) if is_whole_import else ():
            is_whole = item.star or self._modules.is_whole(target, self._last(item.spec))
            yield _import(target, self._last(item.spec), item.whole, item.line, is_whole=is_whole)

    def _files(self, name: str, find: Callable[[str], Collection[str]]) -> Collection[str]:
        """Return the files of a qualified name, which may be relative to a namespace of the file."""
        for place in self._places(name):
            if found := find(place):
                return () if place != name and self._is_own(name.partition(self._separator)[0]) else sorted(found)
        return ()

    def _called(self, whole: str) -> Collection[str]:
        space, _, name = whole.rpartition(self._separator)
        return self._modules.holding(self._path, space, name)

    def _holding(self, whole: str) -> Collection[str]:
        """Return the files of a name, or of the type that contains it."""
        above = whole.rpartition(self._separator)[0] if self._modules.has_nested_imports else ""
        return self._called(whole) or (self._holding(above) if above else ())

    def _unwritten(self, places: Sequence[re.Match[bytes]]) -> Iterator[Link]:
        """Yield names used without an import: from visible namespaces, or qualified."""
        known: dict[str, bool] = {}
        found: set[tuple[str, str, str]] = set()
        for match in places:
            word = match[0].decode("utf-8", "replace")
            if word not in known:
                known[word] = self._modules.is_known(word)
            if not known[word]:
                continue
            before = self._before(match.start())
            inner, start = self._inner(match.end()), match.start() - len(before)
            is_definition = self._modules.is_definition(self._source[max(0, start - MAX_KEYWORD) : start])
            if is_definition or self._is_prefix(before + word, inner):
                continue
            new = [row for row in self._meaning(word, before) if (row[0], word, row[2] + inner) not in found]
            node = self._name_at(*match.span()) if new else None
            if node is None:
                continue
            for target, line, here in new:
                found.add((target, word, here + inner))
                at = line or first_line(node)
                if self._modules.spells_spaces:
                    is_whole = self._modules.is_whole(target, word)
                    yield _import(target, word, here or word, at, is_whole=is_whole)
                else:
                    yield Link(target, frozenset({word, *inner.split(self._separator)[1:]}), at)

    def _inner(self, at: int) -> str:
        """Return what a qualified name takes from the type before a position: `::LIMIT` in `Tax::LIMIT`."""
        inner = INNER.match(self._source, at, at + MAX_CHAIN) if not self._modules.spells_spaces else None
        return inner[0].decode() if inner is not None else ""

    def _is_prefix(self, name: str, inner: str) -> bool:
        """Return whether a name is only the namespace of a longer one: `Shop` in `Shop::Cart`."""
        parts = [name, *inner.split(self._separator)[1:]]
        longer = ((self._separator.join(parts[:at]), parts[at]) for at in range(1, len(parts)))
        return any(any(self._qualified(last, space + self._separator)) for space, last in longer)

    def _before(self, at: int) -> str:
        """Return the qualifier before a name with its separator, "?" for any other expression, or ""."""
        separator = self._separator.encode()
        if not self._source.endswith(separator, 0, at):
            return "?" if separator != b"." and self._source[at - 1 : at] in APART else ""
        chain = (CHAIN if separator == b"." else ROOTED).search(self._source[max(0, at - MAX_CHAIN) : at])
        return re.sub(rb"\s", b"", chain[0]).decode("utf-8", "replace") if chain else "?"

    def _meaning(self, name: str, before: str) -> list[tuple[str, int, str]]:
        """Return what a name may refer to.

        Each row has a file, the line of the import, and the qualified spelling or "".
        """
        if not self._modules.is_known(name):
            return []
        if (name, before) not in self._meanings:
            found = [*self._qualified(name, before)]
            if not found and name not in self._aliases:
                found = [*self._bare(name, before)]
                found = found if found and not self._is_own(name) else []
            self._meanings[name, before] = found
        return self._meanings[name, before]

    def _qualified(self, name: str, before: str) -> Iterator[tuple[str, int, str]]:
        """Yield the meanings of a qualified name.

        Before a dot, a relative qualifier must be capitalized, otherwise it is a variable.
        """
        qualifier = before.strip(self._separator)
        may_be_relative = bool(before) and (before[:1].isupper() or self._separator != ".")
        places = self._places(qualifier) if may_be_relative else [qualifier] if before else ()
        for space in places:
            for target in sorted(self._modules.holding(self._path, space, name)):
                yield target, 0, f"{before}{name}"

    def _bare(self, name: str, before: str) -> Iterator[tuple[str, int, str]]:
        """Yield the meanings of a name in visible namespaces. After a dot, it must be a known member."""
        for space, line in self._spaces.items():
            for target in sorted(self._modules.holding(self._path, space, name)):
                is_member = (target, name) in self._modules.members
                if is_member if before else not (is_member and space and self._needs_object):
                    yield target, 0 if before else line, ""

    @cached_property
    def _needs_object(self) -> bool:
        """Whether the file calls extensions of other files only on an object."""
        word = self._language.dotted_extensions
        return bool(word) and word.encode() not in self._source

    def _is_own(self, name: str) -> bool:
        word, at = name.encode(), -1
        while (at := self._source.find(word, at + 1)) >= 0:
            node = self._name_at(at, at + len(word))
            if node is not None and is_declared(node, free_functions=self._language.receivers.free_functions):
                return True
        return False

    def _name_at(self, start: int, end: int) -> Node | None:
        """Return the node of a name in code; None for a word in a comment, string or import statement."""
        node = self._head.root.descendant_for_byte_range(start, end)
        if node is None or node.end_byte != end:
            return None
        is_name = node.type in self._language.nodes.identifiers and node.start_byte == start
        if not is_name and (node.type not in self._language.paths or b" " in (node.text or b"")):
            return None
        return None if any(self._statements.around(start, end, inclusive=True)) else node


def _import(target: str, name: str, here: str, line: int, *, is_whole: bool) -> Link:
    if is_whole:
        return Link(target, EVERY_NAME, line, (("*", here),) if here else ())
    return Link(target, frozenset({name}), line, ((name, here),) if here not in (name, "") else ())


def project(language: Language, paths: Collection[str], configs: Mapping[str, bytes]) -> Project:
    """Return the resolver of one side's tree."""
    resolver = language.search_modules or language.modules
    if issubclass(resolver, Namespaces):
        return NamespaceProject(resolver, paths, configs)
    return Project(resolver, paths, configs)
