"""Update the check and summary of a reviewed pull request after people commented.

The check is updated even if GitHub refuses the summary or has none.
"""

import logging

from bot import github, verdict
from bot.config import Config
from bot.errors import OverLimit, StorageError
from bot.github import Host
from bot.payloads import Rendered
from bot.storage.reviews import StoredOutput
from bot.values import Follow, PullRef, ReviewJob
from bot.workflow import conclusions
from bot.workflow.jobs import Attempt
from bot.workflow.publish import checks, renew
from bot.workflow.pull_state import PullState
from bot.workflow.server import Server, ignore_missing_on_last_try

log = logging.getLogger("deeprepo.review")


async def run(job: Follow, attempt: Attempt, server: Server) -> None:
    """Carry out the job after comments during a review."""
    async with github.open_pull(server.identity, job.pull, server.pace) as host:
        with ignore_missing_on_last_try(attempt):
            state = await server.read_pull(host)
            await refresh(state, await server.settings_of(state), host, server, attempt.delivery)


async def refresh(state: PullState, settings: Config, host: Host, server: Server, delivery: str) -> None:
    """Conclude the review of the current head and base again, and render its summary again. Can be repeated.

    Raises GitHub's refusal for the check, so that the job is tried again.
    """
    pull, facts = host.pull, state.facts
    if facts.state != "open":
        return
    store = server.store
    await store.reviews.close(pull, None)  # it may have been reopened without a delivery
    own_review = await conclusions.review_of_head(pull, facts, store)
    made_review = await _rendered_again(own_review, pull, server) if own_review is not None else None
    if own_review is None:
        lacks = await checks.lacks_review(host, facts.head_sha)
        if lacks == "held":  # whether the finding still counts shows another look at the earlier findings
            await server.jobs.submit(ReviewJob(pull, "catch-up", head=facts.head_sha), f"words-{delivery}")
            return
        status = await conclusions.of_head(pull, facts, settings, store, lacks)
        await checks.show(host, facts.head_sha, status)
    elif made_review is None:
        await server.jobs.submit(ReviewJob(pull, "catch-up", head=facts.head_sha), f"words-{delivery}")
    else:
        review = conclusions.with_current_thresholds(made_review.review, settings)
        now = verdict.of(review).check
        status = await conclusions.of_head(pull, facts, settings, store, just_made=now)
        await renew(host, own_review.id, review, made_review.comments, made_review.page, status)
        if now != own_review.conclusion:
            await store.reviews.conclude(own_review.id, now)


async def _rendered_again(own_review: StoredOutput, pull: PullRef, server: Server) -> Rendered | None:
    words_now = await conclusions.silences(pull, server.store)
    try:
        made_review = await server.page(own_review.output, own_review.memory, *words_now)
    except (OverLimit, StorageError) as error:
        log.info("a stored review cannot be read", extra={"facts": {"pull": pull.key, "reason": str(error)}})
        return None
    if made_review.json_text:  # numbers were assigned, and the next review needs them
        await server.store.reviews.rewrite(own_review.id, made_review.json_text.encode(), made_review.memory)
    return made_review
