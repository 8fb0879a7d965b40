"""What is stored of a review: its findings and figures for the next round, and the check run while it is not ended."""

import asyncio
import json
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace

from bot.config import Config, policy, stricter
from bot.config.policy import LastEnding
from bot.errors import HostError, HostRefused
from bot.findings import silencing
from bot.findings.suppress import identity_of
from bot.github import Host
from bot.outputs import json_file
from bot.publish import checks
from bot.publish.standing import worst
from bot.render import line, visible
from bot.storage import FinishedReview, Store, StoredFinding
from bot.storage.reviews import ReviewEnding, State, StoredReview
from bot.values import (
    CheckReport,
    CustomCheck,
    Ending,
    Finding,
    OwnerRule,
    PlacedFinding,
    PullFacts,
    PullRef,
    Review,
    ReviewAsk,
)
from bot.values.finding import at_least
from bot.values.review import Shortfall
from bot.workflow.reviewing import SUPERSEDED

# Reviews that are looked through for the last one against a base branch: so many at once, and at most.
RECENT, MOST_RECENT = 10, 1_000
TITLE = 200  # characters of a pull request's title in a list


def place(last: bytes | None) -> tuple[str, str, str] | None:
    """Which change the last review was of: merge base, head, and the branch that it was compared with, whose settings held."""
    try:
        pull = json.loads(last)["pull"] if last else None
        return (str(pull["base"]), str(pull["head"]), str(pull["base_name"])) if pull else None
    except (ValueError, KeyError, TypeError):
        return None


async def review_of_head(pull: PullRef, facts: PullFacts, store: Store) -> StoredReview | None:
    """The newest stored review of this head against this base branch: one of another says nothing of it."""
    for review in await store.reviews.of_head(pull, facts.head_sha, RECENT):
        change = await asyncio.to_thread(place, review.output)
        if change is not None and change[1:] == (facts.head_sha, facts.base_ref):
            return review
    return None


@dataclass(frozen=True, slots=True)
class Grade:
    """What a stored review comes to by the bar and the words in force.

    `ending`: by the stricter of its own bar and the one in force; None without a bar. `by_later_bar`: by the one in force alone.
    `by_own_bar`: it was made under this bar, or a stricter one. `is_known`: False if an earlier version wrote it in another form.
    """

    ending: Ending | None = None
    by_later_bar: Ending | None = None
    by_own_bar: bool = True
    is_known: bool = True

    def is_shown_by(self, check_ending: Ending) -> bool:
        """Whether its check run shows it: no stricter bar was set, no laxer one that it passes, and no word taken back that silenced a finding."""
        is_open = self.by_own_bar and worst((check_ending, self.ending)) == check_ending
        return self.is_known and is_open and (check_ending != "failure" or self.by_later_bar == "failure")


async def grade(pull: PullRef, output: bytes, settings: Config, store: Store) -> Grade:
    """Grade a stored review. A check of the team's own that stops a change and was not asked in it leaves the change unreviewed."""
    if not policy.has_bar(settings):
        return Grade()
    try:
        own = await asyncio.to_thread(json_file.read, output)
    except ValueError:
        return Grade(is_known=False)
    stopping = _stopping(settings)
    is_asked = stopping <= {one.digest for one in own.checks}
    review = _under_stricter_bar(own, settings, stopping)
    words_now = await words(pull, store)
    lacks: tuple[Shortfall, ...] = () if is_asked else ("unreviewed", "undecided")
    without = [policy.ending_without_review(settings, one) for one in lacks]
    ending: Ending | None = worst([checks.conclusion(silencing.now(review, *words_now)), *without])
    later = replace(review, fail_on=settings.fail_on, fail_also=settings.fail_also, checks=_by_severity(own, stopping))
    by_later_bar: Ending | None = worst([checks.conclusion(silencing.now(later, *words_now)), *without])
    return Grade(ending, by_later_bar, by_own_bar=review == own and is_asked)


async def stands(pull: PullRef, host: Host, facts: PullFacts, settings: Config, store: Store) -> bool:
    """Whether the check of this head shows no better than its stored review comes to now. If nobody can tell, it does not stand."""
    review = await review_of_head(pull, facts, store)
    if review is None:
        return False
    now = await grade(pull, review.output, settings, store)
    check_ending = await checks.last_ending(host, facts.head_sha, pull.number, facts.base_ref)
    return now.is_known and worst((check_ending, now.ending)) == check_ending


