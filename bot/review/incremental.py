"""Rounds: what the last review of the same change lets this one leave unread and unsaid.

It fails closed: where the base is another one, the head was not made on top of the reviewed one, or the file cannot be
trusted to be ours, everything is read as if for the first time, and the review says why.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from bot.findings import earlier as file
from bot.findings import memory
from bot.review.coverage import CoverageTracker
from bot.values import (
    ArchivedFinding,
    ChangedFile,
    Dependents,
    Earlier,
    FailedAnswer,
    Finding,
    Mark,
    PullRequest,
    Reference,
    Round,
    Unit,
)

UNKNOWN = "what was reported there, and is not found again, is not known any more; `/deeprepo full review` begins anew"


class Commits(Protocol):
    """What a repository tells about commits outside the change."""

    async def descends(self, commit: str) -> bool | None:
        """Whether the head was made on top of this commit; None if too little of the history is known."""

    async def many_at(self, commit: str, paths: Sequence[str]) -> dict[str, bytes]:
        """Those of the files that exist in a commit."""


@dataclass(frozen=True, slots=True)
class Past:
    """The round before, where there is one that can be built upon."""

    earlier: Earlier | None = None
    round: Round = field(default_factory=Round)
    before: Mapping[str, str] = field(default_factory=dict)  # the changed files at the head of the round before
    numbers: tuple[tuple[int, str], ...] = ()  # what findings are called by, also where nothing else is built upon
    leaks: tuple[Finding, ...] = ()  # secrets of reviews that nothing else is built upon
    archive: tuple[ArchivedFinding, ...] = ()  # what models have reported of this change, or of its branch, so far
    failed_answers: tuple[FailedAnswer, ...] = ()  # where checks of the team's own have failed in it so far
    loss: str = ""  # why something that was reported may be unknown; a full review begins anew

    @property
    def ignored_proofs(self) -> tuple[tuple[str, str], ...]:
        """Fingerprint and identity of each proof that an owner's word of an older version silences."""
        return self.earlier.ignored_rows if self.earlier is not None else ()

    @property
    def open_reason(self) -> str:
        """Why the review is open because of what earlier ones reported; empty if all of that is known."""
        return f"{self.loss[:1].upper()}{self.loss[1:]}: {UNKNOWN}" if self.loss else ""

    @property
    def notes(self) -> tuple[str, ...]:
        """Why everything was read again, where an earlier review was given and could not be built upon."""
        return (f"{self.round.reason[:1].upper()}{self.round.reason[1:]}: everything was read again.",) * bool(
            self.round.reason
        )

    def carry(
        self, tracker: CoverageTracker, dependents: Dependents, *, by_model: bool, again: Collection[str] = ()
    ) -> None:
        """Tell the coverage tracker what need not be read again. `again`: files that are read all the same."""
        if self.earlier is None or self.round.full:
            return
        units = tuple(tracker.units.values())
        same = memory.unchanged_units(self.earlier, units, dependents.references, by_model=by_model)
        same = {name: mark for name, mark in same.items() if tracker.units[name].path not in again}
        used = [row.symbol for row in _uses(units, same)]
        paths = memory.reused_dependents(self.earlier, dependents.references, used)
        fresh, by = frozenset(used), f"round {self.earlier.number}"
        known_uses = frozenset(self.earlier.uses)
        uses = [
            use for use in tracker.uses.values() if (use.symbol, use.path) in known_uses and use.symbol not in fresh
        ]
        tracker.reuse(same, dict.fromkeys(paths, by), {use.place: by for use in uses})

    async def held_marks(self, findings: Sequence[Finding]) -> frozenset[str]:
        """Fingerprints of new findings that stay collapsed: after the first round old code speaks only of what is grave."""
        if self.earlier is None or self.round.full or not self.earlier.is_attested:
            return frozenset()
        quiet = [
            finding for finding in findings if not finding.serious
        ]  # the serious ones are reported in every round, wherever they are
        return frozenset([f.fingerprint for f in quiet if not await memory.is_new_code(f, self.before)])


