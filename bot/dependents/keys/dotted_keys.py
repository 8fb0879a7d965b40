"""Keys of properties and nested settings that a framework reads by their whole path: `@Value("${shop.retries}")`, `#{order.title}`.

The last word of such a key may be any word, but the path with a placeholder or quotes around it means one thing. So the lines that read
a path which a file of settings no longer defines are for a reader, unless a file nearer to them, or one that falls back for it, defines it.
"""

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from bot.dependents.byname import suffix
from bot.dependents.keys.definitions import places, plain_places
from bot.dependents.keys.key import Texts
from bot.dependents.keys.line_search import LineSearch, Row
from bot.dependents.keys.settings_formats import UnreadableSettingsError, format_of
from bot.text.filetypes import JAVA, filetype
from bot.text.lines import is_comment
from bot.text.paths import decides_nothing, is_page, is_settings, uses_nothing
from bot.values import ChangedFile, Query, Reference

FORMATS = frozenset({".properties", ".yml", ".yaml"})
_TAGS = (".jsp", ".jspx", ".tag", ".tagx")
PATHS = 200  # of one change that are looked up
ROWS = 2_000
LONG_LINE = 2_000
_PATH = re.compile(r"[A-Za-z][\w-]*(?:\.[\w-]+)+")
_TEXT = r"(?<![\w.])[\"']PATH[\"']"
_PLACEHOLDER = r"[$#@]\{\s*+!?PATH(?![\w.-])"
_ESCAPED = r"(?:\\\$|#|'[^'\n]{0,200}\$)\{\s*+PATH(?![\w.-])"  # what the language itself does not put a value in
_TAG = r"(?:[#*@]\{\s*+|\b(?:code|key|value|name|bundle)=[\"'])PATH(?![\w.-])"
_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")


@dataclass(frozen=True, slots=True)
class _Loss:
    """A file of settings with the paths that it no longer defines."""

    path: str
    paths: frozenset[str]


async def dotted_keys(
    search: LineSearch, files: Sequence[ChangedFile], suffixes: Collection[str], texts: Texts
) -> list[Reference]:
    """The lines that read whole paths which changed files of settings no longer define."""
    losses = [loss for file in files if (loss := _loss(file, texts)) is not None]
    spellings = sorted({spelling for loss in losses for path in loss.paths for spelling in (path, _kebab(path))})
    if not spellings:
        return []
    if len(spellings) > PATHS:
        search.cut.append(f"{PATHS} of the {len(spellings)} paths that settings no longer define were looked up")
        spellings = spellings[:PATHS]
    rows = await search.rows(Query(spellings, limit=ROWS), "hold paths that settings no longer define")
    reads = [
        (path, line, text, word)
        for path, line, text in rows
        if search.is_old(path, line) and not uses_nothing(path) and not is_comment(text, path)
        for word in spellings
        if word in text and _reads(word, path, text[:LONG_LINE], suffixes)
    ]
    if not reads:
        return []
    definers = await _definers(search, files, texts)
    references: list[Reference] = []
    for loss in losses:
        for word in sorted(loss.paths):
            mine: list[Row] = [
                row[:3]
                for row in reads
                if row[3] in (word, _kebab(word)) and not _is_defined(row[3], row[0], loss.path, definers)
            ]
            references += search.mentions(f"{loss.path}:{word}", word, mine, f"say {word}", owner=loss.path)
    return references


def _loss(file: ChangedFile, texts: Texts) -> _Loss | None:
    """A changed file of settings, if it defines fewer paths than before."""
    old_path = file.old_path or file.path
    before, after = texts.get(("base", old_path)), texts.get(("head", file.path), "")
    if not file.is_analyzed or before is None or format_of(old_path) not in FORMATS or decides_nothing(old_path):
        return None
    try:
        lost_paths = _paths(old_path, before) - (_paths(file.path, after) if after else frozenset())
    except UnreadableSettingsError:
        return None  # another search says so
    return _Loss(file.path, lost_paths) if lost_paths else None


def _paths(path: str, content: str) -> frozenset[str]:
    """The keys of a file, each with the sections around it."""
    if format_of(path) not in FORMATS:
        return frozenset()
    return frozenset(one for place in plain_places(places(path, content)) if _PATH.fullmatch(one := ".".join(place)))


def _kebab(path: str) -> str:
    """Return the form by which a placeholder of Spring finds a key in any style."""
    return _HUMP.sub(r"-\1", path).lower().replace("_", "-")


def _reads(word: str, path: str, text: str, suffixes: Collection[str]) -> bool:
    """Whether a line asks for the value of a path. What a language puts into a text of its own is a member of a variable."""
    if suffix(path) in suffixes:
        if filetype(path).parser != "jvm":
            return False
        looks: Iterable[str] = (_TEXT, _PLACEHOLDER if filetype(path) == JAVA else _ESCAPED)
    elif is_page(path) or path.endswith(_TAGS):
        looks = (_TAG,)
    else:
        looks = (_PLACEHOLDER,) if is_settings(path) or path.endswith(".xml") else ()
    return any(re.search(look.replace("PATH", re.escape(word)), text) for look in looks)


async def _definers(
    search: LineSearch, files: Sequence[ChangedFile], texts: Texts
) -> dict[str, tuple[frozenset[str], bool]]:
    """Each file of settings that is called like one that lost keys, with its paths now, and whether the change wrote it."""
    stems = {_stem(file.path) for file in files if format_of(file.path) in FORMATS}
    others = [
        path
        for path in await search.tree.entries()
        if format_of(path) in FORMATS and any(_falls_back(_stem(path), stem) for stem in stems)
    ]
    contents = {path: raw.decode("utf-8", "replace") for path, raw in (await search.tree.read_many(others)).items()}
    contents |= {path: text for (side, path), text in texts.items() if side == "head" and format_of(path) in FORMATS}
    changed_paths = {file.path for file in files}
    return {path: (one, path in changed_paths) for path, text in contents.items() for one in _readable(path, text)}


def _readable(path: str, content: str) -> Iterator[frozenset[str]]:
    try:
        yield _paths(path, content)
    except UnreadableSettingsError:
        return


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]


def _falls_back(stem: str, other: str) -> bool:
    """Whether a file is read where another has no such key: the one without a profile or a language for the one with it."""
    return stem == other or other.startswith((f"{stem}-", f"{stem}_"))


def _is_defined(word: str, reader: str, loser: str, definers: dict[str, tuple[frozenset[str], bool]]) -> bool:
    """Whether the reader of a path still finds it: in a file as near to it, or in one to which the change moved the key."""
    reach = len(posixpath.commonpath([f"/{reader}", f"/{loser}"]).split("/"))
    for path, (paths, is_changed) in definers.items():
        is_near = len(posixpath.commonpath([f"/{reader}", f"/{path}"]).split("/")) >= reach
        if (is_changed or (is_near and _falls_back(_stem(path), _stem(loser)))) and (
            word in paths or (word == _kebab(word) and word in map(_kebab, paths))
        ):
            return True
    return False
