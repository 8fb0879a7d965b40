"""Resolve `require`, `autoload` and constants in Ruby.

Constants are global, so a required file provides everything. A constant is found by the conventions of
Zeitwerk and gems: `Admin::User` is admin/user.rb below a folder of app/ or below lib/.
"""

import posixpath
import re
import string
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from tree_sitter import Node

from deeprepo.impact.languages.ruby.manifest import packages
from deeprepo.impact.parsing import Lines
from deeprepo.impact.paths import shared_folders
from deeprepo.impact.reading import reader
from deeprepo.impact.reading.lexical import MOST_IMPORTS, camel, line_until, mention, underscore
from deeprepo.impact.reading.nodes import ancestors, first_line, text
from deeprepo.impact.values import Clues, Link

ENDINGS = (".rb", ".rake", ".gemspec", "")
LOADS = re.compile(rb"\b(?:require|load|autoload)[^\n]*+")  # a line that may load a file
CONSTANT = re.compile(rb"(?<![\w.:@$'\"])(?:::)?[A-Z]\w*(?:::[A-Z]\w*)*")  # a word that may be a qualified constant
OF_CONSTANTS = f"{string.ascii_letters}{string.digits}_:".encode()
OPENED = re.compile(rb"^[ \t]*(?:class|module)[ \t]+$")
COMMENT = re.compile(rb"^[ \t]*#|^=begin")
NEAR = 3  # levels between a statement and its `rescue`
ROOT = re.compile(r"(?:^|.*/)(?:app/\w+/concerns|app/\w+|lib|src)/")
WHOLE = frozenset({"*"})


