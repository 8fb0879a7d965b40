"""Lines that name a file or a definition by its place, without importing it: `COPY scripts/start.sh`, `render("order_list.html")`, `"shop.tasks.send_mail"`.

An import is resolved by its language; a text, a settings file, an image's file or a script has nobody who resolves it. So where a path
goes, or a definition leaves its file, each line that still writes the old place, and means nothing else in the tree, is for a reader.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from bot.dependents.byname import suffix
from bot.dependents.keys.forms import TEXTS
from bot.dependents.keys.line_search import LineSearch, Row, added_lines
from bot.dependents.sites import MODULE, telling
from bot.ports import Tree
from bot.text.filetypes import filetype, module_path
from bot.text.lines import is_comment
from bot.text.paths import is_page, uses_nothing
from bot.values import ChangedFile, ChangedSymbol, Dependents, Query, Reference

PLACES = 120  # files and definitions that are looked for
ROWS = 2_000
LONG_LINE = 2_000
_PATH = re.compile(r"[\w.@/-]+")
_DOTTED = re.compile(r"(?<![\w./\\-])[A-Za-z_]\w*+(?:[.:]\w++)*+")
_IMPORT = re.compile(r"^[^\w\"'`]*(?:import|from|use|using|require\w*|export|#\s*+include)\b|\brequire\(|\bimport\(")


@dataclass(frozen=True, slots=True)
class _Place:
    """A file that is gone, or a definition that left its file."""

    path: str  # before the change
    name: str = ""  # of the definition; empty: the file itself

    @property
    def module(self) -> tuple[str, ...]:
        """The parts of a module's dotted name, the folders of the tree first; none if its language has no such names."""
        return tuple(module_path(self.path).split("/")) if filetype(self.path).dotted_modules else ()

    @property
    def searched_texts(self) -> list[str]:
        """What a line holds that names it."""
        parts = self.module
        if self.name:
            return [f"{parts[-1]}{mark}{self.name}" for mark in ".:"]
        own = [posixpath.basename(self.path)]
        return (
            [*own, ".".join(parts[-2:]), *([f"{parts[0]}:", f"-m {parts[0]}"] if len(parts) == 1 else [])]
            if parts
            else own
        )


async def named_paths(
    tree: Tree, files: Sequence[ChangedFile], symbols: Iterable[ChangedSymbol], suffixes: Collection[str]
) -> Dependents:
    """The unchanged lines that still name what went by its place. `suffixes`: those of the languages that are parsed."""
    head_paths = await tree.entries()
    places = [place for place in await _gone(tree, files, symbols) if place.name or place.path not in head_paths]
    if not places:
        return Dependents()
    search = LineSearch(tree, added_lines(files))
    if len(places) > PLACES:
        search.cut.append(f"{PLACES} of the {len(places)} paths that are gone were looked for in texts")
        places = places[:PLACES]
    texts = sorted({text for place in places for text in place.searched_texts})
    rows = await search.rows(Query(texts, limit=ROWS), "hold the names of files that are gone")
    alive = _Alive(head_paths)
    by_text: dict[str, list[_Place]] = defaultdict(list)
    for place in places:
        for text in place.searched_texts:
            by_text[text].append(place)
    place_rows: dict[_Place, dict[tuple[str, int], Row]] = defaultdict(dict)
    for path, line, text in rows:
        if not search.is_old(path, line) or _says_nothing(path) or is_comment(text, path) or len(text) > LONG_LINE:
            continue
        mine = {place: None for word, some in by_text.items() if word in text for place in some}
        for place in mine:
            if _names(place, path, text, alive, suffixes):
                place_rows[place][path, line] = path, line, text.rstrip("\r")
    references: list[Reference] = []
    for place, by_line in place_rows.items():
        word = place.name.rpartition(".")[2] or posixpath.splitext(posixpath.basename(place.path))[0]
        key = f"{place.path}:{place.name or MODULE}"
        references += search.mentions(key, word, list(by_line.values()), f"name {place.path}")
    return search.dependents(references)


