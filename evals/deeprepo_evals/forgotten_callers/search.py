"""Candidates: names whose last definition a commit removed while another file went on using them, until a later commit took that use away.

Words decide first, for they cost little; the parsers of `bot/languages` decide about what is left. Nothing here asks what the
review's own checks believe.
"""

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from bot.languages import LANGUAGES
from bot.text.filetypes import family, filetype
from bot.values import Symbol, Use
from deeprepo_evals.forgotten_callers.history import WORD, Contents, FileChange, History, portions, read, steps

MOST_FILES = 60  # code files of a commit that may have removed a definition
MOST_HOLDERS = 12  # files that still hold the name: more of them is a common word
LEAST = 3  # letters of a part of a path that ties a file to it
STEMLESS = frozenset({"__init__", "index", "mod", "lib", "main"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that still uses what a commit took away."""

    broke: str
    parent: str
    home: str  # the file that defined the name
    home_line: int  # in the parent
    name: str
    kind: str
    user: str
    lines: tuple[int, ...]  # of the user at the commit that broke it
    repair: str
    later: int  # commits


@dataclass(slots=True)
class Report:
    """What a search has seen: the candidates, and how many words or files were thrown out for which reason."""

    commits: int = 0
    candidates: list[Candidate] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Event:
    """A word that a commit takes out of a file."""

    place: int
    path: str


_Row = tuple[
    bytes, str, list[str], list[str]
]  # word, the file that defined it, files that hold it, and that lose it later
Events = dict[bytes, list[_Event]]


async def search(clone: Path, count: int) -> Report:
    """The candidates of the newest commits of a clone."""
    history = await read(clone, count)
    async with Contents(clone) as contents:
        removals, farewells = await _events(history, contents)
    telling = {
        word
        for word, events in removals.items()
        if any(
            gone.place > event.place and gone.path != event.path for event in events for gone in farewells.get(word, ())
        )
    }
    removals = {word: removals[word] for word in telling}
    farewells = {word: farewells[word] for word in telling}
    async with Contents(clone) as contents:
        return await _Walk(history, contents, removals, farewells).run()


async def _events(history: History, contents: Contents) -> tuple[Events, Events]:
    """Words that stood on removed lines and on no added ones of a file; words that a file holds no more at all."""
    removals: Events = defaultdict(list)
    farewells: Events = defaultdict(list)
    rows = [(history.places[sha], files) for sha, files in history.changes.items() if any(file.old for file in files)]
    for group in portions(rows):
        blobs = await contents.read(
            [oid for _, files in group for file in files for oid in (file.old, file.new) if file.old]
        )
        for place, files in group:
            for file in files:
                if not file.old or file.old not in blobs:
                    continue
                before, after = blobs[file.old], blobs.get(file.new, b"")
                event = _Event(place, file.path)
                for word in contents.words(file.old, before) - contents.words(file.new, after):
                    farewells[word].append(event)
                if len(files) <= MOST_FILES:
                    for word in _removed_words(before, after):
                        removals[word].append(event)
    return removals, farewells


def _removed_words(before: bytes, after: bytes) -> set[bytes]:
    old, new = set(before.split(b"\n")), set(after.split(b"\n"))
    return set(WORD.findall(b"\n".join(old - new))) - set(WORD.findall(b"\n".join(new - old)))


class _Walk:
    """One way through all trees, with the files that hold the words in question."""

    def __init__(self, history: History, contents: Contents, removals: Events, farewells: Events) -> None:
        self._history, self._contents = history, contents
        self._removals: dict[int, list[tuple[bytes, str]]] = defaultdict(list)
        for word, events in removals.items():
            for event in events:
                self._removals[event.place].append((word, event.path))
        self._farewells: dict[tuple[bytes, str], list[int]] = defaultdict(list)
        for word, events in farewells.items():
            for event in events:
                self._farewells[word, event.path].append(event.place)
        self._interest = frozenset(removals)
        self._tree: dict[str, str] = {}
        self._held: dict[str, frozenset[bytes]] = {}
        self._holders: dict[bytes, set[str]] = defaultdict(set)
        self._arrivals: dict[bytes, list[tuple[int, str, str]]] = defaultdict(list)
        self._open: list[tuple[Candidate, bytes, int, int]] = []
        self._report = Report(commits=len(history.commits))

    async def run(self) -> Report:
        async for place, files in steps(self._history):
            await self._move(place, files)
            if place in self._removals:
                await self._look(place)
        for candidate, word, broke, repaired in self._open:
            if await self._is_back(word, broke, repaired):
                self._report.reasons["defined again before the repair"] += 1
            else:
                self._report.candidates.append(candidate)
        return self._report

    async def _move(self, place: int, files: Sequence[FileChange]) -> None:
        for at in range(0, len(files), 200):
            part = files[at : at + 200]
            blobs = await self._contents.read([file.new for file in part])
            for file in part:
                held = self._contents.words(file.new, blobs.get(file.new, b""), self._interest)
                before = self._held.get(file.path, frozenset())
                for word in before - held:
                    self._holders[word].discard(file.path)
                for word in held - before:
                    self._holders[word].add(file.path)
                    if place:
                        self._arrivals[word].append((place, file.path, file.new))
                if file.new:
                    self._tree[file.path], self._held[file.path] = file.new, held
                else:
                    self._tree.pop(file.path, None)
                    self._held.pop(file.path, None)

    def _repairs(self, place: int, word: bytes, user: str) -> Iterator[int]:
        for later in self._farewells.get((word, user), ()):
            if later > place and self._history.is_ancestor(place, later):
                yield later

    def _row(self, place: int, word: bytes, home: str) -> _Row | None:
        """The files that hold a removed word, and those of them that lose it later; None if nobody does, or many hold it."""
        everybody = self._holders[word]
        holders = (
            [path for path in everybody if path != home and _family(path) == _family(home)]
            if len(everybody) <= 4 * MOST_HOLDERS
            else []
        )
        users = [path for path in holders if any(self._repairs(place, word, path))]
        if len(everybody) > 4 * MOST_HOLDERS or (users and len(holders) > MOST_HOLDERS):
            self._report.reasons["a word of many files"] += 1
            return None
        return (word, home, holders, users) if users else None

    async def _look(self, place: int) -> None:
        """Candidates of one commit; the walk stands at its tree."""
        sha = self._history.commits[place]
        changes = {file.path: file for file in self._history.changes[sha]}
        rows = [row for word, home in self._removals[place] if (row := self._row(place, word, home)) is not None]
        if not rows:
            return
        wanted = {self._tree.get(path, "") for _, _, holders, _ in rows for path in holders}
        homes = {oid for _, home, _, _ in rows for oid in (changes[home].old, changes[home].new)}
        blobs = await self._contents.read([*wanted, *homes])
        outlines = _Outlines()
        for word, home, holders, users in rows:
            name = word.decode()
            if not re.search(rb"(?<![\w$])" + re.escape(word) + rb"(?![\w$])", blobs.get(changes[home].old, b"")):
                continue
            before = outlines.of(home, blobs.get(changes[home].old, b""))
            symbol = before.get(name)
            if symbol is None:
                self._report.reasons["not a definition"] += 1
            elif name in outlines.of(home, blobs.get(changes[home].new, b"")):
                self._report.reasons["still defined in its file"] += 1
            else:
                sources = {path: blobs.get(self._tree.get(path, ""), b"") for path in holders}
                if any(name in outlines.of(path, source) for path, source in sources.items()):
                    self._report.reasons["a like name is defined elsewhere"] += 1
                else:
                    self._judge(place, symbol, home, sources, users)

    def _judge(self, place: int, symbol: Symbol, home: str, sources: dict[str, bytes], users: Sequence[str]) -> None:
        reasons, name = self._report.reasons, last(symbol.name)
        for user in users:
            reason, lines = _verdict(home, symbol.name, user, sources[user], name)
            repaired = next(iter(sorted(self._repairs(place, name.encode(), user))), -1)
            if reason:
                reasons[reason] += 1
            else:
                sha = self._history.commits[place]
                parent = self._history.parents[place][0]
                candidate = Candidate(
                    sha, parent, home, symbol.start, name, symbol.kind, user, lines, self._history.commits[repaired],
                    self._history.distance(place, repaired),
                )  # fmt: skip
                self._open.append((candidate, name.encode(), place, repaired))

    async def _is_back(self, word: bytes, broke: int, repair: int) -> bool:
        """Whether a file has defined the name again between both commits, or holds it after a move at the second one."""
        rows = [row for row in self._arrivals[word] if broke < row[0] <= repair]
        blobs = await self._contents.read([oid for _, _, oid in rows[:30]])
        name = word.decode()
        for place, path, oid in rows[:30]:
            source = blobs.get(oid, b"")
            if place == repair and name in source.decode("utf-8", "replace"):
                return True
            if re.search(
                rf"(?<![\w$]){re.escape(name)}(?![\w$])", source.decode("utf-8", "replace")
            ) and name in definitions(path, source):
                return True
        return False


def definitions(path: str, source: bytes) -> dict[str, Symbol]:
    """What a file defines, each under the last part of its name."""
    if not source:
        return {}
    return {
        last(symbol.name): symbol
        for symbol in reversed(LANGUAGES[filetype(path).parser].outline(path, source, "head").symbols)
    }


@cache
def _family(path: str) -> str:
    return family(path)


class _Outlines:
    """The definitions of the files of one commit, each file parsed once."""

    def __init__(self) -> None:
        self._outlines: dict[tuple[str, int, int], dict[str, Symbol]] = {}

    def of(self, path: str, source: bytes) -> dict[str, Symbol]:
        key = path, len(source), hash(source)
        if key not in self._outlines:
            self._outlines[key] = definitions(path, source)
        return self._outlines[key]


def last(name: str) -> str:
    """The last part of a qualified name."""
    return re.split(r"[.:#\\]", name)[-1]


def _verdict(home: str, qualified_name: str, user: str, source: bytes, name: str) -> tuple[str, tuple[int, ...]]:
    """Why a file is no user of what is gone, or the lines that use it."""
    uses = LANGUAGES[filetype(user).parser].uses(user, source, {name})
    if any(use.form == "definition" for use in uses):
        return "the file has a name of its own", ()
    rows = [use for use in uses if use.form in ("name", "member", "import")]
    if not rows:
        return "only in texts and comments", ()
    if all(use.is_guarded for use in rows):
        return "guarded", ()
    text = source.decode("utf-8", "replace")
    if not _is_tied(home, qualified_name, user, text, rows):
        return "nothing ties the file to the definition", ()
    return "", tuple(sorted({use.line for use in rows}))


def _is_tied(home: str, qualified_name: str, user: str, text: str, uses: Sequence[Use]) -> bool:
    """Whether the user mentions the file, the package or the class of what is gone, or is its neighbour."""
    owners = re.split(r"[.:#\\]+", qualified_name)[:-1]
    stem = posixpath.basename(home).partition(".")[0]
    folder = posixpath.basename(posixpath.dirname(home))
    ties = {stem, *owners} - STEMLESS
    kind = filetype(home)
    if kind.folder_scope and posixpath.dirname(home) == posixpath.dirname(user):
        return True
    if kind.folder_modules or stem in STEMLESS or kind.parser in ("go", "rust", "jvm", "csharp", "php"):
        ties.add(folder)
    imported = [use for use in uses if use.form == "import"]
    if imported:
        rows = text.split("\n")
        around = "\n".join(rows[max(0, imported[0].line - 12) : imported[0].line + 6])
        parts = {
            part
            for part in posixpath.splitext(home)[0].split("/")
            if len(part) >= LEAST and part not in ("src", "lib", "main")
        }
        return any(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", around) for part in parts)
    if kind.parser in ("c/c++", "ruby") and all(use.form == "name" for use in uses):
        return True
    words = set(re.findall(r"[\w$]+", text.lower().replace("-", "_")))
    return any(tie.lower().replace("-", "_") in words for tie in ties if tie)
