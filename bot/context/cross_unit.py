"""Changed code that uses what another prompt's changed code defines. Pure.

A definition that the change itself brings has no callers elsewhere to be looked up: the code that calls it was changed with it. So
the lines that the change adds are matched with each other.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from bot.context import definitions
from bot.context.definitions import LONG_LINE, CalledName
from bot.context.usages import Pick, Row
from bot.paths import is_product
from bot.values import ChangedFile, Unit

MAX_PICKS = 4  # lines shown for the definitions of one prompt
PER_NAME = 2


class Links:
    """The added lines of one change, by what they define and by what they call."""

    def __init__(self, files: Iterable[ChangedFile]) -> None:
        rows = [row for file in files if not file.skip for row in _added(file)]
        self.defined: Mapping[str, Sequence[Row]] = definitions.defined(rows)
        self._of_file: dict[str, list[tuple[str, Row]]] = defaultdict(list)
        for name, (row, *others) in self.defined.items():
            if not others:  # of two definitions nobody can say which is meant
                self._of_file[row[0]].append((name, row))
        self.calls: dict[str, list[tuple[CalledName, Row]]] = defaultdict(list)
        for row in rows:
            for call in dict.fromkeys(definitions.calls(row[0], row[2])):
                self.calls[call.name].append((call, row))

    def pick(
        self, units: Sequence[Unit], shown: Collection[tuple[str, int]], imports: Mapping[str, Collection[str]]
    ) -> list[Pick]:
        """Changed lines outside this prompt that call what the units' added lines define: each definition's first, then its second."""
        found: list[tuple[int, Pick]] = []
        paths = dict.fromkeys(unit.path for unit in units if unit.side == "head")
        for name, row in (item for path in paths for item in self._of_file[path] if _within(item[1], units)):
            users = [
                Pick(path, line, (name,), defines=False, headed=True)
                for call, (path, line, _) in self.calls.get(name, ())
                if (path, line) not in shown and definitions.meant(call, [row], imports.get(path, ()))
            ]
            found += enumerate(users[:PER_NAME])
        return [pick for _, pick in sorted(found, key=lambda item: item[0])][:MAX_PICKS]


def _added(file: ChangedFile) -> Iterable[Row]:
    if not is_product(file.path):
        return ()
    lines = (line for hunk in file.hunks for line in hunk.lines if line.kind == "+" and len(line.text) <= LONG_LINE)
    return [(file.path, line.new, line.text) for line in lines if line.new is not None]


def _within(row: Row, units: Iterable[Unit]) -> bool:
    return any(unit.side == "head" and unit.path == row[0] and unit.start <= row[1] <= unit.end for unit in units)
