"""Find the words in strings, keys or paths of removed lines that no changed file now contains."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from deeprepo.impact.changes import ChangedFile
from deeprepo.impact.everyday import COMMON, is_specific
from deeprepo.impact.filetypes import filetype
from deeprepo.impact.structs import Struct
from deeprepo.impact.text.lines import is_comment
from deeprepo.impact.text.paths import is_page, is_settings, is_style, names_file, uses_nothing
from deeprepo.impact.uses.budget import by_risk
from deeprepo.impact.uses.texts.ends import SCHEMA, Given, gives

SHORTEST_WORD, LONGEST_WORD = 4, 60  # letters of a word
# values in any language, which are not names
VALUES = frozenset({"true", "false", "null", "none", "undefined"})
LONG_LINE = 2_000  # characters; longer lines are cut
LONE_WORD = re.compile(r"(?<![\w$\\])[A-Za-z_]\w{5,59}(?![\w$])")  # not the escape \u8A9E of a translation
LONG_WORD = 12  # letters of a word that is distinctive without parts
WORDS_OF_FILE = 24  # per file; one pattern for all
_QUOTED = re.compile(r"(?<=[\"'`])[/^]?([A-Za-z_][\w.:/{}<>-]{2,80})(?=[\"'`,?$])")
_PATH = re.compile(r"(?<![\w.])/([A-Za-z][\w-]*(?:/[A-Za-z][\w-]*)*)")
_ENVIRONMENT = re.compile(r"(?<![\w$])_?[A-Z][A-Z0-9]*_[A-Z0-9_]+(?!\w)")
_TOKEN = re.compile(r"[A-Za-z_]\w*(?:[.-]\w+)*")
_PAGE_TOKEN = re.compile(r"[A-Za-z_]\w*(?:-\w+)*")
# Names that a style sheet defines; it only uses properties and values.
_STYLE_TOKEN = re.compile(r"(?:(?<=[.#$@%&])|(?<![\w-])(?=--)|(?<=keyframes ))[A-Za-z_-][\w-]*")
# Names of elements and attributes, which a page or layout only uses; not `<limit>3</limit>`, which sets a value.
_READ_ONLY = re.compile(r"<!--.{0,300}?-->|\$\([\w.]{1,80}\)")  # a comment; `$(Version)`, which reads a variable
_VOCABULARY = re.compile(r"</?[A-Za-z][\w:.]*+(?![^<>]*+>[^<>\w]*+\w[^<>]*+</)|(?<=\s)[A-Za-z][\w:]*+(?=\s?=\s?[\"'])")
_PARAMETER = re.compile(r"/?(?:\{[^{}]*\}|<[^<>]*>|:\w+)")
_JSON_SCHEMA = re.compile(r"\$schema[\"']?\s*+:\s*+[\"']?https?://json-schema\.org/")  # it only describes names
IMPORTS = re.compile(
    r"^\s*+(?:import|from|use|using|require\w*|#\s*+include|export\s++\*)\b|\b(?:require|import)\(|\bfrom\s++[\"']"
)


class LostWord(Struct, frozen=True):
    """A removed word. `key` identifies the word and its file; a renamed word was replaced in an edited line."""

    text: str
    path: str
    is_renamed: bool = False
    given: Given = ""  # how the removed line defined it

    @property
    def key(self) -> str:
        """The key in the list of references."""
        return f"{self.path}:{self.text}"

    @property
    def is_plain(self) -> bool:
        """Whether it is an ordinary word, which may mean anything."""
        return not is_distinctive(self.text)


def is_distinctive(word: str) -> bool:
    """Return whether a word is unlikely to mean something else: several words, joined words, or a path."""
    return (is_specific(word) or any(mark in word for mark in "/.:-")) and word not in COMMON


def suffix(path: str) -> str:
    """Return the suffix that selects the parser of a file."""
    return posixpath.splitext(path)[1].lower()


def distinctive_words(file: ChangedFile) -> list[str]:
    """Return the distinctive words of the changed lines, removed ones first, then longer ones."""
    removed_counts: Counter[str] = Counter()
    come: Counter[str] = Counter()
    for hunk in file.hunks:
        for line in hunk.lines:
            if line.kind != " " and not is_comment(line.text, file.path):
                text = _without_vocabulary(file.path, line.text[:400])
                (removed_counts if line.kind == "-" else come).update(LONE_WORD.findall(text))
    words = [
        word
        for word in removed_counts | come
        if is_distinctive(word) or (len(word) >= LONG_WORD and word not in COMMON)
    ]
    words.sort(
        key=lambda word: (word not in removed_counts or word in come, word not in removed_counts, -len(word), word)
    )
    return words[:WORDS_OF_FILE]


class _Now:
    """The current content of a changed file. Lines are only read when they contain a requested word."""

    def __init__(self, path: str, text: str) -> None:
        self._path, self._text = path, "\n".join(line[:LONG_LINE] for line in text.split("\n"))
        self._words: dict[str, frozenset[str]] = {}

    def words_with(self, text: str) -> Iterator[str]:
        """Yield the words, and the parts of dotted ones, in lines that contain a text."""
        at = self._text.find(text)
        while at >= 0:
            start, end = self._text.rfind("\n", 0, at) + 1, self._text.find("\n", at)
            line = self._text[start : end if end >= 0 else None]
            if line not in self._words:
                words = _words(self._path, line)
                self._words[line] = frozenset(part for word in words for part in (word, *word.split(".")))
            yield from self._words[line]
            at = self._text.find(text, end) if end >= 0 else -1


def lost_words(files: Sequence[ChangedFile], texts: Mapping[str, str]) -> list[LostWord]:
    """Return the words that the change removes, specific ones first. `texts`: the current changed files."""
    mine = [file for file in by_risk(files) if file.is_analyzed and not uses_nothing(file.path)]
    added = {file.path: {word for _, text in _lines(file, "+") for word in _words(file.path, text)} for file in mine}
    words: dict[str, LostWord] = {}
    for file in mine:
        if not any(line.kind == "-" for hunk in file.hunks for line in hunk.lines):
            continue
        whole = texts.get(file.path, "")
        now = _Now(file.path, whole)
        # A deleted file's words still exist only if a file of the same type adds them.
        is_whole = file.status == "deleted"
        here = {path for path in added if not is_whole or suffix(path) == suffix(file.path)}
        kept = set().union(*(added[path] for path in here))
        for is_edited, text in _lines(file, "-"):
            for word in _words(file.path, text):
                is_retagged = is_edited and any(one not in whole for one in _tags(word, text))
                is_kept = (word in kept or word in now.words_with(word)) and not is_retagged
                if f"{word}/${{" in text:  # a value was inserted: `/jobs/${name}` is `/jobs/nightly` now
                    is_kept |= any(one.startswith(f"{word}/") for one in (*kept, *now.words_with(f"{word}/")))
                if not is_kept and (is_distinctive(word) or is_edited):
                    given = "" if _JSON_SCHEMA.search(whole) else gives(word, file.path, text)
                    one, first = LostWord(word, file.path, is_edited, given), words.get(word)
                    if first is None or (one.given and not first.given):  # a line that only uses it says less
                        words[word] = one
    return sorted(words.values(), key=lambda one: (one.is_plain, not one.is_renamed))


def _tags(word: str, text: str) -> list[str]:
    """Return the tags with which a line names a field: `json:"total` may be removed while `form:"total` stays."""
    return re.findall(rf"\w{{1,30}}:\"{re.escape(word)}(?=[\",])", text) if f':"{word}' in text and "`" in text else []


def _lines(file: ChangedFile, kind: str) -> Iterator[tuple[bool, str]]:
    """Yield the added or removed lines, and whether they are part of an edit."""
    for hunk in file.hunks:
        run: list[tuple[str, str]] = []
        for line in (*hunk.lines, None):
            if line is not None and line.kind in "+-" and line.text.strip():
                run.append((line.kind, line.text[:LONG_LINE]))
                continue
            if line is not None and line.kind in "+-":
                continue
            is_edited = len({one for one, _ in run}) > 1
            for one, text in run:
                if one == kind and not is_comment(text, file.path) and not IMPORTS.search(text):
                    yield is_edited, text
            run = []


@lru_cache(maxsize=512)
def _is_of_words(path: str) -> bool:
    """Return whether any word of a file may be mentioned elsewhere, not only its strings."""
    return bool(
        not filetype(path).folder or SCHEMA.search(path) or is_settings(path) or is_page(path) or is_style(path)
    )


def _without_vocabulary(path: str, text: str) -> str:
    """Return a line without what its language defines: elements and attributes, or the properties of a style.

    In a file without code, comments and the values of variables are left out too.
    """
    if _is_of_words(path):
        text = _READ_ONLY.sub(" ", text)
    if is_style(path):
        return " ".join(_STYLE_TOKEN.findall(text))
    return _VOCABULARY.sub(" ", text) if is_page(path) or suffix(path) == ".xml" else text


def _words(path: str, text: str) -> Iterator[str]:
    """Yield the words of a line that may be mentioned elsewhere.

    In code, these are the words in strings; in other files, all words. Parameters of routes are removed.
    """
    own = text if is_style(path) else _without_vocabulary(path, text)
    found = [*_QUOTED.findall(own), *_ENVIRONMENT.findall(own)]
    found += _PATH.findall(own) if "/" in own else []
    if _is_of_words(path):
        # In a page, `check.status` reads a value and defines no name.
        found += (_STYLE_TOKEN if is_style(path) else _PAGE_TOKEN if is_page(path) else _TOKEN).findall(own)
    for word in found:
        for part in _PARAMETER.split(word) if "/" in word or "{" in word else (word,):
            text_part = part.strip("/.^$:")
            is_name = SHORTEST_WORD <= len(text_part) <= LONGEST_WORD and text_part.lower() not in VALUES
            if is_name and not names_file(text_part):
                yield text_part