async def _gone(tree: Tree, files: Sequence[ChangedFile], symbols: Iterable[ChangedSymbol]) -> list[_Place]:
    """The paths that the change takes away, and the definitions that a file with a dotted name no longer holds."""
    places = [
        _Place(file.old_path)
        for file in files
        if file.old_path
        and (file.status == "deleted" or file.old_path != file.path)
        and not uses_nothing(file.old_path)
    ]
    leavers: dict[_Place, str] = {}
    for item in symbols:
        before, after = item.before, item.after
        if before is None or not filetype(before.path).dotted_modules or uses_nothing(before.path):
            continue
        has_moved = after is not None and after.name == before.name and after.path != before.path
        is_gone = after is None or after.name != before.name
        if has_moved or (is_gone and not telling(before.short)):  # `mentions` finds the others anywhere
            leavers[_Place(before.path, before.name)] = before.short
    sources = await tree.read_many(sorted({place.path for place in leavers}))
    for place, short in leavers.items():  # a name that its file still writes may be one that it imports and hands on
        text = sources.get(place.path, b"").decode("utf-8", "replace")
        if not re.search(rf"(?<!\w){re.escape(short)}(?!\w)", text):
            places.append(place)
    return list(dict.fromkeys(places))


def _says_nothing(path: str) -> bool:
    name = posixpath.basename(path)
    return uses_nothing(path) or name.startswith(".git") or name.endswith("ignore") or name == "CODEOWNERS"


class _Alive:
    """The files of the head by the ends of their paths."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_base: dict[str, list[str]] = defaultdict(list)
        self._by_module: dict[str, list[str]] = defaultdict(list)
        for path in paths:
            self._by_base[posixpath.basename(path)].append(f"/{path}")
            stem = module_path(path)
            self._by_module[posixpath.basename(stem)].append(f".{stem.replace('/', '.')}")

    def has_path(self, end: str) -> bool:
        return any(path.endswith(f"/{end}") for path in self._by_base[posixpath.basename(end)])

    def has_module(self, name: str) -> bool:
        return any(one.endswith(f".{name}") for one in self._by_module[name.rpartition(".")[2]])


def _names(place: _Place, path: str, text: str, alive: _Alive, suffixes: Collection[str]) -> bool:
    """Whether a line names the place, and nothing that is there after the change."""
    is_parsed = suffix(path) in suffixes
    if is_parsed and suffix(place.path) in suffixes and _IMPORT.search(text):
        return False  # the language resolves it
    parts = TEXTS.findall(text) if is_parsed else [text]
    if text.startswith("//go:embed "):
        parts = [text]
    if place.name:
        return any(_is_dotted(place, word) for part in parts for word in _DOTTED.findall(part))
    if any(_is_path(place.path, word, path, alive) for part in parts for word in _PATH.findall(part)):
        return True
    return any(_is_module(place, match, part, alive) for part in parts for match in _DOTTED.finditer(part))


def _is_path(old_path: str, word: str, path: str, alive: _Alive) -> bool:
    """Whether a word is the path of the file that went, or the end of it."""
    end = re.sub(r"^(?:\.{0,2}/)+", "", word)
    if posixpath.basename(end) != posixpath.basename(old_path) or alive.has_path(end):
        return False
    if "/" in end:
        return f"/{old_path}".endswith(f"/{end}") or (f"/{end}".endswith(f"/{old_path}") and "/" in old_path)
    is_beside = posixpath.dirname(path) == posixpath.dirname(old_path)
    stem = posixpath.splitext(end)[0]
    return "." in end and (is_beside or is_page(old_path) or telling(stem.replace("-", "_")))


def _ends(parts: Sequence[str]) -> Iterator[str]:
    """The dotted names of a module, from its last two parts on: where imports begin is not known."""
    yield from (".".join(parts[-count:]) for count in range(2, len(parts) + 1))


def _is_module(place: _Place, match: re.Match[str], part: str, alive: _Alive) -> bool:
    """Whether a dotted name is that of the module, or of something in it."""
    word, parts = match[0], place.module
    if len(parts) == 1 and not alive.has_module(parts[0]):
        is_run = re.search(r"-m\s+$", part[max(0, match.start() - 8) : match.start()]) is not None
        return (word == parts[0] and is_run) or word.startswith(f"{parts[0]}:")
    return any(
        (word == end or word.startswith((f"{end}.", f"{end}:"))) and not alive.has_module(end) for end in _ends(parts)
    )


def _is_dotted(place: _Place, word: str) -> bool:
    """Whether a dotted name is that of the definition where it was."""
    parts = place.module
    ends = [*_ends(parts), *([parts[-1]] if len(parts) == 1 or ":" in word else [])]
    name = word.replace(":", ".")
    return any(name == f"{end}.{place.name}" or name.startswith(f"{end}.{place.name}.") for end in ends)
