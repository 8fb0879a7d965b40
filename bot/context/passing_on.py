"""Functions that do little but hand on what they get from a changed definition, and who calls these: the defect often shows there."""

import posixpath
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from bot.context import definitions, identifiers, usages
from bot.context.definitions import LONG_LINE
from bot.context.usages import Pick
from bot.ports import Tree
from bot.text import blocks
from bot.text.filetypes import family, filetype
from bot.text.lines import file_lines, is_comment, special
from bot.text.paths import is_product
from bot.values import Query, Reference, Unit

MAX_SITES = 60  # callers that are looked at for handing on what they get
MAX_ROWS = 20_000  # lines that one search may bring
MAX_SHOWN = 3  # callers of such callers in one prompt
LONGEST = 200  # lines of a function that is read
_SIGNED = re.compile(r"[@#]\d+$")
_RETURNS = re.compile(r"\s*(?:return|yield)\b")
_RESULT = re.compile(r"\s*(?:return|yield|throw|raise)\b|.*=>|.*->")
_GIVEN = re.compile(
    r"\s*(?:(?:const|let|var|val|auto|final)\s+)?(?:mut\s+)?\$?([A-Za-z_]\w*)(?:\s*:[^=]{0,80})?\s*:?=(?![=>])"
)
Site = tuple[str, int, str]  # path, line, and the name that is used there


@dataclass(slots=True)
class CallersOfCallers:
    """Who calls the callers of one change that hand on what they get; a caller is looked at once."""

    tree: Tree
    _names: dict[Site, str] = field(default_factory=dict)  # under which a caller hands it on; "" if it does not
    _places: dict[str, list[tuple[str, int]]] = field(default_factory=dict)  # lines that call such a name

    async def follow(self, sites: Iterable[Reference], results: frozenset[str]) -> None:
        """Look at these callers, and search who calls them. `results`: the symbols of which callers get something else now."""
        new = [row for row in sites if _site(row) not in self._names][:MAX_SITES]
        texts = await self.tree.read_many(list(dict.fromkeys(row.path for row in new))) if new else {}
        lines = {path: file_lines(blob) for path, blob in texts.items()}
        self._names |= {
            _site(row): _handed_on(row, lines.get(row.path, ()), result=row.symbol in results) for row in new
        }
        homes = {name: row.path for row in new if (name := self._names[_site(row)]) and name not in self._places}
        if not homes:
            return
        names = sorted(homes)
        either = "|".join(map(re.escape, names))
        called = rf"(?<![\w$])(?:{either})\s*\("
        if any(filetype(path).bare_calls for path in homes.values()):
            called += rf"|\.(?:{either})(?![\w$?!])"
        suffixes = sorted({f"*{posixpath.splitext(path)[1]}" for path in homes.values()})
        rows = await self.tree.grep_lines(Query([called], suffixes, syntax="perl", limit=MAX_ROWS))
        by_name = usages.by_name([row for row in rows if len(row[2]) <= LONG_LINE and is_product(row[0])], names)
        self._places |= {
            name: [
                (path, line)
                for path, line, text in by_name.get(name, ())
                if family(path) == family(home) and name not in definitions.names(path, text)
            ]
            for name, home in homes.items()
        }

    def pick(self, sites: Iterable[Reference], shown_places: Collection[tuple[str, int]]) -> list[Pick]:
        """The calls to show for these callers: the first of each, those of a name with few calls before others."""
        handed = {name: row.name for row in sites if (name := self._names.get(_site(row), ""))}
        ranked = sorted(
            (turn, len(self._places[name]), name, place)
            for name in handed
            for turn, place in enumerate(place for place in self._places[name] if place not in shown_places)
        )
        titles = {place: (name, f"calls {name}, which passes on to {handed[name]}") for *_, name, place in ranked}
        return [
            Pick(*place, (name,), defines=False, title=title) for place, (name, title) in [*titles.items()][:MAX_SHOWN]
        ]


def changes_result(unit: Unit) -> bool:
    """Whether a change of a definition concerns what its callers get: a result, an error, its signature, its last line."""
    changed_rows = [row for row in unit.changed_rows if not is_comment(row.text, unit.path)]
    code = [row for row in unit.rows if re.search(r"\w", row.text)]
    last = {id(row) for row in code[-2:]} if filetype(unit.path).implicit_result else set[int]()
    return any(
        _RESULT.match(row.text) or definitions.names(unit.path, row.text) or id(row) in last for row in changed_rows
    )


def _site(row: Reference) -> Site:
    return row.path, row.line, row.name


def _handed_on(row: Reference, rows: Sequence[str], *, result: bool) -> str:
    """The name of the function around a use that hands on what it gets, if it says which one is meant; else "".

    `result`: the change alters what its callers get. Then it is enough that the function returns it, whatever else it does.
    """
    if row.span is None or row.line > len(rows):
        return ""
    name, (start, end) = _SIGNED.sub("", row.function).rpartition(".")[2], row.span
    is_telling = identifiers.telling(name) and not identifiers.single(name) and not special(name)
    if not is_telling or name == row.name or name in filetype(row.path).constructors:
        return ""
    short = end - start < blocks.MAX_WRAPPER and row.name in blocks.passes_on(row.path, rows, start, end)
    return name if short or (result and _returns(rows, row, start, min(end, len(rows)))) else ""


def _returns(rows: Sequence[str], row: Reference, start: int, end: int) -> bool:
    """Whether the function around a use returns what it gets there: in the statement itself, or by a variable."""
    if end - start > LONGEST:
        return False
    if any(_RETURNS.match(rows[number - 1]) for number in blocks.openings(rows, row.line, start + 1)):
        return True
    if row.line == start:
        return "{" not in rows[start - 1].partition(row.name)[2]
    if filetype(row.path).implicit_result and row.line == _last(row.path, rows, start, end):
        return True
    if not (given := _GIVEN.match(rows[row.line - 1])):
        return False
    return any(_RETURNS.match(text) and given[1] in identifiers.words(text) for text in rows[row.line : end])


def _last(path: str, rows: Sequence[str], start: int, end: int) -> int:
    """The last line of a function that is more than a bracket or a comment."""
    for number in range(end, start, -1):
        text = rows[number - 1]
        if re.search(r"\w", text) and text.strip() != "end" and not is_comment(text, path):
            return number
    return 0
