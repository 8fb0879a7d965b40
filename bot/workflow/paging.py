"""A pull request follows what people say between two reviews: a rejection, a withdrawal, a rule that is confirmed or removed.

Its check is graded again under the words in force, whatever becomes of its page: GitHub may refuse a comment, or have none.
"""

import logging
from dataclasses import replace

from bot import config, github
from bot.errors import OverLimit, StorageError
from bot.github import Host
from bot.payloads import MadeReview
from bot.ports import Job
from bot.publish import checks, renewing
from bot.storage.reviews import StoredReview
from bot.values import Follow, PullRef, ReviewAsk
from bot.values.review import Lack
from bot.workflow import ci_failures, concluding, keeping, looking
from bot.workflow.backend import ReviewRun
from bot.workflow.parts import Services, unless_gone

MOST = 100  # other open pull requests that follow a rule, those that were reviewed last: each takes about 31 of the 5,000 requests of an hour
log = logging.getLogger("deeprepo.review")


async def carry_out(ask: Follow, job: Job, parts: Services) -> None:
    """Carry out the job of a pull request beside the one where somebody spoke, or on whose head jobs of CI have ended."""
    if ask.head and not await ci_failures.settle(ask.pull, ask.head, parts):
        return
    async with github.open_pull(parts.identity, ask.pull, parts.pace) as host:
        with unless_gone(job):
            await follow(ask.pull, host, parts, job.id.rpartition("~")[2])


async def schedule_all(pull: PullRef, parts: Services, delivery: str) -> None:
    """Store a job for each pull request that a rule can change: whatever fails afterwards, each follows."""
    await parts.submit(Follow(pull), f"follow-{delivery}")
    await schedule_others(pull, parts, delivery)


async def schedule_others(pull: PullRef, parts: Services, delivery: str) -> None:
    """Store a job for each other open pull request of the repository. One that is opened again is graded by then."""
    for number in await parts.store.reviews.pulls_with_findings(pull, MOST):
        await parts.submit(Follow(replace(pull, number=number)), f"follow-{delivery}")


async def schedule_same_head(pull: PullRef, head: str, parts: Services, delivery: str) -> None:
    """Store a job for each other open pull request that has the same commit as its head: what counts for it may be another now."""
    for number in await parts.store.reviews.conclusions_at(pull, head):
        await parts.submit(Follow(replace(pull, number=number)), f"head-{delivery}")


async def follow(pull: PullRef, host: Host, parts: Services, delivery: str) -> None:
    """Conclude the review of the present head and base again, and make the page again. May be done again, and after any crash.

    What GitHub refuses of the check is raised: it is tried again.
    """
    state = await looking.current_state(host, config.FILE, parts.defaults)
    facts = state.facts
    if facts.state != "open":
        return
    await parts.store.reviews.close(pull, None)  # it may have been opened again without a word to us
    settings, store = await looking.settings(state, parts), parts.store
    own_review = await concluding.review_of_head(pull, facts, store)
    made_review = await _make(own_review, pull, parts) if own_review is not None else None
    if own_review is None:
        lacks: Lack = "left out" if await checks.is_left_out(host, facts.head_sha) else "unreviewed"
        verdict = await concluding.of_head(pull, facts, settings, store, lacks)
        await checks.show(host, facts.head_sha, verdict, settings.language)
    elif made_review is None:
        await parts.submit(ReviewAsk(pull, "catch-up", head=facts.head_sha), f"words-{delivery}")
    else:
        review = concluding.under(made_review.review, settings)
        own = checks.conclude(review)
        verdict = await concluding.of_head(pull, facts, settings, store, own=own)
        await renewing.renew(host, own_review.id, review, made_review.comments, made_review.page, verdict)
        if own != own_review.conclusion:
            await store.reviews.conclude(own_review.id, own)
            await schedule_same_head(pull, facts.head_sha, parts, delivery)


async def read_stored(run: ReviewRun, parts: Services) -> MadeReview | None:
    """The review that this run has stored already, with its comments; None if the pull request has gone on since."""
    own_review = await concluding.review_of_head(run.ask.pull, run.state.facts, parts.store)
    return await _make(own_review, run.ask.pull, parts) if own_review is not None and own_review.id == run.id else None


async def _make(own_review: StoredReview, pull: PullRef, parts: Services) -> MadeReview | None:
    """A stored review with its texts under the words that hold now; None if it cannot be read."""
    words = await keeping.words(pull, parts.store)
    try:
        made_review = await parts.page(own_review.output, own_review.memory, *words)
    except (OverLimit, StorageError) as error:
        log.info("a stored review cannot be read", extra={"facts": {"pull": pull.key, "reason": str(error)}})
        return None
    if made_review.json_text:  # numbers were given: the next round has to know them
        await parts.store.reviews.rewrite(own_review.id, made_review.json_text.encode(), made_review.memory)
    return made_review
