"""The conclusion of the check of a head: that of its stored reviews, or what the settings say of a head without a review.

It does not matter how a pull request came to its head: closed and opened again, made a draft, given a label, opened a second time. A
merge queue, which waits for our check on a commit of its own, gets the same: its changes were reviewed as pull requests.

Check and page follow what people say between two reviews: a rejection, a withdrawal, a rule that is confirmed or removed. The check is graded
again whatever becomes of the page: GitHub may refuse a comment, or have none.
"""

import asyncio
import json
import logging
from dataclasses import replace

from bot import config, github
from bot.config import Config, policy
from bot.errors import HostError, OverLimit, StorageError, UsageError
from bot.findings import silencing
from bot.findings.suppress import identity_of
from bot.github import Host
from bot.jobs import Job
from bot.outputs import json_file
from bot.payloads import MadeReview
from bot.publish import checks, renew
from bot.publish.checks import CheckEnding
from bot.storage import Store
from bot.storage.reviews import StoredReview
from bot.values import CustomCheck, Ending, Follow, MergeGroup, OwnerRule, PullFacts, PullRef, Review, ReviewAsk
from bot.values.review import Lack
from bot.workflow import ci_failures, looking
from bot.workflow.parts import Services, unless_gone

RECENT = 10  # reviews of one head that are looked through for the last one against its base branch
PASSES, STOPS = "check_queue", "check_queue_stops"  # the keys of the answers to a merge queue


async def of_head(
    pull: PullRef,
    facts: PullFacts,
    settings: Config | None,
    store: Store,
    lacks: Lack = "unreviewed",
    own: Ending | None = None,
) -> CheckEnding:
    """The worst conclusion of the reviews of this head, over all open pull requests that have it.

    `own`: the conclusion of this pull request's review, if the caller knows it. `lacks`: why there is no review, if there is none. `settings`: None if
    they cannot be used; a stored review then keeps the conclusion that it was made with.
    """
    others = await store.reviews.conclusions_at(pull, facts.head_sha)
    is_reviewed = own is not None
    if own is None and lacks != "nothing":
        own = await _stored(pull, facts, settings, store)
        is_reviewed = own is not None
    endings: dict[int, Ending] = dict(others)
    if own is not None:
        endings[pull.number] = own
    elif not endings or lacks != "left out":
        endings[pull.number] = "failure" if settings is None else policy.without_review(settings, lacks)
    ending = checks.worst(endings.values())
    is_worse = endings.get(pull.number) != ending
    other = min((number for number, one in others.items() if one == ending), default=0) if is_worse else 0
    return CheckEnding(ending, is_reviewed or bool(other), other)


async def review_of_head(pull: PullRef, facts: PullFacts, store: Store) -> StoredReview | None:
    """The newest stored review of this head against this base branch: one of another says nothing of it."""
    for review in await store.reviews.of_head(pull, facts.head_sha, RECENT):
        change = await asyncio.to_thread(place, review.output)
        if change is not None and change[1:] == (facts.head_sha, facts.base_ref):
            return review
    return None


async def is_due(pull: PullRef, head: str, base: str, store: Store) -> bool:
    """Whether the last review was of another head, or compared it with another branch."""
    last = await asyncio.to_thread(place, await store.reviews.last(pull))
    return last is None or last[1:] != (head, base)


def place(last: bytes | None) -> tuple[str, str, str] | None:
    """The merge base, the head and the base branch of the last review."""
    try:
        pull = json.loads(last)["pull"] if last else None
        return (str(pull["base"]), str(pull["head"]), str(pull["base_name"])) if pull else None
    except (ValueError, KeyError, TypeError):
        return None


async def words(pull: PullRef, store: Store) -> tuple[tuple[tuple[str, str, str], ...], tuple[OwnerRule, ...]]:
    """What silences findings of this pull request now: what people have said of single ones, and the rules in force.

    Of a finding: fingerprint, reason, and "finding", "withdrawn" or "rejected". What was rejected in a reply stays reported itself, and is not
    reported again in other words.
    """
    suppressions = await store.people.suppressions(pull)
    replies = {mark: words for mark, _, kind, words in await store.people.reactions(pull) if kind == "reply" and words}
    silent = {identity_of(one.fingerprint) for one in suppressions}
    ignored_findings = (
        *(
            (one.fingerprint, one.reason or f"@{one.who} asked for it", "withdrawn" if one.withdrawn else "finding")
            for one in suppressions
        ),
        *((mark, words, "rejected") for mark, words in replies.items() if mark not in silent),
    )
    return ignored_findings, await store.rules.in_force(pull.repository)


def under(review: Review, settings: Config) -> Review:
    """A stored review under the bar that is in force now: of findings, and of the team's own checks that it has asked."""
    asked = [CustomCheck(*row) for row in settings.without_secrets().checks]  # as a review asks them
    severities = {one.digest: one.severity for one in asked}
    own_checks = tuple(replace(one, severity=severities.get(one.digest, "note")) for one in review.checks)
    bar = replace(review.settings, fail_on=settings.fail_on, strict=settings.strict)
    return replace(review, settings=bar, checks=own_checks)


async def _stored(pull: PullRef, facts: PullFacts, settings: Config | None, store: Store) -> Ending | None:
    """The conclusion of the stored review of this head under today's silences and bar; None if no review is stored."""
    stored = await review_of_head(pull, facts, store)
    if stored is None or settings is None:
        return None if stored is None else stored.conclusion
    review = await asyncio.to_thread(json_file.read, stored.output)
    return checks.conclude(under(silencing.now(review, *await words(pull, store)), settings))


