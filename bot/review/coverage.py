"""Record what static checks judged, what models read, and what is still open.

A region counts as read only if its content was in a prompt. Its name is not enough. Two things must be
covered:
- *Changed code*: each code region is covered once its text was in an answered prompt. Without a model, an
  analyzer must have judged it.
- *Uses of changed contracts* (see `obliged_uses`): each line is covered once a contract check compared it or
  it was in an answered prompt.

The finish gate, the coverage table and the conclusion all use this record.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from bot import config
from bot.diff.read import ADDRESSES
from bot.values import (
    ChangedFile,
    ChangedSymbol,
    Contract,
    Coverage,
    CoverageRow,
    Definition,
    Dependents,
    DiffRow,
    PullRequest,
    ReadUnit,
    Reference,
    Unit,
    UsePlace,
)
from deeprepo.impact.text.paths import is_code, is_test

MODULE = "<module>"  # stands for a whole file, as the target of an import
HEAD_LINES = 4  # lines at the start of an overriding method that can contain its name
# characters; a shorter body ("}", "pass") occurs everywhere and proves nothing, so its diff must occur
# instead
MIN_BODY = 12

SAYS: Mapping[Contract, str] = {
    "removed": "{name} was removed",
    "parameters": "the parameters of {name} changed",
    "declaration": "the declaration of {name} changed",
    "errors": "{name} raises different errors",
    "value": "the value of {name} changed",
}
# Changes that certainly break a use, unless static analysis shows otherwise
BREAKS: frozenset[Contract] = frozenset({"removed", "renamed"})
LONGEST_SIGNATURE = 120  # characters shown of each signature
LEAVE_OUT = f"to skip it in every review, add it to `ignore` in {config.FILE} on the base branch"
_NONE: Mapping[UsePlace, str] = {}
_ROW = re.compile(r"[ +-]?\s*+(\d{1,7}) (.*)$")  # a line of code with its number
_COUNTED = re.compile(r"[ +] (.*)$")  # a line whose number is counted from the rows above
# sign and number before a line of code
_NUMBERED = re.compile(r"^(?:[ +-]?[ \t]*+\d{1,7} |[ +-] )", re.MULTILINE)

# The sign and number before a diff row, whatever the line begins with
_WRITTEN = re.compile(r"^[ +-]?\d{0,7} ", re.MULTILINE)
# a merge compares with all merge bases, so it may undo what the base branch got since this one
SEVERAL_BASES = (
    "the change has several merge bases and was compared with only one, so the merge may contain changes that are not shown here; "
    "merge {base} into the branch again, or rebase the branch onto it"
)
UNKNOWN_BASES = "the history below the change is incomplete, so it may have another merge base or commits from another review: {reason}"


def commit_gaps(pull: PullRequest, secrets_gap: str) -> list[str]:
    """Return what is unknown about the commits of a change.

    `secrets_gap` says why not all commits were scanned for secrets; empty if they were.
    """
    gaps = [secrets_gap] if secrets_gap else []
    if pull.several_bases:
        gaps.append(SEVERAL_BASES.format(base=pull.base_name))
    elif pull.several_bases is None and pull.missing_history not in secrets_gap:
        gaps.append(UNKNOWN_BASES.format(reason=pull.missing_history))
    return gaps


class CoverageTracker:
    """The coverage of one review. It is mutable because it grows while workers answer."""

    def __init__(
        self, units: Sequence[Unit], files: Sequence[ChangedFile], dependents: Dependents, *, by_model: bool = True
    ) -> None:
        self.units = {unit.id: unit for unit in units}
        self.by_model = by_model  # whether changed code counts as covered only once a model has read it
        self._by: dict[str, list[str]] = {}
        self._checked: dict[str, str] = {}
        self._reused: dict[str, ReadUnit] = {}
        self._files, self._dependents = tuple(files), dependents
        self._blocks = {unit.id: _blocks(unit) for unit in units}
        self._twins = _twins(units, _changed_rows) | _twins(units, _text)
        self.uses = {use.place: use for use in obliged_uses(files, dependents)}
        self._compared: dict[UsePlace, str] = {}
        self._read: dict[UsePlace, str] = {}
        self._reused_uses: dict[UsePlace, str] = {}
        self._unchecked: dict[tuple[str, str], None] = {}
        self._limits: list[str] = []
        self._not_installed: list[str] = []
        self._not_run: list[tuple[str, str]] = []
        self._searches: list[str] = [*dependents.missed_uses]  # what could not be searched, as sentences

    def mark(self, ids: Iterable[str], by: str) -> int:
        """Note that `by` judged these code regions, and return how many of them are new."""
        new = 0
        for unit_id in (i for i in ids if i in self.units):
            readers = self._by.setdefault(unit_id, [])
            new += not readers
            if by not in readers:
                readers.append(by)
        return new

    def note_checks(self, unit: str, by: str) -> None:
        """Note that these checks judged a code region, in addition to the model pass."""
        self._checked[unit] = by
        if not self.by_model:
            self.mark([unit], by)

    def note_unchecked(self, path: str, reason: str) -> None:
        """Note that a static check did not judge all of a file, or of the change if `path` is empty.

        This stays open even if a model reads the file.
        """
        self._unchecked[path, reason] = None

    def note_not_installed(self, name: str) -> None:
        """Note that a check with something to do cannot run here."""
        self._not_installed.append(name)

    def note_not_run(self, name: str, reason: str) -> None:
        """Note that a type checker could not run.

        Nothing stays open, since its silence would have proven nothing.
        """
        self._not_run.append((name, reason))

    def note_limits(self, sentences: Sequence[str]) -> None:
        """Note what a check cannot know and therefore does not report."""
        self._limits += sentences

    def note_outside_gaps(self, gaps: Sequence[str], unread: Iterable[str]) -> None:
        """Note what is open outside the changed files.

        `gaps` says why some commits were not scanned, and `unread` which other repositories were not read.
        """
        self._searches += gaps
        for reason in unread:
            self.note_unchecked("", reason)

    def note_comparisons(self, places: Mapping[UsePlace, str]) -> None:
        """Note the results of comparing uses with the changed contracts."""
        self._compared.update({place: comparison for place, comparison in places.items() if place in self.uses})

    def saw(self, prompt: str, by: str, beside: str = "") -> int:
        """Mark every code region and use whose text is in an answered prompt, and count the new regions.

        `beside`: the prompt including the other regions that it shows. Uses in those count as read, but the
        regions themselves do not.
        """
        self._saw_uses(beside or prompt, by)
        plain = _NUMBERED.sub("", prompt)  # the form in which read() prints lines to the root
        bare_prompt = _WRITTEN.sub("", prompt)  # the form in which prompts write diff rows
        left = [unit for unit in self.units.values() if by not in self._by.get(unit.id, ())]
        read = [
            unit
            for unit in left
            if is_shown_in(unit, self._blocks[unit.id], prompt) or _whole(unit, plain) or _whole(unit, bare_prompt)
        ]
        return self.mark((unit.id for unit in read if unit.id not in self._twins or unit.path in prompt), by)

    def _saw_uses(self, prompt: str, by: str) -> None:
        left = [use for place, use in self.uses.items() if place not in self._read]
        if not left:
            return
        row_numbers = set(_numbers(prompt.split("\n")))
        paths_named = {path for path in {use.path for use in left} if path in prompt}
        for use in left:
            is_shown = (str(use.line), use.text.strip()) in row_numbers or _heads(use, row_numbers)
            if use.path in paths_named and is_shown:
                self._read[use.place] = by

    def reuse(self, ids: Mapping[str, ReadUnit], uses: Mapping[UsePlace, str] = _NONE) -> None:
        """Note what an earlier review covers: code regions by ID, and uses.

        Nothing has touched them since. Each maps to the model or check that read it.
        """
        self._reused.update({i: mark for i, mark in ids.items() if i in self.units})
        self._reused_uses.update({place: by for place, by in uses.items() if place in self.uses})

    def has_read_nothing(self) -> bool:
        """Return whether there is something to read, but no review has read any of it."""
        return bool(self.unread()) and not self.readers() and not self._read

    def readers(self) -> dict[str, tuple[str, bool]]:
        """Return, for each judged code region, who judged it and whether that was a model.

        Earlier reviews count. The order is that of the regions, so it doesn't depend on which prompt was
        answered first.
        """
        earlier = {unit: (mark.by, mark.model) for unit, mark in self._reused.items()}
        return earlier | {unit: (", ".join(self._by[unit]), self.by_model) for unit in self.units if unit in self._by}

    def unread(self) -> tuple[Unit, ...]:
        """Return the code regions that have not been judged, riskiest first."""
        done_units = self._by.keys() | self._reused.keys()
        left = [unit for unit in self.units.values() if unit.id not in done_units]
        return tuple(sorted(left, key=lambda unit: (-unit.risk, unit.id)))

    def fresh(self) -> tuple[Unit, ...]:
        """Return the code regions that no earlier review judged in their current form."""
        return tuple(unit for unit in self.units.values() if unit.id not in self._reused)

    def open_uses(self) -> tuple["ObligedUse", ...]:
        """Return the uses of changed contracts that static checks could not decide and no model has read.

        The most informative come first.
        """
        done_uses = self._compared.keys() | self._read.keys() | self._reused_uses.keys()
        return tuple(use for place, use in self.uses.items() if place not in done_uses and not use.is_left_to_a_run)

    def coverage(self, why_unread: str = "no model read it") -> Coverage:
        """Return the coverage as an immutable value."""
        rows = [self._reading(unit, why_unread) for unit in self.units.values()]
        # those that may break come first in the list of what depends on the change
        rows += [self._use(use) for use in sorted(self.uses.values(), key=lambda use: not use.may_break)]
        left_out = {file.path: file.skip or ADDRESSES for file in self._files if file.is_unreviewed}
        rows += [
            CoverageRow("file", path, path, "unread", reason=f"not read: {why}; {LEAVE_OUT}")
            for path, why in left_out.items()
        ]
        # a reason for a whole file is listed only once
        told = {file.unread for file in self._files if file.is_unreviewed}
        searches = (sentence for sentence in self._searches if sentence not in told)
        rows += [CoverageRow("search", "", sentence, "unread", reason=sentence) for sentence in searches]
        unchecked = (row for row in self._unchecked if row[0] not in left_out)
        rows += [CoverageRow("check", path, path, "unread", reason=reason) for path, reason in unchecked]
        skipped_files = tuple((file.path, file.skip) for file in self._files if file.skip)
        cut = tuple(sentence for sentence in self._dependents.cut if sentence not in self._dependents.missed_uses)
        cut = tuple(dict.fromkeys((*cut, *self._limits)))
        not_installed, not_run = tuple(self._not_installed), tuple(self._not_run)
        return Coverage(tuple(rows), skipped_files, cut, self.by_model, not_installed, not_run=not_run)

    def _reading(self, unit: Unit, why_unread: str) -> CoverageRow:
        row = CoverageRow("unit", unit.path, unit.name, "unread", "", why_unread, unit.start)
        row = replace(row, checked=self._checked.get(unit.id, ""))
        if readers := ", ".join(self._by.get(unit.id, ())):
            return replace(row, state="reviewed", by=readers, reason="", read=readers if self.by_model else "")
        if mark := self._reused.get(unit.id):
            return replace(row, state="reused", by=mark.by, reason="", read=mark.by if mark.model else "")
        return row

    def _use(self, use: "ObligedUse") -> CoverageRow:
        comparison, read = self._compared.get(use.place, ""), self._read.get(use.place, "")
        reading = CoverageRow("use", use.path, use.symbol, "reviewed", line=use.line, checked=comparison, read=read)
        if comparison or read:
            return replace(reading, by=", ".join(filter(None, ("contracts" if comparison else "", read))))
        if use.place in self._reused_uses:
            by = self._reused_uses[use.place]
            return replace(reading, state="reused", by=by, read=by)
        if use.is_left_to_a_run:
            return replace(reading, state="skipped", reason="in a test, which its own run checks")
        if use.reference.asks and not _may_be_provided(use.reference):
            return replace(reading, state="unread", reason=use.says)
        if not use.may_break or use.is_doubtful:
            return replace(reading, state="relies", reason=use.was_now or use.says)
        why = "its lines were not in any prompt" if self.by_model else ""
        return replace(reading, state="unread", reason="; ".join(filter(None, (use.says, why))))


@dataclass(frozen=True, slots=True)
class ObligedUse:
    """A line that depends on a changed contract. If it may break, it is open until it is compared or read."""

    symbol: str  # "path:name" of the changed definition
    path: str
    line: int
    text: str
    says: str  # what changed, as a clause
    test: bool
    reference: Reference
    was_now: str  # both signatures if they differ: "`def total(a)` is now `def total(a, b=1)`"
    may_break: bool  # whether its target was removed or renamed; False if only the name matches

    @property
    def place(self) -> UsePlace:
        """The key that identifies the use."""
        return self.symbol, self.path, self.line

    @property
    def is_doubtful(self) -> bool:
        """Whether it is unknown if something else provides its name. In ordinary commits, something nearly always does."""
        return not (self.reference.missing or self.symbol.endswith(f":{MODULE}"))

    @property
    def is_left_to_a_run(self) -> bool:
        """Whether it is left to a test run: it is in a test and isn't a removed member of a known class."""
        return self.test and not (self.reference.asks and self.reference.is_bound)


