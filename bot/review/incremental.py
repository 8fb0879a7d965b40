"""Decide what a review can skip because the last review of the same change covered it.

Everything is read again, and the review says why, if the base changed, if the head doesn't contain the
reviewed commit, or if the record of the last review cannot be trusted.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bot.findings import rounds
from bot.findings.places import Since
from bot.review.coverage import CoverageTracker
from bot.stored import reviews
from bot.values import (
    ChangedFile,
    Dependents,
    EarlierReview,
    Finding,
    PullRequest,
    ReadUnit,
    Reference,
    Round,
    Severity,
    Unit,
    Verdict,
    at_least,
)
from bot.values.finding import AGREED

SMALL_PUSH = 100  # written lines in a small push
SHORT_PUSH = 40  # lines that such a push writes and removes, and changed lines of its new regions


class Commits(Protocol):
    """Reads commits outside the change."""

    async def descends(self, commit: str) -> bool | None:
        """Return whether the head contains this commit; None if too little history is known."""

    async def many_at(self, commit: str, paths: Sequence[str]) -> Mapping[str, bytes]:
        """Return those of the files that exist in a commit."""


def _is_single(finding: Finding) -> bool:
    return finding.verdict not in (Verdict.PROVEN, Verdict.REPRODUCED) and finding.basis.reports < AGREED


@dataclass(frozen=True, slots=True)
class Past:
    """The previous review, if there is a usable one."""

    known: EarlierReview | None = None  # its record, used to recognize its findings in the current code
    round: Round = field(default_factory=Round)
    before: Mapping[str, str] = field(default_factory=dict)  # text of the changed files at the previous head
    # what happened to the lines of those files, and of the previous review's
    since: Since = field(default_factory=Since)

    @property
    def earlier(self) -> EarlierReview | None:
        """The previous review, or None if everything has to be read again."""
        return None if self.round.reason else self.known

    @property
    def notes(self) -> tuple[str, ...]:
        """Why an earlier review could not be used, if one was given."""
        return (f"{self.round.reason[:1].upper()}{self.round.reason[1:]}, so everything was reviewed again.",) * bool(
            self.round.reason
        )

    def carry(
        self, tracker: CoverageTracker, dependents: Dependents, *, by_model: bool, again: Collection[str] = ()
    ) -> None:
        """Mark in the coverage tracker what need not be read again. `again`: files that are read anyway."""
        if self.earlier is None or self.round.full:
            return
        units = tuple(tracker.units.values())
        same = _unchanged_units(self.earlier, units, dependents.references, by_model=by_model)
        same = {name: mark for name, mark in same.items() if tracker.units[name].path not in again}
        fresh = {reference.symbol for unit in units if unit.id not in same for reference in unit.references}
        by = f"round {self.earlier.number}"
        known_uses = frozenset(self.earlier.uses)
        uses = [
            use for use in tracker.uses.values() if (use.symbol, use.path) in known_uses and use.symbol not in fresh
        ]
        tracker.reuse(same, {use.place: by for use in uses})

    def is_short_push(self, unread: Sequence[Unit]) -> bool:
        """Return whether few lines changed since the last review, no file lost a word, and models had read the rest.

        A word that a file loses may be a name that other files still contain, so it needs a search.
        """
        if self.earlier is None or self.round.full:
            return False
        known_ids = {unit.id for unit in self.earlier.units if unit.model}
        before, now = self.since.before, self.since.now
        changed_lines = sum(side.count_written(side.now, SHORT_PUSH) for side in (self.since, Since(now, before)))
        never_read = sum(len(unit.changed_rows) for unit in unread if unit.id not in known_ids)
        has_lost_words = any(_words(text) - _words(now.get(path, "")) for path, text in before.items())
        return max(changed_lines, never_read) <= SHORT_PUSH and not has_lost_words

    def collapsed_fingerprints(
        self,
        findings: Sequence[Finding],
        standing: Sequence[Finding],
        files: Sequence[ChangedFile],
        bars: Collection[Severity],
    ) -> frozenset[str]:
        """Return the fingerprints of findings that stay collapsed after the first review.

        These are findings in unchanged code and, after a small push, findings that only one model pass
        reported. Without this, each fix would bring new requests. Findings that are serious, reach a
        threshold in `bars` or were never posted are not collapsed, unless an open earlier finding (`standing`)
        says the same of another line.
        """
        if self.earlier is None or self.round.full:
            return frozenset()
        changed_paths = {file.path for file in files}
        is_small = self.since.count_written(changed_paths, SMALL_PUSH) <= SMALL_PUSH
        quiet = [
            finding
            for finding in findings
            if not finding.serious
            and not any(at_least(finding.severity, bar) for bar in bars)
            and finding.number not in self.earlier.unsaid_numbers
        ]
        held = [
            f for f in quiet if (is_small and _is_single(f)) or not rounds.is_new_code(f, self.since, changed_paths)
        ]
        repeats = [f for f in findings if any(rounds.says_the_same(past, f) for past in standing)]
        return frozenset(f.fingerprint for f in (*held, *repeats))


async def read_past(
    data: bytes | None,
    commits: Commits,
    pull: PullRequest,
    files: Sequence[ChangedFile],
    *,
    full: bool,
) -> Past:
    """Return the previous review, read from its record or its JSON output."""
    if data is None:
        return Past(round=Round(full=full))
    try:
        known = reviews.earlier(data)
    except reviews.UnreadableError as error:
        return Past(round=Round(full=full, reason=str(error)))
    reason = await _reason_to_read_again(known, commits, pull)
    quoted_paths = [item.path for finding in known.findings for item in finding.places]
    names = {path: path for path in (*known.files, *quoted_paths)}
    names |= {file.path: file.old_path or file.path for file in files}
    before = await _texts(commits, known.head, names)
    return Past(
        known=known,
        round=Round(full=full, reason=reason) if reason else Round(known.number + 1, known.head, full),
        before={} if reason else {file.path: before[file.path] for file in files if file.path in before},
        since=Since(before, await _texts(commits, pull.head, {name: name for name in names})),
    )


async def _reason_to_read_again(known: EarlierReview, commits: Commits, pull: PullRequest) -> str:
    """Return why everything must be read again, as a clause; empty if the head contains the reviewed one."""
    short = rounds.COMMIT_CHARS
    if known.base != pull.base:
        return f"the base changed from {known.base[:short]} to {pull.base[:short]}"
    is_built_on = known.head == pull.head or await commits.descends(known.head)
    if is_built_on:
        return ""
    what = "it is unknown whether the head contains" if is_built_on is None else "the head does not contain"
    return f"{what} {known.head[:short]}, which was reviewed"


async def _texts(commits: Commits, commit: str, names: Mapping[str, str]) -> dict[str, str]:
    """Return the text of files at a commit. `names`: the current name of each file, and the earlier one."""
    blobs = await commits.many_at(commit, [name for pair in names.items() for name in pair])
    there = {path: blobs.get(path, blobs.get(old)) for path, old in names.items()}
    return {path: blob.decode("utf-8", "replace") for path, blob in there.items() if blob is not None}


def _words(text: str) -> set[str]:
    from deeprepo.impact.forgotten.names import words  # imported here, because only a short later push needs parsers

    return {word for line in text.splitlines() for word in words(line)}


def digest(unit: Unit) -> str:
    """Return a hash of the judged content of a code region.

    Line numbers are omitted, so moved code has the same hash.
    """
    removed_texts = [diff_row.text for diff_row in unit.removed_rows]
    uses = sorted(f"{reference.path}\1{reference.function}\1{reference.text.strip()}" for reference in unit.references)
    parts = "\0".join(
        [unit.path, unit.name if "lines " not in unit.name else "", unit.side, unit.text, *removed_texts, *uses]
    )
    return hashlib.sha256(parts.encode("utf-8", "replace")).hexdigest()[:20]


def _unchanged_units(
    earlier: EarlierReview, units: Sequence[Unit], references: Sequence[Reference], *, by_model: bool
) -> dict[str, ReadUnit]:
    """Return the regions to skip, with who read them: their text and what they use are unchanged."""
    known = {unit.digest: unit for unit in earlier.units if unit.model or not by_model}
    same = {unit.id: known[unit_digest] for unit in units if (unit_digest := digest(unit)) in known}
    changed_keys = {f"{unit.path}:{unit.name}" for unit in units if unit.id not in same}
    touched_places = {(reference.path, reference.line) for reference in references if reference.symbol in changed_keys}
    return {
        unit.id: same[unit.id]
        for unit in units
        if unit.id in same
        and not any(path == unit.path and unit.start <= line <= unit.end for path, line in touched_places)
    }


def read_units(tracker: CoverageTracker, unheard: Iterable[Finding] = ()) -> tuple[ReadUnit, ...]:
    """Return what the next review can skip.

    Files with an `unheard` finding are read again, so that it isn't lost.
    """
    again = {path for finding in unheard for path in (finding.path, *(item.path for item in finding.evidence))}
    rows = ((tracker.units[i], by, model) for i, (by, model) in tracker.readers().items())
    return tuple(ReadUnit(unit.id, digest(unit), by, model) for unit, by, model in rows if unit.path not in again)
