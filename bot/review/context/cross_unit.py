"""Find changed code that uses what other changed code defines, to group it in prompts and show it together.

New definitions have no callers in the old tree, because their callers were changed with them. So the added
lines are matched with each other. Pure functions.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from bot.review.context import definitions
from bot.review.context.definitions import LONG_LINE, CalledName
from bot.review.context.usages import Pick, Row
from bot.values import ChangedFile, Unit
from deeprepo.impact.text.paths import is_product

MAX_PICKS = 4  # lines shown for the definitions in one prompt
PER_NAME = 2
MOST_HOLDERS = 8  # code regions that may contain a name; a more frequent name links nothing
MIN_NAME_LETTERS = 4  # minimum letters of a name that links regions
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")


def linked_pairs(units: Sequence[Unit]) -> dict[tuple[str, str], float]:
    """Return pairs of regions where one names what the other changes, with a weight.

    Rare names weigh more.
    """
    words = {unit.id: _words(unit) for unit in units}
    names_by_unit: dict[str, list[str]] = defaultdict(list)
    for unit in units:
        for name in _own(unit):
            names_by_unit[name].append(unit.id)
    holders: dict[str, list[str]] = defaultdict(list)
    for unit in units:
        for word in words[unit.id] & names_by_unit.keys():
            holders[word].append(unit.id)
    weights: dict[tuple[str, str], float] = defaultdict(float)
    for name, owners in names_by_unit.items():
        if len(holders[name]) <= MOST_HOLDERS and len(owners) <= PER_NAME:
            for pair in sorted({(min(o, h), max(o, h)) for o in owners for h in holders[name] if o != h}):
                weights[pair] += 1 / len(holders[name])
    return weights


def _own(unit: Unit) -> set[str]:
    """Return what a region defines or defined: its name, and the definitions in its changed lines."""
    names = {re.sub(r"[@#]\d+$", "", unit.name).rpartition(".")[2]}
    for diff_row in unit.changed_rows:
        names |= definitions.names(unit.path, diff_row.text)
    return {name for name in names if len(name) >= MIN_NAME_LETTERS and _IDENTIFIER.fullmatch(name)}


def _words(unit: Unit) -> set[str]:
    return {word for diff_row in unit.changed_rows for word in _IDENTIFIER.findall(diff_row.text[:LONG_LINE])}


class Links:
    """One change's added lines, by what they define and what they call."""

    def __init__(self, files: Iterable[ChangedFile]) -> None:
        rows = [hit for file in files if not file.skip for hit in _added_rows(file)]
        self.defined: Mapping[str, Sequence[Row]] = definitions.by_defined_name(rows)
        self._of_file: dict[str, list[tuple[str, Row]]] = defaultdict(list)
        for name, (hit, *others) in self.defined.items():
            if not others:  # if a name is defined twice, a use is ambiguous
                self._of_file[hit[0]].append((name, hit))
        self.calls: dict[str, list[tuple[CalledName, Row]]] = defaultdict(list)
        for hit in rows:
            for call in dict.fromkeys(definitions.calls(hit[0], hit[2])):
                self.calls[call.name].append((call, hit))

    def pick(
        self, units: Sequence[Unit], shown_lines: Collection[tuple[str, int]], imports: Mapping[str, Collection[str]]
    ) -> list[Pick]:
        """Return changed lines outside this prompt that call what the regions' added lines define.

        Each definition's first use comes before the second ones.
        """
        ranked_picks: list[tuple[int, Pick]] = []
        paths = dict.fromkeys(unit.path for unit in units if unit.side == "head")
        for name, hit in (item for path in paths for item in self._of_file[path] if _within(item[1], units)):
            users = [
                Pick(path, line, (name,), defines=False, with_head=True)
                for call, (path, line, _) in self.calls.get(name, ())
                if (path, line) not in shown_lines and definitions.meanings(call, [hit], imports.get(path, ()))
            ]
            ranked_picks += enumerate(users[:PER_NAME])
        return [pick for _, pick in sorted(ranked_picks, key=lambda item: item[0])][:MAX_PICKS]


def _added_rows(file: ChangedFile) -> Iterable[Row]:
    if not is_product(file.path):
        return ()
    lines = (line for hunk in file.hunks for line in hunk.lines if line.kind == "+" and len(line.text) <= LONG_LINE)
    return [(file.path, line.new, line.text) for line in lines if line.new is not None]


def _within(hit: Row, units: Iterable[Unit]) -> bool:
    return any(unit.side == "head" and unit.path == hit[0] and unit.start <= hit[1] <= unit.end for unit in units)