async def let_pass(ask: MergeGroup, job: Job, parts: Services) -> None:
    """Answer with what the head of the pull request at this place of the queue comes to. A second answer changes nothing.

    If GitHub refuses to tell, there is no answer yet, and a queue that requires it waits.
    """
    async with github.open_pull(parts.identity, _where(ask), parts.pace) as host:
        ending: Ending | None = None
        with unless_gone(job, after=1):  # what is in a queue was there long before: no replica is late
            ending = await _of_pull(host, parts) if ask.number else None
        await _answer(host, ask, ending or await _of_base(ask, host, parts))


async def stop(ask: MergeGroup, parts: Services) -> None:
    """Answer where nobody could find out how the pull request stands: the queue goes on if it is certain that no bar is set."""
    async with github.open_pull(parts.identity, _where(ask), parts.pace) as host:
        try:
            ending = await _of_base(ask, host, parts)
        except HostError:  # what it would take to know that no bar is set may be refused as well
            ending = "failure"
        await _answer(host, ask, ending)


def _where(ask: MergeGroup) -> PullRef:
    """The pull request at this place of the queue."""
    return PullRef(ask.installation, ask.repository, ask.owner, ask.name, ask.number)


async def _answer(host: Host, ask: MergeGroup, ending: Ending) -> None:
    if ending == "failure":
        await checks.answer_queue(host.beside(0), ask.head, "failure", STOPS)
    else:
        await checks.answer_queue(host.beside(0), ask.head, "success", PASSES)


async def _of_pull(host: Host, parts: Services) -> Ending:
    """What the head of the pull request comes to. Without a review of it: what the owner's own settings leave out passes."""
    state = await looking.current_state(host, config.FILE, parts.defaults)
    settings: Config | None = None
    try:
        settings = await parts.resolve(state.file, state.organization)
    except (UsageError, OverLimit):
        if policy.unreadable(*state.files) != "failure":
            return "success"
    verdict = await of_head(host.pull, state.facts, settings, parts.store)
    if verdict.is_reviewed or settings is None or settings.strict:
        return verdict.ending
    return "neutral" if await checks.is_left_out(host, state.facts.head_sha) else verdict.ending


async def _of_base(ask: MergeGroup, host: Host, parts: Services) -> Ending:
    """What a queue gets whose pull request is not known: it stops at the bar of the commit that the queue builds upon."""
    if not ask.base:
        return "failure"
    file = await looking.text_at(host, config.FILE, ask.base)
    # The answer quotes no setting, so a private file of the owner counts too.
    defaults = await parts.defaults(host, f"{ask.owner}/{ask.name}", is_private=True)
    try:
        return policy.without_review(await parts.resolve(file, defaults))
    except (UsageError, OverLimit):
        return policy.unreadable(file, defaults.text if defaults is not None else None)


log = logging.getLogger("deeprepo.review")


async def follow_later(ask: Follow, job: Job, parts: Services) -> None:
    """Carry out the job of a pull request of which somebody spoke while it was reviewed, or on whose head jobs of CI have ended."""
    if ask.head and not await ci_failures.settle(ask.pull, ask.head, parts):
        return
    async with github.open_pull(parts.identity, ask.pull, parts.pace) as host:
        with unless_gone(job):
            await follow(ask.pull, host, parts, job.delivery)


async def follow(pull: PullRef, host: Host, parts: Services, delivery: str) -> None:
    """Conclude the review of the present head and base again, and make the page again. May be done again, and after any crash.

    What GitHub refuses of the check is raised: it is tried again.
    """
    state = await looking.current_state(host, config.FILE, parts.defaults)
    facts = state.facts
    if facts.state != "open":
        return
    await parts.store.reviews.close(pull, None)  # it may have been opened again without a word to us
    settings, store = await parts.settings_of(state), parts.store
    own_review = await review_of_head(pull, facts, store)
    made_review = await made_again(own_review, pull, parts) if own_review is not None else None
    if own_review is None:
        lacks: Lack = "left out" if await checks.is_left_out(host, facts.head_sha) else "unreviewed"
        verdict = await of_head(pull, facts, settings, store, lacks)
        await checks.show(host, facts.head_sha, verdict, settings.language)
    elif made_review is None:
        await parts.jobs.submit(ReviewAsk(pull, "catch-up", head=facts.head_sha), f"words-{delivery}")
    else:
        review = under(made_review.review, settings)
        own = checks.conclude(review)
        verdict = await of_head(pull, facts, settings, store, own=own)
        await renew(host, own_review.id, review, made_review.comments, made_review.page, verdict)
        if own != own_review.conclusion:
            await store.reviews.conclude(own_review.id, own)


async def made_again(own_review: StoredReview, pull: PullRef, parts: Services) -> MadeReview | None:
    """A stored review with its texts under the words that hold now; None if it cannot be read."""
    words_now = await words(pull, parts.store)
    try:
        made_review = await parts.page(own_review.output, own_review.memory, *words_now)
    except (OverLimit, StorageError) as error:
        log.info("a stored review cannot be read", extra={"facts": {"pull": pull.key, "reason": str(error)}})
        return None
    if made_review.json_text:  # numbers were given: the next round has to know them
        await parts.store.reviews.rewrite(own_review.id, made_review.json_text.encode(), made_review.memory)
    return made_review
