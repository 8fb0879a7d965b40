"""Who gets what a change alters, by way of the callers that hand it on: two steps from the change, found in both trees' names."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.context import definitions, identifiers, usages
from bot.context.carriers import Carrier, carriers
from bot.context.definitions import LONG_LINE
from bot.context.usages import Pick, Row
from bot.ports import Tree
from bot.text.filetypes import family, filetype
from bot.text.lines import file_lines
from bot.text.paths import is_product
from bot.values import Query, Reference

MAX_SITES = 60  # callers that are looked at for handing on what they get
MAX_FILES = 60  # in which everyday names are looked for
MAX_ROWS = 20_000  # lines that one search may bring
MAX_CONSUMERS = 3  # of what callers hand on, shown in one prompt
Place = tuple[str, int]
Site = tuple[str, int, str]  # path, line, and the name that is used there


@dataclass(slots=True)
class Consumers:
    """The carriers of one change and the lines that use them; a caller is looked at once."""

    tree: Tree
    _carriers: dict[Site, list[Carrier]] = field(default_factory=dict)
    _uses: dict[Carrier, list[Place]] = field(default_factory=dict)

    async def follow(self, sites: Iterable[Reference], results: frozenset[str]) -> None:
        """Search who uses what these callers hand on. `results`: the symbols of which callers get something else now."""
        new = [row for row in sites if _site(row) not in self._carriers][:MAX_SITES]
        if not new:
            return
        lines = await self._lines(row.path for row in new)
        found: dict[Carrier, None] = {}
        for row in new:
            mine = carriers(row, lines.get(row.path, ()), result=row.symbol in results)
            self._carriers[_site(row)] = mine
            found.update(dict.fromkeys(one for one in mine if one not in self._uses))
        everyday = [one for one in found if one.everyday]
        self._uses |= await self._called([one for one in found if not one.everyday])
        self._uses |= await self._named(everyday)

    def pick(self, sites: Iterable[Reference], shown_places: Mapping[Place, object] | set[Place]) -> list[Pick]:
        """The best lines that use what these callers hand on, of each carrier in turn."""
        mine = dict.fromkeys(one for row in sites for one in self._carriers.get(_site(row), ()))
        lists = [
            [
                Pick(*place, (one.name,), defines=False, title=one.reason)
                for place in self._uses.get(one, ())
                if place not in shown_places
            ]
            for one in sorted(mine, key=lambda one: len(self._uses.get(one, ())))
        ]
        most = max(map(len, lists), default=0)
        picks = [picked[at] for at in range(most) for picked in lists if at < len(picked)]
        return list({(pick.path, pick.line): pick for pick in reversed(picks)}.values())[::-1][:MAX_CONSUMERS]

    async def _called(self, carriers: Sequence[Carrier]) -> dict[Carrier, list[Place]]:
        """Who calls a function whose name means nothing else."""
        if not carriers:
            return {}
        names = sorted({one.name for one in carriers})
        ends = "|".join(map(re.escape, names))
        suffixes = sorted({f"*{posixpath.splitext(one.home)[1]}" for one in carriers})
        bare = any(filetype(one.home).bare_calls for one in carriers)
        called = rf"(?<![\w$])(?:{ends})\s*\(" + (rf"|\.(?:{ends})(?![\w$?!])" if bare else "")
        rows = await self.tree.grep_lines(Query([called], suffixes, syntax="perl", limit=MAX_ROWS))
        by_name = usages.by_name([row for row in rows if _is_use(row)], names)
        homes = {
            name: {path for path, _, text in mine if name in definitions.names(path, text)}
            for name, mine in by_name.items()
        }
        return {
            one: [
                (path, line)
                for path, line, text in by_name.get(one.name, ())
                if one.name not in definitions.names(path, text)
                # Of two functions of one name the nearer one is called.
                and all(_far(path, one.home)[0] <= _far(path, home)[0] for home in homes[one.name])
            ]
            for one in carriers
        }

    async def _named(self, carriers: Sequence[Carrier]) -> dict[Carrier, list[Place]]:
        """Who uses an everyday name in a file that names its owner, imports its file or is beside it: the nearest files first."""
        if not carriers:
            return {}
        homes = await self._reach(carriers)
        every = {path for paths in homes.values() for path in paths}
        wanted = sorted(every, key=lambda path: min(_far(path, one.home) for one in carriers))
        lines = await self._lines(wanted[:MAX_FILES])
        uses = {}
        for one in carriers:
            near = sorted(homes[one] & lines.keys(), key=lambda path: _far(path, one.home))
            uses[one] = _uses(one, {path: lines[path] for path in near})
        return uses

    async def _reach(self, carriers: Sequence[Carrier]) -> dict[Carrier, set[str]]:
        """The files that can mean each of these carriers."""
        marks = {mark for one in carriers for mark in (*one.owners, one.stem) if mark}
        form = rf"(?<![\w$-])(?:{'|'.join(map(re.escape, sorted(marks, key=len, reverse=True)))})(?![\w$-])"
        look = re.compile(form)
        written: dict[str, set[str]] = defaultdict(set)  # mark -> the files that write it
        imported: dict[str, set[str]] = defaultdict(set)  # and of these those that import it
        for path, _, text in await self.tree.grep_lines(Query([form], syntax="perl", limit=MAX_ROWS)):
            for mark in look.findall(text) if is_product(path) else ():
                written[mark].add(path)
                if identifiers.IMPORT.match(text):
                    imported[mark].add(path)
        homes = {}
        for one in carriers:
            folder = posixpath.dirname(one.home)
            beside = filetype(one.home).folder_scope and one.is_call
            near = (
                await self.tree.grep(Query([one.name], [f":(glob){folder}/*" if folder else ":(glob)*"]))
                if beside
                else ()
            )
            paths = {one.home, *near, *imported[one.stem], *(path for owner in one.owners for path in written[owner])}
            homes[one] = {path for path in paths if family(one.home) == family(path)}
        return homes

    async def _lines(self, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
        texts = await self.tree.read_many(list(dict.fromkeys(paths)))
        return {path: file_lines(blob) for path, blob in texts.items()}


def _site(row: Reference) -> Site:
    return row.path, row.line, row.name


def _uses(one: Carrier, lines: Mapping[str, Sequence[str]]) -> list[Place]:
    """The lines that use a carrier, of its own file last: its neighbours there know what it holds."""
    found = [
        (path, number)
        for path, rows in lines.items()
        for number, text in enumerate(rows, 1)
        if len(text) <= LONG_LINE and one.used_in(text) and one.name not in definitions.names(path, text)
    ]
    return sorted(found, key=lambda place: place[0] == one.home)


def _is_use(row: Row) -> bool:
    return len(row[2]) <= LONG_LINE and is_product(row[0])


def _far(path: str, home: str) -> tuple[int, str]:
    """How far a file is from another one, by their folders."""
    mine, theirs = path.split("/")[:-1], home.split("/")[:-1]
    shared = next(
        (at for at, (one, other) in enumerate(zip(mine, theirs, strict=False)) if one != other),
        min(len(mine), len(theirs)),
    )
    return len(mine) + len(theirs) - 2 * shared, path
