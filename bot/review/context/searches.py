"""What is looked up in the tree for one change, by everyone who shows code beside it: a name is searched once.

Every telling name of the changed lines is searched in the whole tree, at once for all units that are still unread, so that
what a prompt shows does not depend on which prompt was written first.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from bot.checkout.shown import know_secrets
from bot.checkout.views import WrittenTree
from bot.ports import KnownSecrets
from bot.review.context import definitions, identifiers, leftovers, usages
from bot.review.context.cross_unit import Links
from bot.review.context.definitions import LONG_LINE, CalledName
from bot.review.context.handed_on import HandedOn
from bot.review.context.usages import Row
from bot.values import ChangedFile, Query, Unit
from deeprepo.impact.concurrency import together
from deeprepo.impact.ports import Tree

LEAST_WEIGHT = 0.0  # of a type that is searched to know which files know it
LOST = 5.0  # the weight in a search of a name that the change removes: above all others
FIRST_NAMES, MAX_NAMES = 40, 240  # searched at once
MAX_ROWS = 20_000  # lines that one search may bring


@dataclass
class Searches:
    """The lines that hold the names of a change, and what it calls."""

    tree: Tree
    files: Sequence[ChangedFile]
    units: Sequence[Unit] = ()  # that are still unread
    # Which learn the secrets of each file of which lines are shown
    masks: KnownSecrets = field(default_factory=know_secrets)
    rows: dict[str, list[Row]] = field(default_factory=dict)  # by the name that they hold
    called_definitions: dict[str, list[Row]] = field(default_factory=dict)  # of what the change calls
    imports: dict[str, frozenset[str]] = field(default_factory=dict)  # words of the import lines of changed files
    handed_on: HandedOn = field(init=False)  # by callers
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # prompts are written side by side
    _links: Links | None = None
    _gone: dict[str, frozenset[str]] = field(default_factory=dict)  # names that a unit removes, by its id
    _known: set[str] = field(default_factory=set)  # ids of the units whose names were searched
    _learned: set[str] = field(default_factory=set)  # files whose secrets are known

    def __post_init__(self) -> None:
        self.tree = WrittenTree(self.tree)
        self.handed_on = HandedOn(self.tree)

    @cached_property
    def _remaining_words(self) -> tuple[frozenset[str], frozenset[str]]:
        """What the added lines of the whole change say."""
        return leftovers.remaining_words(self.files)

    def gone_names(self, units: Iterable[Unit]) -> list[str]:
        """Return what these units remove and no added line says, as much as one prompt looks for."""
        return leftovers.first({name for unit in units for name in self._gone_from(unit)})

    def _gone_from(self, unit: Unit) -> frozenset[str]:
        if unit.id not in self._gone:
            self._gone[unit.id] = leftovers.names(unit, self._remaining_words)
        return self._gone[unit.id]

    async def learn_secrets(self, paths: Iterable[str]) -> None:
        """Have the secrets of these files known before lines of them leave: a line may not show the name that says what a value is."""
        async with self._lock:
            new = [path for path in dict.fromkeys(paths) if path not in self._learned]
            texts = await self.tree.read_many(new) if new else {}
            self.masks.learn_files({path: blob.decode("utf-8", "replace") for path, blob in texts.items()})
            self._learned.update(new)

    async def look_up(self, units: Sequence[Unit]) -> None:
        """Search the names of these units, and before them those of all that are still unread."""
        async with self._lock:
            for some in (self.units, units):
                if any(unit.id not in self._known for unit in some):
                    await self._look_up(some)
                    self._known.update(unit.id for unit in some)

    async def _look_up(self, units: Sequence[Unit]) -> None:
        """Search the names of all these units at once; the most telling ones, where there are too many."""
        weights = usages.together(units) | dict.fromkeys(self.gone_names(units), LOST)
        weights |= {owner: LEAST_WEIGHT for owner in usages.owners(units) if owner not in weights}
        new = sorted((n for n in weights if n not in self.rows), key=lambda n: (-weights[n] - usages.distinct(n), n))
        # Of one unit alone fewer names are gone, and each of them is looked for.
        gone = {name for unit in units for name in self.gone_names([unit])} - self.rows.keys() - weights.keys()
        self.rows.update({name: [] for name in (*new, *gone)})
        calls = [*definitions.called_names(units), *(call for unit in units for call in definitions.flowing([unit]))]
        calls = [call for call in calls if call.name not in self.called_definitions]
        self.called_definitions.update({call.name: [] for call in calls})
        # The limit on lines must not be used up by words that are everywhere: these are searched apart.
        rest = new[FIRST_NAMES:MAX_NAMES]
        plain = [name for name in rest if identifiers.plain(name)]
        telling = [name for name in rest if not identifiers.plain(name)]
        names = (new[:FIRST_NAMES], telling, plain, sorted(gone)[:MAX_NAMES])
        await together(*map(self._search, names), self._define(calls))

    async def _search(self, names: Sequence[str]) -> None:
        """Find the lines that hold the names."""
        if not names:
            return
        rows = await self.tree.grep_lines(Query([usages.whole_names(names)], syntax="perl", limit=MAX_ROWS))
        self.rows.update(usages.by_name([row for row in rows if len(row[2]) <= LONG_LINE], names))

    async def _define(self, calls: Sequence[CalledName]) -> None:
        """Find the definitions of what is called; what the change itself defines is known, and looked for last."""
        links = await self.links()
        looks = [
            self.tree.grep_lines(Query([pattern], globs, syntax="perl", limit=MAX_ROWS))
            for pattern, globs in definitions.searches(sorted(calls, key=lambda call: call.name in links.defined))
        ]
        rows = [row for look_rows in await together(*looks) for row in look_rows if len(row[2]) <= LONG_LINE]
        look_rows = definitions.by_defined_name(
            [*rows, *(row for call in calls for row in links.defined.get(call.name, ()))]
        )
        self.called_definitions.update({call.name: look_rows[call.name] for call in calls if call.name in look_rows})

    async def links(self) -> Links:
        """Return the added lines of the change, matched with each other once."""
        if self._links is None:
            texts = await self.tree.read_many([file.path for file in self.files if file.added_lines and not file.skip])
            self.imports = {p: definitions.import_words(blob.decode("utf-8", "replace")) for p, blob in texts.items()}
            self._links = Links(self.files)
        return self._links