def _numbers(rows: Iterable[str]) -> Iterator[tuple[str, str]]:
    at = 0
    for text in rows:
        if row := _ROW.match(text):
            at = int(row[1]) if text[0] != "-" else at
            yield row[1], row[2].strip()
        elif at and (counted_row := _COUNTED.match(text)):
            at += 1
            yield str(at), counted_row[1].strip()
        elif not text.startswith("- "):
            at = 0


def _heads(use: ObligedUse, row_numbers: Collection[tuple[str, str]]) -> bool:
    """Return whether the start of an overriding method is shown.

    Decorators and annotations may precede its name.
    """
    if use.reference.form != "definition":
        return False
    lines = {str(use.line + index) for index in range(HEAD_LINES)}
    return any(number in lines and use.reference.name in text for number, text in row_numbers)


def obliged_uses(files: Sequence[ChangedFile], dependents: Dependents) -> tuple[ObligedUse, ...]:
    """Return the uses that must be compared or read, the most informative first (see docs/coverage.md).

    - A use is a line outside the change that refers to a definition whose *contract* changed
      (`ChangedSymbol.contract`). If only the body, comments, docstring or formatting changed, callers need
      not be read.
    - An import counts as a use only if the imported name was removed. A file that merely imports a changed
      file is not a use.
    - A reference found only by its name counts if hardly anything else can be intended
      (`Reference.is_guessed`).
    - Added lines are changed code and are read in their code region, and so is the definition itself.
    - Uses in tests are compared statically. What this cannot decide is left to the test run.
    """
    symbols = dependents.by_key()
    fresh = {file.path: file.added_lines for file in files}
    uses_by_place: dict[UsePlace, ObligedUse] = {}
    rows = [(reference, symbols.get(reference.symbol)) for reference in dependents.references if _tells(reference)]
    rows += [(_override(key, override), symbols.get(key)) for key, override in dependents.subclasses]
    for reference, item in sorted(rows, key=lambda pair: _telling(pair[0])):
        changes = item.contract if item is not None else ("removed",) if not reference.is_guessed else ()
        is_gone = not {"removed", "renamed"}.isdisjoint(changes)
        if (
            not changes
            or (reference.form == "import" and not is_gone)
            or reference.line in fresh.get(reference.path, ())
        ):
            continue
        after = item.after if item is not None else None
        if after is not None and after.path == reference.path and after.start <= reference.line <= after.end:
            continue
        says = " and ".join(_says(part, reference, item) for part in changes[:2])
        # An import that now resolves to another file still works.
        lost = {"removed"} if reference.symbol.endswith(f":{MODULE}") else BREAKS
        may_break = (reference.is_bound or reference.missing) and not lost.isdisjoint(changes)
        may_break = may_break and not _may_be_provided(reference)
        was_now = _signature_change(item) if item is not None else ""
        use = ObligedUse(
            reference.symbol,
            reference.path,
            reference.line,
            reference.text,
            says,
            reference.test,
            reference,
            was_now,
            may_break,
        )
        uses_by_place.setdefault(use.place, use)
    return tuple(uses_by_place.values())


