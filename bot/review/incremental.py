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
    ReaderNotes,
    Reference,
    Round,
    Unit,
)
from bot.values.consumer import ConsumerReport, Disclosure, by_name

UNKNOWN = "what was reported there, and is not found again, is not known any more; `/deeprepo full review` begins anew"


class Commits(Protocol):
    """What a repository tells about commits outside the change."""

    async def descends(self, commit: str) -> bool | None:
        """Whether the head was made on top of this commit; None if too little of the history is known."""

    async def commits(self) -> frozenset[str] | None:
        """The ids of the commits of the change; None if they are not known."""

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
    archive: tuple[ArchivedFinding, ...] = ()  # what was reported of this change, or of its branch, so far
    last_places: frozenset[tuple[str, str]] = frozenset()  # head and base of the reviews that this is known from
    failed_answers: tuple[FailedAnswer, ...] = ()  # where checks of the team's own have failed in it so far
    shown_consumers: tuple[tuple[str, int], ...] = ()  # whose lines models may have told of in what is kept
    loss: str = ""  # why something that was reported may be unknown; a full review begins anew
    unsaid_numbers: frozenset[int] = frozenset()  # of findings that the review before could not post

    @property
    def open_reason(self) -> str:
        """Why the review is open because of what earlier ones reported; empty if all of that is known."""
        return f"{self.loss[:1].upper()}{self.loss[1:]}: {UNKNOWN}" if self.loss else ""

    @property
    def consumers(self) -> dict[str, int]:
        """The repositories beside this one that findings of earlier reviews name, with their numbers."""
        earlier_findings = self.earlier.findings if self.earlier is not None else ()
        findings = (*earlier_findings, *(row.finding for row in self.archive))
        named_consumers = [(one.consumer, one.consumer_id) for one in findings if one.consumer]
        return by_name((*named_consumers, *self.shown_consumers))

    def shown_with(self, reports: Iterable[ConsumerReport]) -> tuple[tuple[str, int], ...]:
        """The consumers that not everybody can read and whose lines models were shown, so far and in this round."""
        now = [(one.name, one.id) for one in reports if one.commit and one.visibility in ("private", "internal")]
        return tuple(dict.fromkeys((*self.shown_consumers, *now)))

    def as_shown(self, levels: Sequence[tuple[str, Disclosure]] | None) -> "Past":
        """The same as who reads this review may see it: a consumer may have become private since. `levels`: how much of each; None: all.

        If less may be shown than then, nothing of what models have written about it is built upon.
        """
        if levels is None or not self.consumers:
            return self
        from bot.dependents.consumers.disclosure import still_shown  # here: few reviews name a consumer

        now = dict(levels)
        is_less = any(now.get(name, "existence") != "lines" for name, _ in self.shown_consumers)
        archive = tuple(
            replace(row, finding=one)
            for row in self.archive
            if (one := still_shown(row.finding, now)) is not None and not (is_less and _is_of_model(one))
        )
        past = replace(self, archive=archive)
        if is_less:  # any sentence of a model may tell of it: none is kept
            answers = tuple(replace(one, file=replace(one.file, reason="")) for one in self.failed_answers)
            past = replace(past, failed_answers=answers, shown_consumers=())
        return (
            past if self.earlier is None else replace(past, earlier=_as_shown(self.earlier, past, now, is_less=is_less))
        )

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
        """Fingerprints of new findings that stay collapsed: after the first round old code speaks only of what is grave, and of what was never said."""
        if self.earlier is None or self.round.full or not self.earlier.is_attested:
            return frozenset()
        quiet = [
            finding for finding in findings if not finding.serious and finding.number not in self.unsaid_numbers
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
    same_head: Iterable[bytes] = (),
    loss: str = "",
) -> Past:
    """The round before, from what its review has left, or its JSON output; where it cannot be built upon, the reason.

    `beside`: of reviews of other pull requests of its branch, or of its author with this head: nothing is built upon them, and what is open
    in them is known. `same_head`: of those of other people with this head: of them only what is true of this head, for they could have
    reported anything before at commits that this change never had. `loss`: why there is no `data` although there was a round before.
    """
    own = await _own(data, commits, pull, files, full=full)
    leaks, archive, failed_answers, losses = list(own.leaks), own.archive, own.failed_answers, [loss, own.loss]
    last_places, shown_consumers = own.last_places, own.shown_consumers
    others = (*((data, True) for data in beside), *((data, False) for data in same_head))
    for other, is_near in ((file.read(data), is_near) for data, is_near in others):
        if isinstance(other, str):
            losses += [f"of another pull request with this head or of its branch, {other}"] if is_near else []
            continue
        there = await _leaks(other, commits, pull, is_near=is_near)
        leaks += [replace(one, number=0, status="new") for one in there if one.identity not in other.silenced_marks]
        rows = [row for row in other.archive if row.finding.identity not in other.silenced_marks]
        archive = memory.join_archives(archive, rows if is_near else _at_head(rows, pull.head))
        failed_answers = _join(failed_answers, other.failed_answers)
        shown_consumers += other.shown_consumers
        losses += [other.loss] if is_near else []
        last_places |= {(other.head, other.base)}
    loss = "" if full else next(filter(None, losses), "")
    return replace(
        own, leaks=tuple(leaks), archive=archive, failed_answers=failed_answers, loss=loss, last_places=last_places,
        shown_consumers=tuple(dict.fromkeys(shown_consumers)),
    )  # fmt: skip