async def past(
    data: bytes | None,
    beside: Iterable[bytes],
    commits: Commits,
    pull: PullRequest,
    files: Sequence[ChangedFile],
    *,
    full: bool,
    loss: str = "",
) -> Past:
    """The round before, from what its review has left, or its JSON output; where it cannot be built upon, the reason.

    `beside`: of reviews of other pull requests with this head, or of its branch: nothing is built upon them, and what is open in them is known.
    `loss`: why there is no `data` although there was a round before.
    """
    own = await _own(data, commits, pull, files, full=full)
    leaks, archive, failed_answers, losses = list(own.leaks), own.archive, own.failed_answers, [loss, own.loss]
    for other in map(file.read, beside):
        if isinstance(other, str):
            losses.append(f"of another pull request with this head or of its branch, {other}")
            continue
        there = [one for one in await _leaks(other, commits) if one.identity not in other.silenced_marks]
        leaks += [replace(one, number=0, status="new") for one in there]
        rows = [row for row in other.archive if row.finding.identity not in other.silenced_marks]
        archive = memory.join_archives(archive, rows)
        failed_answers = _join(failed_answers, other.failed_answers)
        losses.append(other.loss)
    loss = "" if full else next(filter(None, losses), "")
    return replace(own, leaks=tuple(leaks), archive=archive, failed_answers=failed_answers, loss=loss)


def _join(own: tuple[FailedAnswer, ...], others: Sequence[FailedAnswer]) -> tuple[FailedAnswer, ...]:
    if not others:
        return own
    from bot.findings import custom_checks  # only where a check of the team's own has failed

    return custom_checks.join(own, others)


async def _own(
    data: bytes | None, commits: Commits, pull: PullRequest, files: Sequence[ChangedFile], *, full: bool
) -> Past:
    if data is None:
        return Past(round=Round(full=full))
    earlier_review = file.read(data)
    if isinstance(earlier_review, str):
        return Past(round=Round(full=full, reason=earlier_review), loss=earlier_review)
    if earlier_review.base != pull.base:
        reason = f"the base changed from {earlier_review.base[: memory.SHORT]} to {pull.base[: memory.SHORT]}"
        return await _apart(earlier_review, Round(full=full, reason=reason), commits)
    is_built_on = earlier_review.head == pull.head or await commits.descends(earlier_review.head)
    if not is_built_on:
        doubt = "it is not known whether" if is_built_on is None else ""
        relation = "is built on" if doubt else "is not built on"
        reason = f"{doubt} the head {relation} {earlier_review.head[: memory.SHORT]}, which was reviewed".lstrip()
        return await _apart(earlier_review, Round(full=full, reason=reason), commits)
    names = {path: [path, f.old_path or path] for f in files for path in [f.path]}
    blobs = await commits.many_at(earlier_review.head, [name for pair in names.values() for name in pair])
    texts = {}
    for path, pair in names.items():
        blob = next((blobs[name] for name in pair if name in blobs), None)
        if blob is not None:
            texts[path] = blob.decode("utf-8", "replace")
    now = Round(earlier_review.number + 1, earlier_review.head, full)
    return replace(_lasting(earlier_review), earlier=earlier_review, round=now, before=texts)


async def _apart(earlier_review: Earlier, now: Round, commits: Commits) -> Past:
    """What outlives a review that nothing can be built upon."""
    return replace(_lasting(earlier_review), round=now, leaks=await _leaks(earlier_review, commits))


def _lasting(earlier_review: Earlier) -> Past:
    """What is known of it at any commit and any base."""
    return Past(
        numbers=earlier_review.numbers,
        archive=earlier_review.archive,
        failed_answers=earlier_review.failed_answers,
        loss=earlier_review.loss,
    )


async def _leaks(earlier_review: Earlier, commits: Commits) -> tuple[Finding, ...]:
    """The secrets that were reported then. Neither a rebase nor a push over them takes them back."""
    rewritten = await commits.descends(earlier_review.head) is False
    return tuple(
        memory.lasting(one, earlier_review.head, rewritten=rewritten)
        for one in earlier_review.findings
        if one.category == "secret"
    )


def spans(units: Sequence[Unit]) -> tuple[tuple[str, int, int], ...]:
    """Path and lines of these units, on the head side."""
    return tuple((unit.path, unit.start, unit.end) for unit in units if unit.side == "head")


def read(tracker: CoverageTracker, unheard: Iterable[Finding] = ()) -> tuple[Mark, ...]:
    """What the next round can build upon. Files with an `unheard` finding are read again: it is not lost."""
    again = {path for finding in unheard for path in (finding.path, *(item.path for item in finding.evidence))}
    rows = ((tracker.units[i], by, model) for i, (by, model) in tracker.readers().items())
    return tuple(Mark(unit.id, memory.digest(unit), by, model) for unit, by, model in rows if unit.path not in again)


def _uses(units: Sequence[Unit], same: Collection[str]) -> list[Reference]:
    return [row for unit in units if unit.id not in same for row in unit.references]
