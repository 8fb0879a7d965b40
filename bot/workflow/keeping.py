"""What is stored of a review: its findings and figures for the next round, and the check run while it is not ended."""

import asyncio
import time
from contextlib import suppress

from bot.errors import HostError
from bot.findings.suppress import identity_of
from bot.github import Host
from bot.outputs import json_file
from bot.publish import checks
from bot.publish.checks import CheckEnding
from bot.render import line, visible
from bot.storage import FinishedReview, Store, StoredFinding
from bot.storage.reviews import ReviewEnding
from bot.values import Ending, Finding, OwnerRule, PullRef, Review, ReviewAsk
from bot.workflow.reviewing import SUPERSEDED

TITLE = 200  # characters of a pull request's title in a list


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
) -> FinishedReview:
    """The row of a review."""
    said = ("new", "still", "fixed", "silenced")
    finding_rows = [_finding_row(row.finding) for row in review.findings if row.finding.status in said]
    fixed = review.having("fixed")
    return FinishedReview(
        id=job,
        pull=ask.pull,
        head=review.pull.head,
        trigger=ask.trigger,
        round=review.round.number,
        started=start,
        finished=time.time(),
        conclusion=ending,
        strategy=review.strategy.name,
        calls=review.cost.calls,
        tokens=review.cost.usage.input + review.cost.usage.output,
        usd=review.cost.usd,
        output=output.encode(),
        memory=memory,
        fork=fork,
        accepted=frozenset(one.identity for one in fixed if one.how == "accepted"),
        by_rule=_by_rule(review),
        title=line(visible(review.pull.title))[:TITLE],
        state=outcome(review),
        found=len(review.reported),
        still=len(review.still),
        fixed=len(fixed),
        journal=journal or None,
        findings=tuple({row.fingerprint: row for row in reversed(finding_rows)}.values()),
    )


def with_unsaid(memory: bytes, review: Review) -> bytes:
    """What a review leaves whose comments could not be posted, or not all: the next round says what it lists, if it has no comment."""
    unsaid = [item.finding.number for item in review.reported if item.place != "folded"]
    return json_file.with_unsaid(memory, unsaid)


async def note_posted(pull: PullRef, job: str, store: Store) -> None:
    """Note that the stored review of this job has been posted after all."""
    newest = await store.reviews.newest(pull)
    if newest is not None and newest.id == job and newest.memory is not None:
        memory = await asyncio.to_thread(json_file.with_unsaid, newest.memory, ())
        await store.reviews.rewrite(job, newest.output, memory)


def outcome(review: Review) -> ReviewEnding:
    """How a review ended, as a word for lists."""
    return review.cut.fault or ("partial" if review.cut.partial else "findings" if review.open else "clean")


def _by_rule(review: Review) -> dict[str, int]:
    """The number of the learned rule that silences a finding, by its identity."""
    pairs = ((one.identity, one.silencing.rule) for one in review.having("silenced") if one.silencing is not None)
    return {mark: rule.number for mark, rule in pairs if rule is not None and rule.learned}


def _finding_row(finding: Finding) -> StoredFinding:
    """The row of a finding. A model's words may hold characters that no database takes."""
    path, title = visible(finding.path), line(finding.title)
    return StoredFinding(finding.identity, finding.status, finding.severity, finding.kind, finding.source, path, title)


async def words(pull: PullRef, store: Store) -> tuple[tuple[tuple[str, str, str], ...], tuple[OwnerRule, ...]]:
    """What silences findings of this pull request now: what people have said of single ones, and the rules in force."""
    return await ignored_findings(pull, store), await store.rules.in_force(pull.repository)


async def ignored_findings(pull: PullRef, store: Store) -> tuple[tuple[str, str, str], ...]:
    """What people have said of findings of this pull request: fingerprint, reason, and "finding", "withdrawn" or "rejected".

    What was rejected in a reply stays reported itself, and is not reported again in other words.
    """
    suppressions = await store.people.suppressions(pull)
    replies = {mark: words for mark, _, kind, words in await store.people.reactions(pull) if kind == "reply" and words}
    silent = {identity_of(one.fingerprint) for one in suppressions}
    return (
        *(
            (one.fingerprint, one.reason or f"@{one.who} asked for it", "withdrawn" if one.withdrawn else "finding")
            for one in suppressions
        ),
        *((mark, words, "rejected") for mark, words in replies.items() if mark not in silent),
    )


async def remember_check(pull: PullRef, host: Host, number: int, run: str, store: Store) -> None:
    """Remember the check run until it is ended; those that a dead process left on earlier heads are ended now."""
    for other, left in await store.checks.of(pull):
        if other != run:
            with suppress(HostError):
                if left != number:
                    await checks.end_without_review(host, left, other, SUPERSEDED, CheckEnding("cancelled"))
                await store.checks.remove(other)
    await store.checks.add(pull, number, run, time.time())