def _as_shown(earlier: Earlier, past: Past, now: Mapping[str, Disclosure], *, is_less: bool) -> Earlier:
    """The earlier review with what may be shown of it now. `is_less`: nothing that a model wrote is kept, and everything is read again."""
    from bot.dependents.consumers.disclosure import still_shown

    pairs = [(one, still_shown(one, now)) for one in earlier.findings]
    kept_pairs = [(one, after) for one, after in pairs if after is not None and not (is_less and _is_of_model(after))]
    marks = earlier.silenced_marks
    earlier_now = replace(
        earlier,
        findings=tuple(after for _, after in kept_pairs),
        silenced_marks=marks | {after.identity for one, after in kept_pairs if one.identity in marks},
        archive=past.archive,
        failed_answers=past.failed_answers,
        shown_consumers=past.shown_consumers,
    )
    if is_less:
        earlier_now = replace(earlier_now, marks=(), dependents=(), uses=())
    if is_less or earlier_now.findings != earlier.findings:
        earlier_now = replace(earlier_now, summary="", reader_notes=ReaderNotes(), issues=(), checks=())
    return earlier_now


def _is_of_model(finding: Finding) -> bool:
    return any(source.kind == "model" for source in finding.sources)


def _at_head(rows: Iterable[ArchivedFinding], head: str) -> list[ArchivedFinding]:
    """What was open at this head, and as far as it was open there."""
    there = ((row, tuple(place for place in row.places if place[0] == head)) for row in rows)
    return [replace(row, places=places) for row, places in there if places]


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
        return await _apart(earlier_review, Round(full=full, reason=reason), commits, pull)
    is_built_on = earlier_review.head == pull.head or await commits.descends(earlier_review.head)
    if not is_built_on:
        what = "it is not known whether the head is built on" if is_built_on is None else "the head is not built on"
        reason = f"{what} {earlier_review.head[: memory.SHORT]}, which was reviewed"
        return await _apart(earlier_review, Round(full=full, reason=reason), commits, pull)
    names = {path: [path, f.old_path or path] for f in files for path in [f.path]}
    blobs = await commits.many_at(earlier_review.head, [name for pair in names.values() for name in pair])
    texts = {}
    for path, pair in names.items():
        blob = next((blobs[name] for name in pair if name in blobs), None)
        if blob is not None:
            texts[path] = blob.decode("utf-8", "replace")
    now = Round(earlier_review.number + 1, earlier_review.head, full)
    return replace(_lasting(earlier_review), earlier=earlier_review, round=now, before=texts)


async def _apart(earlier_review: Earlier, now: Round, commits: Commits, pull: PullRequest) -> Past:
    """What outlives a review that nothing can be built upon."""
    return replace(_lasting(earlier_review), round=now, leaks=await _leaks(earlier_review, commits, pull))


def _lasting(earlier_review: Earlier) -> Past:
    """What is known of it at any commit and any base."""
    return Past(
        numbers=earlier_review.numbers,
        archive=earlier_review.archive,
        last_places=frozenset([(earlier_review.head, earlier_review.base)]),
        failed_answers=earlier_review.failed_answers,
        shown_consumers=earlier_review.shown_consumers,
        loss=earlier_review.loss,
        unsaid_numbers=earlier_review.unsaid_numbers,
    )


async def _leaks(
    earlier_review: Earlier, commits: Commits, pull: PullRequest, *, is_near: bool = True
) -> tuple[Finding, ...]:
    """The secrets that were reported then and that commits of this change hold, or did before they were pushed over.

    Neither a rebase nor a push over them takes them back. What was pushed over is known within one branch, and to one author (`is_near`).
    A secret of a commit that was not pushed over, and that the change does not have, is in its base: the other review had another one. What
    stood in this very head is judged there.
    """
    leaks, ids = list[Finding](), await commits.commits()
    descends = earlier_review.head == pull.head or await commits.descends(earlier_review.head)
    for one in earlier_review.findings:
        held_by = memory.commit_of(one)
        if one.category != "secret" or (not held_by and (not is_near or earlier_review.head == pull.head)):
            continue
        commit = held_by or earlier_review.head
        is_here = ids is not None and any(each.startswith(commit) for each in ids)
        is_pushed_over = memory.REWRITTEN in one.why or (descends is False and not is_here)
        if is_here or (is_near and (is_pushed_over or ids is None)):
            leaks.append(memory.lasting(one, earlier_review.head, rewritten=is_pushed_over))
    return tuple(leaks)


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