def _stopping(settings: Config) -> frozenset[str]:
    """What the team's own checks ask that stop a change, by digest."""
    own_checks = [CustomCheck(*row) for row in settings.without_secrets().checks]  # as a review asks them
    return frozenset(one.digest for one in own_checks if one.severity == "fail")


def _under_stricter_bar(own: Review, settings: Config, stopping: frozenset[str]) -> Review:
    """The review with the stricter of both bars, its own and that of the settings. What it kept back and that bar reaches is open."""
    fail_on = stricter.MORE_SEVERITIES.pick(own.fail_on, settings.fail_on)
    open_too = [one for one in own.kept_back if fail_on is not None and at_least(one.severity, fail_on)]
    return replace(
        own,
        fail_on=fail_on,
        fail_also=stricter.IN_EITHER.pick(own.fail_also, settings.fail_also),
        findings=(*own.findings, *(PlacedFinding(one, "outside") for one in open_too)),
        kept_back=tuple(one for one in own.kept_back if one not in open_too),
        checks=tuple(replace(one, severity="fail") if one.digest in stopping else one for one in own.checks),
    )


def _by_severity(own: Review, stopping: frozenset[str]) -> tuple[CheckReport, ...]:
    """The answers of a review, each as one that stops the change if it does so now."""
    return tuple(replace(one, severity="fail" if one.digest in stopping else "warn") for one in own.checks)


async def last_ending(pull: PullRef, host: Host, facts: PullFacts, settings: Config, store: Store) -> LastEnding | None:
    """What the last review came to, and the last one against this base branch, as their check runs show it now: the worse of both.

    That of another pull request of this branch and base counts like its own, unless it was merged: anybody may open a new one.
    "unknown" if there are more reviews of other pull requests and of other bases than are looked through, or one has another form.
    """
    endings, bases, is_unknown = list[Ending](), set[str](), False
    for start in range(0, MOST_RECENT, RECENT):
        rows = await store.reviews.recent(pull, facts.source, RECENT, start)
        for number, conclusion, output in rows:
            reviewed = await asyncio.to_thread(place, output)
            base = reviewed[2] if reviewed else facts.base_ref
            if base in bases or (bases and base != facts.base_ref):
                continue
            if number != pull.number and (base != facts.base_ref or await _is_merged(host, number, base)):
                continue
            bases.add(base)
            now = await checks.last_ending(host, reviewed[1], number, base) if reviewed else None
            endings.append(now or conclusion)
            if output and base == facts.base_ref:
                later = await grade(replace(pull, number=number), output, settings, store)
                is_unknown = is_unknown or not later.is_known
                endings += [later.ending] if later.ending is not None else []
        if facts.base_ref in bases or len(rows) < RECENT:
            ending: Ending | None = worst(endings)
            return "unknown" if is_unknown and ending != "failure" else ending
    return "unknown"


async def _is_merged(host: Host, number: int, base: str) -> bool:
    """Whether a pull request was merged into this branch: merging it elsewhere accepts nothing here."""
    with suppress(HostRefused):  # a pull request that is gone
        there = await host.beside(number).facts()
        return there.merged and there.base_ref == base
    return False


async def is_due(pull: PullRef, head: str, base: str, store: Store) -> bool:
    """Whether the last review was of another head, or compared it with another branch; of one that cannot be read the head alone is known."""
    if head not in await store.reviews.heads(pull):
        return True
    last = await asyncio.to_thread(place, await store.reviews.last(pull))
    return last is not None and last[1:] != (head, base)


def review_row(
    ask: ReviewAsk,
    job: str,
    review: Review,
    ending: Ending,
    start: float,
    output: str,
    memory: bytes | None,
    *,
    fork: bool = False,
    journal: str = "",
    source: str = "",
) -> FinishedReview:
    """The row of a review."""
    finding_rows = [
        _finding_row(item.finding, "listed" if item.place == "folded" else "posted") for item in review.findings
    ]
    finding_rows += [_finding_row(finding, "open") for finding in review.still]
    finding_rows += [_finding_row(finding, "fixed") for finding in review.fixed]
    finding_rows += [
        _finding_row(item.finding, "withdrawn" if item.scope == "withdrawn" else "suppressed")
        for item in review.suppressed
    ]
    return FinishedReview(
        id=job,
        pull=ask.pull,
        head=review.pull.head,
        trigger=ask.trigger,
        round=review.round.number,
        started=start,
        finished=time.time(),
        conclusion=ending,
        strategy=review.strategy,
        calls=review.cost.calls,
        tokens=review.cost.usage.input + review.cost.usage.output,
        usd=review.cost.usd,
        output=output.encode(),
        memory=memory,
        fork=fork,
        accepted=frozenset(one.identity for one in review.fixed if one.fingerprint in review.accepted),
        by_rule={one.finding.identity: one.rule.number for one in review.suppressed if one.rule and one.rule.learned},
        title=line(visible(review.pull.title))[:TITLE],
        state=outcome(review),
        found=len(review.findings),
        still=len(review.still),
        fixed=len(review.fixed),
        journal=journal or None,
        source=source,
        findings=tuple({row.fingerprint: row for row in reversed(finding_rows)}.values()),
    )