def _may_be_provided(reference: Reference) -> bool:
    """Return whether a line at the head may provide the name.

    The coverage row says which line, and the review itself doesn't check it.
    """
    return bool(reference.doubt) and not reference.likely


def _says(part: Contract, reference: Reference, item: ChangedSymbol | None) -> str:
    """Return what changed, as a clause such as "load was renamed to read"."""
    path, _, name = reference.symbol.rpartition(":")
    if part == "removed" and reference.doubt:
        what = path if name == MODULE else name
        return f"{what} may have been removed: {reference.doubt}"
    if name == MODULE:
        if part == "renamed" and item is not None and item.after is None:
            return f"this import no longer resolves to {path}"
        return f"{path} was removed" if part == "removed" else f"this import now resolves to {path}"
    if part == "renamed" and item is not None and item.before is not None and item.before.path == item.symbol.path:
        return f"{item.before.name} was renamed to {name}"
    if part == "renamed":
        return f"{name} moved to {reference.symbol.rpartition(':')[0]}"
    return SAYS[part].format(name=name)


def _signature_change(item: ChangedSymbol) -> str:
    """Return the signatures before and after the change; empty if they are equal or too long for a line."""
    was, now = (
        " ".join(definition.head.split()) if definition is not None and definition.signature else ""
        for definition in (item.before, item.after)
    )
    is_told = was and now and was != now and max(len(was), len(now)) <= LONGEST_SIGNATURE
    return f"`{was}` is now `{now}`" if is_told else ""


