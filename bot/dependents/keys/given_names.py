"""Names that a file gives to something in a form that no parser reads, and by which others ask for it: parts of templates, routes, elements of a page.

A name that its file no longer gives is looked up in the forms of its own framework, of one word as well. Who asks for it is open where
nothing else in the tree gives that name. Where something does, some forms still tell which one is meant: by the file, or by a prefix.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.dependents.keys.key import Texts
from bot.dependents.keys.line_search import LineSearch, Row
from bot.dependents.keys.words import is_distinctive
from bot.text.lines import is_comment
from bot.text.paths import uses_nothing
from bot.values import ChangedFile, Query, Reference

ROWS = 2_000
NAMES = 100  # at most, looked up for one change
FILES = 200  # at most, read because they ask for one
LONGEST = 60  # characters of the prefix of a name: `shop:` of `shop:checkout`
PART = re.compile(r"[\w.:-]*")
IMPORTS = re.compile(r"\{%[-+~]?\s*+from\b[^%\n]{0,200}?\bimport\b([^%\n]{0,400})")
NAME = r"[A-Za-z_][\w.-]{0,79}"


@dataclass(frozen=True, slots=True)
class Naming:
    """How the files of a framework give something a name, and how others ask for it. NAME stands for it."""

    what: str  # has such names
    gives: str
    asks: str
    elsewhere: str = ""  # how others give such a name, by which this kind of files gives none
    lines: str = ""  # Perl: the single lines that may give or ask, where the forms are of several lines
    given_by: str = ""  # the paths of the files whose names are looked up if they go
    asked_by: str = ""  # the paths of those that ask
    holds: str = ""  # what a file has to hold to give any
    inherits: str = ""  # how a file says that it fills the parts of another one: then giving is asking
    reads: Callable[[str], Iterable[str]] | None = (
        None  # what a file gives, where no pattern tells: `gives` is left empty
    )
    is_imported: bool = False  # who asks for a part names its file
    is_by_file: bool = (
        False  # a line that names the file means that file's name, even if other files give the same name
    )
    is_tied: bool = False  # a name of one word is asked for by who names the file, or is named by it
    is_whole: bool = False  # the name is a part of what others ask for, which its file may give as a whole
    scope: str = ""  # how a file declares the prefix that others write before its names

    @property
    def all_gives(self) -> str:
        """How any file gives such a name."""
        return "|".join(filter(None, (self.gives, self.elsewhere)))


@dataclass(frozen=True, slots=True)
class _Home:
    """A file that no longer gives a name, with its text on both sides."""

    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class _Ask:
    """A place that asks for a name."""

    name: str
    scope: str  # its prefix
    text: str  # the prefix and the name
    row: Row


async def given_names(
    search: LineSearch, namings: Sequence[Naming], files: Sequence[ChangedFile], texts: Texts
) -> list[Reference]:
    """The lines that ask for a name which a changed file no longer gives."""
    references: list[Reference] = []
    for naming in namings:
        homes = _homes(naming, files, texts)
        if len(homes) > NAMES:
            search.cut.append(f"{NAMES} of the {len(homes)} names of {naming.what} that go were looked up")
        if homes:
            references += await _of_naming(search, naming, dict(sorted(homes.items())[:NAMES]))
    return references


def _homes(naming: Naming, files: Sequence[ChangedFile], texts: Texts) -> dict[str, _Home]:
    """The names that files no longer give, each with its file."""
    gives, keeps = _compiled(naming.gives, NAME), _compiled(naming.all_gives, NAME)
    homes: dict[str, _Home] = {}
    for file in files:
        path = file.old_path or file.path
        before, after = texts.get(("base", path), ""), texts.get(("head", file.path), "")
        if not re.search(naming.given_by, path) or _inherits(naming, before):
            continue  # one that inherits filled the part of another
        gone_names = _given(naming, gives, path, before) - _given(naming, keeps, file.path, after)
        if naming.is_imported:  # what it imports now it still offers
            gone_names -= {word for part in IMPORTS.findall(after) for word in re.findall(NAME, part)}
        homes |= dict.fromkeys(gone_names, _Home(path, before, after))
    return homes


def _compiled(form: str, names: str) -> re.Pattern[str]:
    return re.compile(form.replace("NAME", f"({names})") or r"(?!)", re.MULTILINE)


def _inherits(naming: Naming, text: str) -> bool:
    return bool(naming.inherits) and re.search(naming.inherits, text) is not None


def _given(naming: Naming, gives: re.Pattern[str], path: str, text: str) -> set[str]:
    """The names that a file gives by itself."""
    if not re.search(naming.holds, text) or _inherits(naming, text):
        return set()
    names = {name for match in gives.finditer(text) for name in match.groups() if name}
    return names.union(naming.reads(text)) if naming.reads and re.search(naming.given_by, path) else names


async def _of_naming(search: LineSearch, naming: Naming, homes: Mapping[str, _Home]) -> list[Reference]:
    """The lines that ask for one of the names."""
    any_name = "|".join(map(re.escape, sorted(homes, key=len, reverse=True)))
    forms = [
        form.replace("NAME", f"(?:{any_name})")
        for form in ([naming.lines] if naming.lines else [naming.all_gives, naming.asks])
    ]
    rows = await search.rows(Query(forms, syntax="perl", limit=ROWS), f"ask for names of {naming.what} that go")
    paths = sorted({path for path, _, text in rows if not uses_nothing(path) and not is_comment(text, path)})
    if len(paths) > FILES:
        search.cut.append(f"{len(paths)} files ask for names of {naming.what} that go: {FILES} of them were looked at")
    home_like = (
        [path for path in await search.tree.entries() if re.search(naming.given_by, path)] if naming.reads else []
    )
    raw_texts = await search.tree.read_many([*paths[:FILES], *home_like[:FILES]])
    sources = {path: raw.decode("utf-8", "replace") for path, raw in raw_texts.items()}
    gives, asks = _compiled(naming.all_gives, any_name), _compiled(naming.asks, any_name)
    givers: dict[str, set[str]] = defaultdict(set)
    for path, source in sources.items():
        for name in _given(naming, gives, path, source) & homes.keys():
            givers[name].add(path)
    asking_rows: dict[str, list[Row]] = defaultdict(list)
    for path, source in sources.items():
        for ask in _asking(naming, asks, path, source):
            home = homes[ask.name]
            others = {one: sources[one] for one in givers[ask.name] - {home.path}}
            if search.is_old(path, ask.row[1]) and _may_mean(naming, ask, home, source, others):
                asking_rows[ask.name].append(ask.row)
    return [
        reference
        for name, mine in asking_rows.items()
        for reference in search.mentions(
            f"{homes[name].path}:{name}", name, mine, f"ask for {name}", owner=homes[name].path
        )
    ]


def _asking(naming: Naming, asks: re.Pattern[str], path: str, source: str) -> Iterator[_Ask]:
    """The places of a file that ask for a name."""
    if not re.search(naming.asked_by, path) or (naming.inherits and not _inherits(naming, source)):
        return
    lines = source.split("\n")
    for name, start in dict.fromkeys(
        (name, match.start(group))
        for match in asks.finditer(source)
        for group, name in enumerate(match.groups(), 1)
        if name
    ):
        number = source.count("\n", 0, start) + 1
        text = lines[number - 1].rstrip("\r")
        before = re.split(r"[^\w.:-]", source[max(0, start - LONGEST) : start])[-1]
        scope = re.split(r"[.:]", before)[-2:-1]
        rest = PART.match(source, start)
        if rest and not is_comment(text, path):
            yield _Ask(name, "".join(scope), f"{before}{rest[0]}", (path, number, text))


def _may_mean(naming: Naming, ask: _Ask, home: _Home, source: str, givers: Mapping[str, str]) -> bool:
    """Whether a file that asks for a name means the one that went. `givers`: the other files that give one of that name."""
    path = ask.row[0]
    if path in givers or (naming.is_whole and re.search(rf"[\"']{re.escape(ask.text)}[\"']", home.after)):
        return False
    if ask.scope in _scopes(naming, home.before):
        return not any(ask.scope in _scopes(naming, text) for text in givers.values())
    if naming.is_tied and not is_distinctive(ask.name) and not _is_tied(home, path, source):
        return False
    if naming.is_imported or (givers and naming.is_by_file):
        return _names_file(home.path, source) and not (givers and _inherits(naming, home.after))
    return not givers


def _scopes(naming: Naming, text: str) -> set[str]:
    """The prefixes that others write before the names of a file."""
    return set(re.findall(naming.scope, text, re.MULTILINE)) if naming.scope else set()


def _is_tied(home: _Home, path: str, source: str) -> bool:
    return path == home.path or _names_file(home.path, source) or _names_file(path, home.before)


def _names_file(home: str, source: str) -> bool:
    """Whether a file names another one: by its name, or by its stem as a text's last part."""
    name = posixpath.basename(home)
    stem = name.partition(".")[0].lstrip("_")
    return (
        re.search(rf"(?<![\w-])_?(?:{re.escape(name)}|{re.escape(stem)})(?:\.[\w.]{{1,30}})?[\"']", source) is not None
    )