class Requires:
    """The files of one tree that can be required. Satisfies `ports.Project`."""

    def __init__(self, paths: Collection[str], configs: Mapping[str, bytes]) -> None:
        # The load path is guessed from folders, including those in gemspecs.
        roots = {root for package in packages(configs, ()) for root in package.roots}
        self._load_path = frozenset(roots - {"", "app"})
        self._paths = paths if isinstance(paths, frozenset) else frozenset(paths)
        self._constants: dict[str, list[str]] | None = None  # "admin/user", without underscores -> files
        self._named: dict[str, list[str]] | None = None
        self._found: dict[tuple[str, str], str | None] = {}
        self._constant_files: dict[tuple[str, str], str | None] = {}  # constant and folder of its use -> file

    def clues(self, path: str) -> Clues:
        """Return the quoted stem with which a file is required, and its constant."""
        stem = posixpath.basename(path).partition(".")[0]
        if not stem:
            return Clues(frozenset())
        word = re.escape(stem)
        far = [rf"['\"/]{word}(\.rb)?['\"]"]
        words = {stem}
        if self._inner(path) is not None:
            far.append(rf"\b(?i:{re.escape(_plain(stem))})\b")
            words.add(camel(stem))
        return Clues(frozenset(words), tuple(far))

    def imports(self, path: str, source: bytes, words: frozenset[str] = frozenset()) -> tuple[Link, ...]:
        """Return the files that a file requires, autoloads, or uses through a constant."""
        plain = frozenset(_plain(word).lower() for word in words)
        imports = list[Link]()
        mentions = mention(words)
        if any(mentions.search(match[0]) for match in LOADS.finditer(source)):  # few files have such a statement
            imports += self._by_statement(path, source, mentions)
        imports += self._by_constant(path, source, plain)
        return tuple(item for item in dict.fromkeys(imports) if item.target != path)

    def _by_statement(self, path: str, source: bytes, mentions: re.Pattern[bytes]) -> Iterator[Link]:
        rescuing: dict[int, bool] = {}
        for found in islice(reader.names(path, source)[1], MOST_IMPORTS):
            statement, word = found["statement"][0], text(found["word"][0])
            if not mentions.search(statement.text or b"") or _is_handled(statement, rescuing):
                continue
            spec, is_anchored = text(found["spec"][0]), "anchor" in found
            is_beside = word == "require_relative" or is_anchored
            target = self._beside(spec, path, is_anchored) if is_beside else self._on_load_path(spec, path)
            names = frozenset({text(found["here"][0]).lstrip(":")}) if "here" in found else WHOLE
            yield from _import(target, names, first_line(statement))

    def _by_constant(self, path: str, source: bytes, words: frozenset[str]) -> Iterator[Link]:
        """Yield the files of the constants in code.

        They are found by their words, because most files of a tree contain some, and parsing all of them takes
        too long.
        """
        seen_constants, folder, lines = set[str](), posixpath.dirname(path), Lines(source)
        for match in islice(_constants(source, words), MOST_IMPORTS):
            constant = match[0].decode()
            if constant in seen_constants:
                continue
            before = line_until(source, match.start())
            if COMMENT.match(before) or OPENED.match(before) or b" # " in before:
                continue
            seen_constants.add(constant)
            target, names = self._target(constant, path, folder)
            yield from _import(target, names, lines.at(match.start()))

    def _target(self, constant: str, path: str, folder: str) -> tuple[str | None, frozenset[str]]:
        """Return the file of a qualified constant, and the names from it: `Tax::LIMIT` is in tax.rb."""
        parts = constant.removeprefix("::").split("::")
        top = "::" if constant.startswith("::") else ""
        for end in range(len(parts), 0, -1):
            key = top + "::".join(parts[:end]), folder
            if key not in self._constant_files:
                self._constant_files[key] = self._constant(key[0], path)
            if (target := self._constant_files[key]) is not None:
                return target, frozenset(parts[end - 1 :])
        return None, frozenset()

    def _beside(self, target: str, path: str, is_anchored: bool) -> str | None:
        base = posixpath.join(posixpath.dirname(path), "x") if is_anchored else posixpath.dirname(path)
        return self._file(posixpath.normpath(posixpath.join(base, target)))

    def _file(self, stem: str) -> str | None:
        return next((stem + ending for ending in ENDINGS if stem + ending in self._paths), None)

    def _on_load_path(self, target: str, path: str) -> str | None:
        """Return a file below the load path: `lib`, a folder of tests, or the root, in this order."""
        if target.startswith((".", "/")):
            return self._file(posixpath.normpath(posixpath.join(posixpath.dirname(path), target)))
        key = target, posixpath.dirname(path)
        if key not in self._found:
            self._found[key] = self._search(target, key[1])
        return self._found[key]

    def _search(self, target: str, folder: str) -> str | None:
        if self._named is None:
            self._named = defaultdict(list)
            for path in self._paths:
                self._named[path[path.rfind("/") + 1 :]].append(path)
        ending = target if target.endswith(".rb") else f"{target}.rb"
        fits = [
            path
            for path in self._named.get(posixpath.basename(ending), ())
            if path == ending
            or re.search(r"(^|/)(lib|spec|test|tests|app|ext)/$", path.removesuffix(ending))
            or path.removesuffix(f"/{ending}") in self._load_path
        ]
        fits = [path for path in fits if path.endswith(ending)]
        return min(fits, key=lambda path: (-shared_folders(path, f"{folder}/"), path.count("/"), path), default=None)

    def _constant(self, constant: str, path: str) -> str | None:
        """Return the file of a constant, seen from the namespace of the using file's folder."""
        name = _plain(underscore(constant))
        spaces = [""]
        if not constant.startswith("::"):
            inner = self._inner(path)
            inside = inner.rpartition(".")[0].split("/") if inner is not None else []
            spaces = [_plain("/".join(inside[:depth])) + "/" if depth else "" for depth in range(len(inside), -1, -1)]
        for space in spaces:
            files = self._index().get(space + name, ())
            if files:
                return min(files, key=lambda one: (-shared_folders(one, path), one))
        return None

    def _index(self) -> dict[str, list[str]]:
        if self._constants is None:
            self._constants = defaultdict(list)
            for path in self._paths:
                inner = self._inner(path) if path.endswith(".rb") else None
                if inner is not None:
                    self._constants[_plain(inner[:-3])].append(path)
        return self._constants

    def _inner(self, path: str) -> str | None:
        """Return a path relative to its folder of the load path, or None."""
        if root := ROOT.match(path):
            return path[root.end() :]
        top = next((top for top in self._load_path if path.startswith(f"{top}/")), None)
        return path[len(top) + 1 :] if top is not None else None


def _constants(source: bytes, words: frozenset[str]) -> Iterator[re.Match[bytes]]:
    """Yield the words that may be constants and contain one of the lowercase words; without words, all."""
    if not words:
        yield from CONSTANT.finditer(source)
    end = 0
    for word in mention(words).finditer(source.lower()) if words else ():
        before = line_until(source, word.start())
        start = max(end, word.start() - len(before) + len(before.rstrip(OF_CONSTANTS)))
        if word.start() >= end and (match := CONSTANT.match(source, start)) and match.end() >= word.end():
            yield match
            end = match.end()


def _plain(name: str) -> str:
    """Return a path for comparison.

    `RuboCop::Cop` and `OAuth` are in rubocop/cop.rb and oauth.rb, however words are split.
    """
    return name.replace("_", "")


def _import(target: str | None, names: frozenset[str], line: int) -> list[Link]:
    return [Link(target, names, line)] if target is not None else []


def _is_handled(statement: Node, rescuing: dict[int, bool]) -> bool:
    """Return whether a `rescue` around a statement handles the missing file. `rescuing` keeps what was found."""
    for one in islice(ancestors(statement), NEAR):
        if one.id not in rescuing:
            rescuing[one.id] = one.type == "rescue_modifier" or any(child.type == "rescue" for child in one.children)
        if rescuing[one.id]:
            return True
    return False


project = Requires