def _tells(reference: Reference) -> bool:
    return reference.form != "definition" and not reference.is_guessed


def _telling(reference: Reference) -> tuple[bool, bool, bool, bool, bool, str, int]:
    return (
        not reference.missing,
        reference.test,
        not reference.is_bound,
        not reference.call,
        not is_code(reference.path),
        reference.path,
        reference.line,
    )


def _override(key: str, override: Definition) -> Reference:
    """Return an override as a reference to its method, which stays open if the method has another name now."""
    asks = override.short != re.split(r"[:.]", key)[-1]
    text = override.head if override.signature else override.name
    test = is_test(override.path)
    span = override.start, override.end
    return Reference(
        key,
        override.short,
        override.path,
        override.start,
        text,
        override.name,
        span,
        "bound",
        test=test,
        form="definition",
        asks=asks,
    )


def is_shown_in(unit: Unit, blocks: Sequence[str], prompt: str) -> bool:
    """Return whether the region's text, or every changed line of its diff, occurs verbatim in the prompt.

    A prompt that only names the path doesn't count.
    """
    return _whole(unit, prompt) or (bool(blocks) and all(block in prompt for block in blocks))


def _blocks(unit: Unit) -> tuple[str, ...]:
    """Return the runs of changed lines, in the form in which a prompt shows them."""
    return tuple("\n".join(map(str, rows)) for is_change, rows in groupby(unit.rows, _is_change) if is_change)


def _twins(units: Sequence[Unit], rows: Callable[[Unit], frozenset[str]]) -> frozenset[str]:
    """Return the code regions whose rows all occur in another region too, so that their path must be named.

    An example is one line that is changed in many files.
    """
    holders: dict[str, set[str]] = defaultdict(set)
    for unit in units:
        for line in rows(unit):
            holders[line].add(unit.id)
    shared_rows = ((unit.id, sorted((holders[line] for line in rows(unit)), key=len)) for unit in units)
    return frozenset(name for name, sets in shared_rows if sets and len(set.intersection(*sets)) > 1)


def _changed_rows(unit: Unit) -> frozenset[str]:
    return frozenset(map(str, unit.changed_rows))


def _text(unit: Unit) -> frozenset[str]:
    return frozenset(unit.text.strip().split("\n"))


def _whole(unit: Unit, prompt: str) -> bool:
    body = unit.text.strip()
    return len(body) >= MIN_BODY and body in prompt


def _is_change(diff_row: DiffRow) -> bool:
    return diff_row.sign in ("+", "-")
