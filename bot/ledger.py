"""What was read, by content: a unit counts as read when its own text stood in a prompt that was answered, or an analyser judged it.

The finish gate, the coverage table and the conclusion all read this one book.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby

from bot.values import ChangedFile, Coverage, Dependents, Reading, Unit

MIN_BODY = 12  # a shorter body ("}", "pass") occurs everywhere and proves nothing: its diff must occur instead

_NUMBERED = re.compile(r"^(?:[ +-]?[ \t]*+\d{1,7} |[+-] )", re.MULTILINE)  # sign and number before a line of code


class Ledger:
    """One review's book. Not frozen: it is the one thing that grows while workers answer."""

    def __init__(self, units: Sequence[Unit], files: Sequence[ChangedFile], dependents: Dependents) -> None:
        self.units = {unit.id: unit for unit in units}
        self._by: dict[str, list[str]] = {}
        self._skipped: dict[str, str] = {}
        self._reused: dict[str, str] = {}
        self._reused_files: dict[str, str] = {}
        self._files, self._dependents = tuple(files), dependents
        self._callers: dict[str, list[str]] = {}
        self._lines = _own_lines(units, dependents)
        self._twins = _twins(units, _changed) | _twins(units, _text)

    def mark(self, ids: Iterable[str], by: str) -> int:
        """These units were judged by `by`. Returns how many of them nobody had judged before."""
        new = 0
        for known in (i for i in ids if i in self.units):
            readers = self._by.setdefault(known, [])
            new += not readers
            if by not in readers:
                readers.append(by)
        return new

    def saw(self, prompt: str, by: str) -> int:
        """An answered prompt: every unit and every caller whose text stands in it, verbatim, was read. Returns the new ones."""
        for path, line in self._lines:
            if path not in self._callers and line in prompt and (self._lines[path, line] or path in prompt):
                self._callers[path] = [by]
        plain = _NUMBERED.sub("", prompt)  # as read() prints lines to the root
        left = [unit for unit in self.units.values() if by not in self._by.get(unit.id, ())]
        read = [unit for unit in left if stands_in(unit, prompt) or _whole(unit, plain)]
        return self.mark((unit.id for unit in read if unit.id not in self._twins or unit.path in prompt), by)

    def looked_at(self, paths: Iterable[str], by: str) -> None:
        """Unchanged files that `by` judged without a prompt (an analyser)."""
        for path in paths:
            readers = self._callers.setdefault(path, [])
            if by not in readers:
                readers.append(by)

    def skip(self, ids: Iterable[str], reason: str) -> None:
        """These units will not be read, and why."""
        self._skipped.update({i: reason for i in ids if i in self.units and i not in self._by})

    def reuse(self, ids: Mapping[str, str], paths: Mapping[str, str]) -> None:
        """Units (id) and unchanged files (path) that an earlier round read and nothing has touched since -> who read them."""
        self._reused.update({i: by for i, by in ids.items() if i in self.units})
        self._reused_files.update(paths)

    def readers(self) -> dict[str, str]:
        """Unit -> who judged it, in this round or an earlier one."""
        return self._reused | {unit: ", ".join(by) for unit, by in self._by.items()}

    def unread(self) -> tuple[Unit, ...]:
        """Units that nobody has judged yet and that were not left out for a reason, riskiest first."""
        done = self._by.keys() | self._skipped.keys() | self._reused.keys()
        left = [unit for unit in self.units.values() if unit.id not in done]
        return tuple(sorted(left, key=lambda unit: (-unit.risk, unit.id)))

    def coverage(self, why_unread: str = "no worker reached it") -> Coverage:
        """The book as a value."""
        rows = [self._reading(unit, why_unread) for unit in self.units.values()]
        # What is found by its name alone is a proposal, not a dependent.
        sure = [row.path for row in self._dependents.references if row.sure]
        paths = dict.fromkeys([d.path for d in self._dependents.files] + sure)
        changed = {file.path for file in self._files}
        rows += [self._dependent(path) for path in paths if path not in changed]
        skipped = tuple((file.path, file.skip) for file in self._files if file.skip)
        return Coverage(tuple(rows), skipped, self._dependents.cut)

    def _reading(self, unit: Unit, why_unread: str) -> Reading:
        if unit.id in self._by:
            return Reading("unit", unit.path, unit.name, "reviewed", ", ".join(self._by[unit.id]))
        if unit.id in self._reused:
            return Reading("unit", unit.path, unit.name, "reused", self._reused[unit.id])
        if unit.id in self._skipped:
            return Reading("unit", unit.path, unit.name, "skipped", reason=self._skipped[unit.id])
        return Reading("unit", unit.path, unit.name, "unread", reason=why_unread)

    def _dependent(self, path: str) -> Reading:
        if by := ", ".join(self._callers.get(path, ())):
            return Reading("dependent", path, path, "reviewed", by)
        if path in self._reused_files:
            return Reading("dependent", path, path, "reused", self._reused_files[path])
        return Reading("dependent", path, path, "unread", reason="its lines stood in no prompt")


def start(units: Sequence[Unit], files: Sequence[ChangedFile], dependents: Dependents) -> Ledger:
    """A new book in which nothing is read yet."""
    return Ledger(units, files, dependents)


def stands_in(unit: Unit, prompt: str) -> bool:
    """Whether the unit's own text, or every changed line of its diff, occurs verbatim. Naming its path is not reading it."""
    if _whole(unit, prompt):
        return True
    blocks = _blocks(unit.diff)
    return bool(blocks) and all(block in prompt for block in blocks)


@lru_cache(maxsize=10_000)
def _blocks(diff: str) -> tuple[str, ...]:
    """The runs of changed lines. Kept, because every answered prompt is held against every unit."""
    return tuple("\n".join(rows) for changed, rows in groupby(diff.split("\n"), _is_change) if changed)


def _own_lines(units: Sequence[Unit], dependents: Dependents) -> dict[tuple[str, str], bool]:
    """The lines that prove a reading of an unchanged file (path, text), and whether the text alone says which file it is.

    `from shop import pay` stands in many files, and perhaps in the change itself: it proves nothing without the path.
    """
    rows = {(row.path, row.text.strip()) for row in dependents.references if len(row.text.strip()) >= MIN_BODY}
    holders = Counter(text for _, text in rows)
    changed = {line.strip() for unit in units for line in unit.text.split("\n")}
    changed |= {_NUMBERED.sub("", line).strip() for unit in units for line in unit.diff.split("\n")}
    return {(path, text): holders[text] == 1 and text not in changed for path, text in sorted(rows)}


def _twins(units: Sequence[Unit], rows: Callable[[Unit], frozenset[str]]) -> frozenset[str]:
    """Units all of whose rows stand in another unit too, such as one line that is changed in many files: their path must be named."""
    holders: dict[str, set[str]] = defaultdict(set)
    for unit in units:
        for row in rows(unit):
            holders[row].add(unit.id)
    shared = ((unit.id, sorted((holders[row] for row in rows(unit)), key=len)) for unit in units)
    return frozenset(name for name, sets in shared if sets and len(set.intersection(*sets)) > 1)


def _changed(unit: Unit) -> frozenset[str]:
    return frozenset(row for row in unit.diff.split("\n") if _is_change(row))


def _text(unit: Unit) -> frozenset[str]:
    return frozenset(unit.text.strip().split("\n"))


def _whole(unit: Unit, prompt: str) -> bool:
    body = unit.text.strip()
    return len(body) >= MIN_BODY and body in prompt


def _is_change(row: str) -> bool:
    return row.startswith(("+", "-"))
