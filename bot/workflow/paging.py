"""The page of a pull request follows what people say between two reviews: a rejection, a withdrawal, a rule that is confirmed or removed."""

import logging
from contextlib import suppress
from dataclasses import replace

from bot import github
from bot.errors import HostRefused, OverLimit, SupersededError
from bot.github import Host
from bot.payloads import MadeReview
from bot.publish import renewing
from bot.values import Follow, PullRef
from bot.workflow import ci_failures, keeping, stored_review
from bot.workflow.backend import ReviewRun
from bot.workflow.parts import Services

MOST = 300  # other open pull requests whose pages follow a rule, those that were reviewed last
log = logging.getLogger("deeprepo.review")


async def update_page(ask: Follow, parts: Services) -> None:
    """Carry out the job of a pull request beside the one where somebody spoke, or on whose head jobs of CI have ended."""
    if ask.head and not await ci_failures.settle(ask.pull, ask.head, parts):
        return
    async with github.open_pull(parts.identity, ask.pull, parts.pace) as host:
        await follow(ask.pull, host, parts)


async def schedule_all(pull: PullRef, parts: Services, delivery: str) -> None:
    """Store a job for each page of the repository that a rule can change: whatever fails afterwards, each page follows."""
    await parts.submit(Follow(pull), f"follow-{delivery}")
    await schedule_others(pull, parts, delivery)


async def schedule_others(pull: PullRef, parts: Services, delivery: str) -> None:
    """Store a job for each other open pull request of the repository: its page follows. One that is opened again is graded by then."""
    for number in await parts.store.reviews.pulls_with_findings(pull, MOST):
        await parts.submit(Follow(replace(pull, number=number)), f"follow-{delivery}")


async def follow(pull: PullRef, host: Host, parts: Services) -> None:
    """Make the page again from the stored review and the words that hold now. May be done again, and after any crash."""
    made_review = await _make(pull, host, parts)
    if made_review is None:
        return
    async with github.open_pull(parts.identity, pull, parts.pace, github.RESOLVING) as resolver:
        with suppress(SupersededError, HostRefused):
            await renewing.renew(host, resolver, made_review.review, made_review.comments, made_review.page)


async def read_stored(run: ReviewRun, parts: Services) -> MadeReview | None:
    """The review that this run has stored already, with its comments; None if the pull request has gone on since."""
    made_review = await _make(run.ask.pull, run.host, parts, run.id)
    now = (run.state.facts.head_sha, run.state.facts.base_ref)
    return (
        made_review
        if made_review and (made_review.review.pull.head, made_review.review.pull.base_name) == now
        else None
    )


async def _make(pull: PullRef, host: Host, parts: Services, only: str = "") -> MadeReview | None:
    """The last stored review with its texts under the words that hold now. `only`: of this job alone."""
    newest = await parts.store.reviews.newest(pull)
    if newest is None or only not in ("", newest[0]):
        return None
    job, output, memory = newest
    ignored_findings, rules = (
        await keeping.ignored_findings(pull, parts.store),
        await parts.store.rules.in_force(pull.repository),
    )
    try:
        levels = await stored_review.levels(output, host, parts)
        made_review = await parts.page(output, memory, ignored_findings, rules, levels)
    except (OverLimit, ValueError) as error:  # of an earlier version: the next review makes a page that can follow
        log.info("a page is left as it is", extra={"facts": {"pull": pull.key, "reason": str(error)}})
        return None
    if made_review.json_text:  # numbers were given: the next round has to know them
        await parts.store.reviews.rewrite(job, made_review.json_text.encode(), made_review.memory)
    return made_review
