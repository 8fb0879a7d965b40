"""Search the tree for the names in one change, each name once for all prompts.

Every distinctive name in the changed lines is searched in the whole tree, at the same time for all unread
code regions. So a prompt's content doesn't depend on which prompt was written first.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from bot.checkout.shown import create_known_secrets
from bot.checkout.views import WrittenTree
from bot.ports import KnownSecrets
from bot.review.context import definitions, identifiers, leftovers, markers, usages
from bot.review.context.cross_unit import Links
from bot.review.context.definitions import LONG_LINE, CalledName
from bot.review.context.handed_on import HandedOn
from bot.review.context.usages import Row
from bot.values import ChangedFile, Query, Unit
from deeprepo.impact.concurrency import together
from deeprepo.impact.ports import Tree

LEAST_WEIGHT = 0.0  # weight of a type that is searched only to find the files that mention it
LOST = 5.0  # weight of a name that the change removes, above all others
FIRST_NAMES, MAX_NAMES = 40, 240  # names searched together
MAX_ROWS = 20_000  # lines that one search may return


@dataclass
class Searches:
    """The lines that contain a change's names, and the definitions that it calls."""

    tree: Tree
    files: Sequence[ChangedFile]
    units: Sequence[Unit] = ()  # the unread code regions
    # It learns the secrets in each file before lines of it are shown
    masks: KnownSecrets = field(default_factory=create_known_secrets)
    rows: dict[str, list[Row]] = field(default_factory=dict)  # by the name they contain
    # Definitions that the change calls, by name
    called_definitions: dict[str, list[Row]] = field(default_factory=dict)
    # Words in the import lines of changed files
    imports: dict[str, frozenset[str]] = field(default_factory=dict)
    handed_on: HandedOn = field(init=False)  # values passed on by callers
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # prompts are written in parallel
    _links: Links | None = None
    _gone: dict[str, frozenset[str]] = field(default_factory=dict)  # names that a region removes, by its ID
    _known: set[str] = field(default_factory=set)  # IDs of the regions whose names were searched
    _learned: set[str] = field(default_factory=set)  # files whose secrets are known

    def __post_init__(self) -> None:
        self.tree = WrittenTree(self.tree)
        self.handed_on = HandedOn(self.tree)

    @cached_property
    def _remaining_words(self) -> tuple[frozenset[str], frozenset[str]]:
        """The words in the added lines of the whole change."""
        return leftovers.remaining_words(self.files)

    def gone_names(self, units: Iterable[Unit]) -> list[str]:
        """Return the names that these regions remove from the change, as many as one prompt searches for."""
        return leftovers.first({name for unit in units for name in self._gone_from(unit)})

    def _gone_from(self, unit: Unit) -> frozenset[str]:
        if unit.id not in self._gone:
            self._gone[unit.id] = leftovers.names(unit, self._remaining_words)
        return self._gone[unit.id]

    async def learn_secrets(self, paths: Iterable[str]) -> None:
        """Learn the secrets in these files before lines of them are shown.

        A shown line may lack the name that marks its value as a secret.
        """
        async with self._lock:
            new = [path for path in dict.fromkeys(paths) if path not in self._learned]
            texts = await self.tree.read_many(new) if new else {}
            self.masks.learn_files({path: blob.decode("utf-8", "replace") for path, blob in texts.items()})
            self._learned.update(new)

    async def look_up(self, units: Sequence[Unit]) -> None:
        """Search for the names in these regions, after those in all unread regions."""
        async with self._lock:
            for some in (self.units, units):
                if any(unit.id not in self._known for unit in some):
                    await self._look_up(some)
                    self._known.update(unit.id for unit in some)

    async def _look_up(self, units: Sequence[Unit]) -> None:
        """Search for the names in all these regions, or for the most distinctive if there are many."""
        weights = usages.together(units) | dict.fromkeys(self.gone_names(units), LOST)
        weights |= {owner: LEAST_WEIGHT for owner in usages.owners(units) if owner not in weights}
        new = sorted((n for n in weights if n not in self.rows), key=lambda n: (-weights[n] - usages.distinct(n), n))
        # A single region removes fewer names, and each of them is searched.
        gone = {name for unit in units for name in self.gone_names([unit])} - self.rows.keys() - weights.keys()
        self.rows.update({name: [] for name in (*new, *gone)})
        calls = [
            *definitions.called_names(units),
            *(call for unit in units for call in definitions.downstream_calls([unit])),
        ]
        calls = [call for call in calls if call.name not in self.called_definitions]
        self.called_definitions.update({call.name: [] for call in calls})
        # Words that occur everywhere are searched separately, so that they don't use up the limit on lines.
        rest = new[FIRST_NAMES:MAX_NAMES]
        plain = [name for name in rest if identifiers.plain(name)]
        telling = [name for name in rest if not identifiers.plain(name)]
        texts = [text for text in markers.near_changes(units) if text not in self.rows]
        names = (new[:FIRST_NAMES], telling, plain, sorted(gone)[:MAX_NAMES], texts)
        await together(*map(self._search, names), self._define(calls))

    async def _search(self, names: Sequence[str]) -> None:
        """Find the lines that contain the names."""
        if not names:
            return
        rows = await self.tree.grep_lines(Query([usages.whole_names(names)], syntax="perl", limit=MAX_ROWS))
        self.rows.update(usages.by_name([row for row in rows if len(row[2]) <= LONG_LINE], names))

    async def _define(self, calls: Sequence[CalledName]) -> None:
        """Find the called definitions. Those in the change itself are known, so they are searched last."""
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