def with_unsaid(memory: bytes, review: Review) -> bytes:
    """What a review leaves whose comments could not be posted, or not all: the next round says what it lists, if it has no comment."""
    unsaid = [item.finding.number for item in review.findings if item.place != "folded"]
    return json_file.with_unsaid(memory, unsaid)


async def note_posted(pull: PullRef, job: str, store: Store) -> None:
    """Note that the stored review of this job has been posted after all."""
    newest = await store.reviews.newest(pull)
    if newest is not None and newest.id == job and newest.memory is not None:
        memory = await asyncio.to_thread(json_file.with_unsaid, newest.memory, ())
        await store.reviews.rewrite(job, newest.output, memory)


def outcome(review: Review) -> ReviewEnding:
    """How a review ended, as a word for lists."""
    has_findings = bool(review.findings or review.still)
    return review.fault or ("partial" if review.partial else "findings" if has_findings else "clean")


def _finding_row(finding: Finding, state: State) -> StoredFinding:
    """The row of a finding. A model's words may hold characters that no database takes."""
    path, title = visible(finding.path), line(finding.title)
    return StoredFinding(finding.identity, state, finding.severity, finding.category, finding.source, path, title)


async def words(pull: PullRef, store: Store) -> tuple[tuple[tuple[str, str, str], ...], tuple[OwnerRule, ...]]:
    """What silences findings of this pull request now: what people have said of single ones, and the rules in force."""
    return await ignored_findings(pull, store), await store.rules.in_force(pull.repository)


async def ignored_findings(pull: PullRef, store: Store) -> tuple[tuple[str, str, str], ...]:
    """What people have said of findings of this pull request: fingerprint, reason, and "finding", "withdrawn" or "rejected".

    What was rejected in a reply stays reported itself, and is not reported again in other words.
    """
    suppressions = await store.people.suppressions(pull, time.time())
    replies = {mark: words for mark, _, kind, words in await store.people.reactions(pull) if kind == "reply" and words}
    silent = {identity_of(one.fingerprint) for one in suppressions}
    return (
        *(
            (one.fingerprint, one.reason or f"@{one.who} asked for it", "withdrawn" if one.withdrawn else "finding")
            for one in suppressions
        ),
        *((mark, words, "rejected") for mark, words in replies.items() if mark not in silent),
    )


async def beside(
    pull: PullRef, host: Host, facts: PullFacts, store: Store, commits: Collection[str] = ()
) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """What the last reviews have left of other pull requests of this branch, or of its author with this head or one below it (`commits`); and of other people's with this head.

    Of this branch and base: anybody may open a pull request from a branch, onto a base that lacks what has long been merged. What was merged
    into it, somebody who may has accepted.
    """
    near, others = list[bytes](), list[bytes]()
    for review in await store.reviews.beside(pull, facts.source, facts.head_sha, commits):
        is_near = review.is_of_branch
        with suppress(HostRefused):  # a pull request that is gone
            there = await host.beside(review.number).facts()
            if there.merged and there.base_ref == facts.base_ref:
                continue
            is_same_author = bool(facts.author) and there.author == facts.author
            is_near = is_same_author or (is_near and there.base_ref == facts.base_ref)
        if is_near:
            near.append(review.memory)
        elif review.is_of_head or review.is_of_branch:
            others.append(review.memory)
    return tuple(near), tuple(others)


async def remember_check(pull: PullRef, host: Host, number: int, run: str, store: Store) -> None:
    """Remember the check run until it is ended; those that a dead process left on earlier heads are ended now."""
    for other, left in await store.checks.of(pull):
        if other != run:
            with suppress(HostError):
                if left != number:
                    await checks.end_without_review(host, left, other, SUPERSEDED, "cancelled")
                await store.checks.remove(other)
    await store.checks.add(pull, number, run, time.time())
