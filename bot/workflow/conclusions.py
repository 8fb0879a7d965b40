"""The conclusion of the check of a head: that of its stored reviews, or what the settings say of a head without a review.

It does not matter how a pull request came to its head: closed and opened again, made a draft, given a label, opened a second time. What
people have said since counts: a rejection, a withdrawal, a rule that is confirmed or removed.
"""

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.checkout.shown import know_secrets
from bot.config import Config, policy
from bot.findings import silencing
from bot.render.section import sections
from bot.stored import reviews
from bot.stored.reviews import UnreadableError
from bot.values import CheckConclusion, Dismissal, OwnerRule, PullFacts, PullRef, Review
from bot.values.review import Lack
from bot.workflow.publish import checks
from bot.workflow.publish.checks import HeadStatus

if TYPE_CHECKING:  # a step of a workflow has no database
    from bot.storage import Store
    from bot.storage.reviews import StoredReview

log = logging.getLogger("deeprepo.review")


async def of_head(
    pull: PullRef,
    facts: PullFacts,
    settings: Config | None,
    store: "Store",
    lacks: Lack = "unreviewed",
    just_made: CheckConclusion | None = None,
) -> HeadStatus:
    """Return the worst conclusion of the reviews of this head, over all open pull requests that have it.

    `just_made`: the conclusion of this pull request's review, if the caller knows it. `lacks`: the reason, if the head has no review. `settings`: None if
    they cannot be used; a stored review then keeps the conclusion that it was made with.
    """
    others = await store.reviews.conclusions_at(pull, facts.head_sha)
    is_reviewed = just_made is not None
    if just_made is None and lacks != "nothing":
        just_made = await _stored(pull, facts, settings, store)
        is_reviewed = just_made is not None
    of_pulls: dict[int, CheckConclusion] = dict(others)
    if just_made is not None:
        of_pulls[pull.number] = just_made
    elif not of_pulls or lacks != "left out":
        of_pulls[pull.number] = "failure" if settings is None else policy.without_review(settings, lacks)
    worst = checks.worst(of_pulls.values())
    is_worse = of_pulls.get(pull.number) != worst
    other = min((number for number, one in others.items() if one == worst), default=0) if is_worse else 0
    return HeadStatus(worst, is_reviewed or bool(other), other)


async def review_of_head(pull: PullRef, facts: PullFacts, store: "Store") -> "StoredReview | None":
    """Return the last stored review, if it is of this head against this base branch: one of another says nothing of it.

    A review of this head that cannot be read counts: what it came to is stored beside it, and stands.
    """
    review = await store.reviews.newest(pull)
    if review is None or review.head != facts.head_sha:
        return None
    change = await asyncio.to_thread(reviewed_change, review.output)
    return review if change is None or change[2] == facts.base_ref else None


async def is_due(pull: PullRef, head: str, base: str, store: "Store") -> bool:
    """Return whether the last review was of another head, or compared it with another branch."""
    last = await asyncio.to_thread(reviewed_change, await store.reviews.last(pull))
    return last is None or last[1:] != (head, base)


def reviewed_change(last: bytes | None) -> tuple[str, str, str] | None:
    """Return the merge base, the head and the base branch of the last review; None if there is none, or it cannot be read."""
    try:
        return reviews.change(last) if last else None
    except UnreadableError:
        return None


async def silences(pull: PullRef, store: "Store") -> tuple[tuple[Dismissal, ...], tuple[OwnerRule, ...]]:
    """Return what silences findings of this pull request now: what people have said of single ones, and the rules in force."""
    return await store.people.dismissals(pull), await store.rules.in_force(pull.repository)


def under_bar(review: Review, settings: Config) -> Review:
    """Return a stored review under the bar that is in force now: of findings, and of what must hold."""
    shown = settings.without_secrets(know_secrets())  # as a review has them
    kept_parts = {section: review.parts[section.key] for section in sections() if section.key in review.parts}
    parts = {**review.parts, **{each.key: each.under(part, shown) for each, part in kept_parts.items()}}
    bar = replace(review.settings, fail_on=settings.fail_on, strict=settings.strict, doubts=settings.doubts)
    return replace(review, settings=bar, parts=parts)


async def _stored(pull: PullRef, facts: PullFacts, settings: Config | None, store: "Store") -> CheckConclusion | None:
    """The conclusion of the stored review of this head under today's silences and bar; None if no review is stored.

    One that cannot be read keeps the conclusion that is stored.
    """
    stored = await review_of_head(pull, facts, store)
    if stored is None or settings is None:
        return None if stored is None else stored.conclusion
    try:
        review = await asyncio.to_thread(reviews.review, stored.output)
    except UnreadableError as error:
        log.warning("a stored review cannot be read", extra={"facts": {"pull": pull.key, "reason": str(error)}})
        return stored.conclusion
    return checks.conclude(under_bar(silencing.silence_again(review, *await silences(pull, store)), settings))
