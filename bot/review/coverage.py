"""Record what static checks judged, what models read, and what is still open.

Being shown something judges nothing: only a usable answer does, file by file. Two things must be covered:
- *Changed code*: each code region is covered once a model was shown it, and its answer names the file with a
  changed line. Without a model, an analyzer must have judged it.
- *Uses of changed contracts* (see `obliged_uses`): each line is covered once a contract check compared it, or
  it was shown to a model whose answer names the file that changed the contract.

The finish gate, the coverage table and the conclusion all use this record.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

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
    PullRequest,
    ReadUnit,
    Reference,
    Unit,
    UsePlace,
)
from deeprepo.impact.text.paths import is_code, is_test

MODULE = "<module>"  # stands for a whole file, as the target of an import
HEAD_LINES = 4  # lines at the start of an overriding method that can contain its name
UNANSWERED = "no model answered for this file"  # why a region is open

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
        self._by: defaultdict[str, set[str]] = defaultdict(set)
        self._checked: dict[str, str] = {}
        self._reused: dict[str, ReadUnit] = {}
        self._files, self._dependents = tuple(files), dependents
        self._asked: set[str] = set()  # regions that a model was shown, and then answered, whatever it judged
        self.uses = {use.place: use for use in obliged_uses(files, dependents)}
        self._compared: dict[UsePlace, str] = {}
        self._read: dict[UsePlace, str] = {}
        self._reused_uses: dict[UsePlace, str] = {}
        self._unchecked: dict[tuple[str, str], None] = {}
        self._limits: list[str] = []
        self._not_installed: list[str] = []
        self._not_run: list[tuple[str, str]] = []
        self._searches: list[str] = [*dependents.missed_uses]  # what could not be searched, as sentences

    def note_checks(self, unit: str, by: str) -> None:
        """Note that these checks judged a code region, in addition to the model pass."""
        self._checked[unit] = by
        if not self.by_model:
            self._by[unit].add(by)

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

    def note_asked(self, units: Iterable[Unit]) -> None:
        """Note that a model has answered a prompt with these code regions, whatever it judged."""
        self._asked.update(unit.id for unit in units)

    def judge(
        self,
        shown: Sequence[Unit],
        named: Collection[tuple[str, str]],
        by: str,
        lines: Collection[tuple[str, int]] = (),
    ) -> bool:
        """Mark what an answer judges of the code regions that it was `shown`, and return whether it is any.

        It judges those of each file that it names with a changed line. `named`: paths, each with that line's number or
        text. `lines`: the numbered lines that were shown, for the uses of what these files change.
        """
        paths = {unit.path for unit in shown if any((unit.path, line) in named for line in _changed_lines(unit))}
        for unit in shown:
            if unit.path in paths:
                self._by[unit.id].add(by)
        changed_paths = {unit.path for unit in self.units.values()} - paths if paths else frozenset()
        for place, use in self.uses.items() if paths else ():
            if use.symbol.rpartition(":")[0] not in changed_paths and use.is_among(lines):
                self._read[place] = min(by, self._read.get(place, by))
        return bool(paths)

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
        return earlier | {
            unit: (", ".join(sorted(self._by[unit])), self.by_model) for unit in self.units if unit in self._by
        }

    def unread(self, *, never_asked: bool = False) -> tuple[Unit, ...]:
        """Return the code regions that have not been judged, riskiest first.

        With `never_asked`, leave out those of answered prompts: the answer didn't name their file.
        """
        done_units = self._by.keys() | self._reused.keys() | (self._asked if never_asked else set())
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

    def named_uses(self) -> tuple["ObligedUse", ...]:
        """Return the open uses of removed names that something else may define, which the list of places names."""
        return tuple(use for use in self.open_uses() if use.is_named)

    def coverage(self) -> Coverage:
        """Return the coverage as an immutable value."""
        named = {use.place for use in self.named_uses()}
        rows = [self._reading(unit) for unit in self.units.values()]
        # those that may break come first in the list of what depends on the change
        uses = (use for use in self.uses.values() if use.place not in named)
        rows += [self._use(use) for use in sorted(uses, key=lambda use: not use.may_break)]
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

    def _reading(self, unit: Unit) -> CoverageRow:
        row = CoverageRow("unit", unit.path, unit.name, "unread", "", UNANSWERED, unit.start)
        row = replace(row, checked=self._checked.get(unit.id, ""))
        if readers := ", ".join(sorted(self._by.get(unit.id, ()))):
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
        if not use.may_break:
            return replace(reading, state="relies", reason=use.was_now or use.says)
        why = "no model judged it" if self.by_model else ""
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

    def is_among(self, lines: Collection[tuple[str, int]]) -> bool:
        """Return whether it is among these lines. Decorators and annotations may precede a definition's name."""
        last = self.line + (HEAD_LINES if self.reference.form == "definition" else 1)
        return any((self.path, line) in lines for line in range(self.line, last))

    @property
    def is_named(self) -> bool:
        """Whether it is unknown if something else provides its name. In ordinary commits, something nearly always does."""
        is_asked = self.reference.asks and not _may_be_provided(self.reference)
        return self.may_break and not (is_asked or self.reference.missing or self.symbol.endswith(f":{MODULE}"))

    @property
    def is_left_to_a_run(self) -> bool:
        """Whether it is left to a test run: it is in a test and isn't a removed member of a known class."""
        return self.test and not (self.reference.asks and self.reference.is_bound)


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


def _changed_lines(unit: Unit) -> set[str]:
    """Return the numbers and texts with which an answer can name the changed lines of a region."""
    return {name for row in unit.changed_rows for name in (str(row.number), " ".join(row.text.split())) if name}
