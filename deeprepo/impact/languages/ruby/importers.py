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

from deeprepo.impact.languages.ruby.manifest import packages
from deeprepo.impact.parsing import Lines
from deeprepo.impact.paths import shared_folders
from deeprepo.impact.reading.lexical import MOST_IMPORTS, camel, line_until, mention, underscore
from deeprepo.impact.values import Clues, Link

ENDINGS = (".rb", ".rake", ".gemspec", "")
QUOTED = rb"(?P<mark>['\"])(?P<path>[^'\"#\n]+)(?P=mark)"
REQUIRE = re.compile(
    rb"\b(?P<how>require_relative|require_dependency|require|load)[ \t(]+(?:File\.\w+\([ \t]*)?"
    + QUOTED
    + rb"(?P<anchor>[ \t]*,[ \t]*__FILE__)?",
)
AUTOLOAD = re.compile(rb"^[ \t]*autoload[ \t(]+:(?P<name>[A-Z]\w*)[ \t]*,[ \t]*" + QUOTED, re.MULTILINE)
CONSTANT = re.compile(rb"(?<![\w.:@$'\"])(?:::)?[A-Z]\w*(?:::[A-Z]\w*)*")
LOADS = (b"require", b"load")
OF_CONSTANTS = f"{string.ascii_letters}{string.digits}_:".encode()  # characters of constants
OPENED = re.compile(rb"^[ \t]*(?:class|module)[ \t]+$")
COMMENT = re.compile(rb"^[ \t]*#|^=begin")
FORESEEN = re.compile(rb"\brescue\b")
AHEAD, AHEAD_BYTES = 8, 2_000  # lines and bytes after a require in which a `rescue` is searched
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
        self._meant: dict[tuple[str, str], str | None] = {}  # constant and folder of its use -> file

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
        mentions, imports, lines = mention(words), list[Link](), Lines(source)
        loads = any(word in source for word in LOADS)  # few files do, and the patterns are slow
        for match in islice(REQUIRE.finditer(source), MOST_IMPORTS) if loads else ():
            before = line_until(source, match.start())
            if mentions.search(match[0]) and b"#" not in before and not _optional(source, match, before):
                required_path = match["path"].decode("utf-8", "replace")
                beside = match["how"] == b"require_relative" or match["anchor"] is not None
                target = (
                    self._beside(required_path, path, match["anchor"] is not None)
                    if beside
                    else self._on_load_path(required_path, path)
                )
                imports += _import(target, WHOLE, lines, match.start("how"))
        for match in AUTOLOAD.finditer(source) if loads else ():
            if mentions.search(match[0]):
                target = self._on_load_path(match["path"].decode("utf-8", "replace"), path)
                imports += _import(target, frozenset({match["name"].decode()}), lines, match.start("name"))
        imports += self._by_constant(path, source, lines, frozenset(_plain(word).lower() for word in words))
        return tuple(item for item in dict.fromkeys(imports) if item.target != path)

    def _by_constant(self, path: str, source: bytes, lines: Lines, words: frozenset[str]) -> Iterator[Link]:
        seen_constants, folder = set[str](), posixpath.dirname(path)
        for match in islice(_constants(source, words), MOST_IMPORTS):
            constant = match[0].decode()
            if constant in seen_constants:
                continue
            before = line_until(source, match.start())
            if COMMENT.match(before) or OPENED.match(before) or b" # " in before:
                continue
            seen_constants.add(constant)
            parts = constant.removeprefix("::").split("::")
            top = constant[: constant.startswith("::") * 2]
            for end in range(len(parts), 0, -1):  # `Tax::LIMIT` is in tax.rb
                key = top + "::".join(parts[:end]), folder
                if key not in self._meant:
                    self._meant[key] = self._constant(key[0], path)
                target = self._meant[key]
                if target is not None:
                    yield from _import(target, frozenset(parts[end - 1 :]), lines, match.start())
                    break

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
    """Yield the constants that contain one of the lowercase words; without words, all."""
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


def _import(target: str | None, names: frozenset[str], lines: Lines, at: int) -> list[Link]:
    return [Link(target, names, lines.at(at))] if target is not None else []


def _optional(source: bytes, match: re.Match[bytes], line: bytes) -> bool:
    """Return whether a `rescue LoadError` handles the missing file. `line`: the text before the require."""
    start = match.start() - len(line)
    before = source[max(0, start - 200) : start]
    ahead = source[match.end() : match.end() + AHEAD_BYTES].split(b"\n")[:AHEAD]
    began = re.search(rb"\bbegin\b[ \t]*\n(?:[^\n]*\n){0,3}\Z", before)
    return b" rescue " in ahead[0] or (began is not None and any(FORESEEN.search(line) for line in ahead))


project = Requires
