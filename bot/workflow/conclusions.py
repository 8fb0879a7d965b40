"""Conclude the check of a head from its stored reviews, or from the settings if it has no review.

The conclusion does not depend on how a pull request got to its head (reopened, made a draft, labeled, opened
twice). It includes what people decided since the review: dismissals, withdrawals, and rules that were
confirmed or removed.
"""

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from bot import verdict
from bot.checkout.views import create_known_secrets
from bot.config import Config, policy
from bot.findings import silencing
from bot.sections import sections
from bot.stored import reviews
from bot.stored.reviews import UnreadableError
from bot.values import CheckConclusion, Dismissal, OwnerRule, PullFacts, PullRef, Review
from bot.values.review import NoReviewReason
from bot.workflow.publish.checks import HeadStatus

if TYPE_CHECKING:  # the GitHub Actions step has no database
    from bot.storage import Store
    from bot.storage.reviews import StoredOutput

log = logging.getLogger("deeprepo.review")


async def of_head(
    pull: PullRef,
    facts: PullFacts,
    settings: Config | None,
    store: "Store",
    lacks: NoReviewReason = "unreviewed",
    just_made: CheckConclusion | None = None,
) -> HeadStatus:
    """Return the worst conclusion of this head's reviews, over all open pull requests with this head.

    `just_made` is the conclusion of this pull request's review, if the caller knows it. `lacks` is the reason
    if the head has no review. `settings` is None if they cannot be used; a stored review then keeps its
    conclusion.
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
        of_pulls[pull.number] = policy.conclusion_without_review(settings, lacks)
    worst = verdict.worst(of_pulls.values())
    is_worse = of_pulls.get(pull.number) != worst
    other = min((number for number, one in others.items() if one == worst), default=0) if is_worse else 0
    return HeadStatus(worst, is_reviewed or bool(other), other)


async def review_of_head(pull: PullRef, facts: PullFacts, store: "Store") -> "StoredOutput | None":
    """Return the last stored review if it compared this head with this base branch, else None.

    A review of this head that cannot be read is returned too, because its conclusion is stored separately.
    """
    review = await store.reviews.newest(pull)
    if review is None or review.head != facts.head_sha:
        return None
    change = await asyncio.to_thread(reviewed_change, review.output)
    return review if change is None or change[2] == facts.base_ref else None


async def is_due(pull: PullRef, head: str, base: str, store: "Store") -> bool:
    """Return whether the last review was of another head or another base branch."""
    last = await asyncio.to_thread(reviewed_change, await store.reviews.last(pull))
    return last is None or last[1:] != (head, base)


def reviewed_change(last: bytes | None) -> tuple[str, str, str] | None:
    """Return the last review's merge base, head and base branch; None if no review can be read."""
    try:
        return reviews.change(last) if last else None
    except UnreadableError:
        return None


async def silences(pull: PullRef, store: "Store") -> tuple[tuple[Dismissal, ...], tuple[OwnerRule, ...]]:
    """Return what silences findings of this pull request now: dismissals and the rules in force."""
    return await store.people.dismissals(pull), await store.rules.in_force(pull.repository)


def with_current_thresholds(review: Review, settings: Config) -> Review:
    """Return a stored review with today's thresholds for findings and for own checks."""
    shown = settings.without_secrets(create_known_secrets())  # as in a review
    kept_parts = {section: review.parts[section.key] for section in sections() if section.key in review.parts}
    parts = {**review.parts, **{each.key: each.with_settings(part, shown) for each, part in kept_parts.items()}}
    names = ("fail_on", "strict", "doubts", "approve")
    bar = replace(review.settings, **{name: getattr(settings, name) for name in names})
    return replace(review, settings=bar, parts=parts)


async def _stored(pull: PullRef, facts: PullFacts, settings: Config | None, store: "Store") -> CheckConclusion | None:
    """A review that cannot be read keeps its stored conclusion."""
    stored = await review_of_head(pull, facts, store)
    if stored is None or settings is None:
        return None if stored is None else stored.conclusion
    try:
        review = await asyncio.to_thread(reviews.review, stored.output)
    except UnreadableError as error:
        log.warning("a stored review cannot be read", extra={"facts": {"pull": pull.key, "reason": str(error)}})
        return stored.conclusion
    return verdict.of(
        with_current_thresholds(silencing.reapply_silencing(review, *await silences(pull, store)), settings)
    ).check
