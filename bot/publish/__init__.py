"""A review put on its pull request: everything once, nothing lost, whatever GitHub or the machine does in between.

Each comment carries our marker with the run that wrote it. Before a write is done its marker is looked for, so the same
run can be gone through again after any crash: it goes on where it was broken off.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from bot.github import Host
from bot.outputs.posts import Comments
from bot.publish import requests, summary
from bot.publish.job import Publication
from bot.publish.posting import post, tell_in_summary
from bot.publish.tidy import ThreadCloser, tidy
from bot.render import load
from bot.values import PostedComment, Review

__all__ = ["PublishResult", "publish"]


@dataclass(frozen=True, slots=True)
class PublishResult:
    """What is on the pull request now: findings on the diff, findings in the summary, and sentences for the log."""

    posted_count: int
    listed_count: int
    summary_url: str
    notes: tuple[str, ...] = ()


async def publish(
    host: Host,
    review: Review,
    comments: Callable[[Review], Comments],
    run: str,
    still_current: Callable[[], Awaitable[bool]],
    facts: Mapping[str, str] = MappingProxyType({}),
) -> PublishResult:
    """Publish a review: its comments on lines first, then the summary, then what earlier rounds left is tidied up.

    `comments` is asked again where GitHub refuses a place, a request for changes, or to resolve a thread: the summary then reports it.

    `facts`: what else the marker of the summary has to keep. Raises SupersededError where the head, the base or the pull request is no longer what was reviewed, and HostError's kinds.
    """
    job = Publication(host, review, run, load(review.settings.language), still_current)
    await job.check()
    request = await requests.look(job)
    comments_posted, refusals = await post(job, comments, request)

    async def put_summary(notes: tuple[str, ...]) -> PostedComment:
        if not notes:
            return await summary.put(job, comments_posted.summary, facts)
        told_review = replace(tell_in_summary(review, refusals), notes=(*review.notes, *notes))
        return await summary.put(job, (await asyncio.to_thread(comments, told_review)).summary, facts)

    unheard = await requests.settle(job, request)
    stands = await put_summary(unheard)
    closer = ThreadCloser(host)
    notes = (*unheard, *await tidy(job, closer))
    if closer.is_refused:
        stands = await put_summary((*unheard, job.words.say("threads_open")))
    if refusals:
        notes = (f"GitHub refused the place of {len(refusals)} comments: they are in the summary.", *notes)
    posted_count = sum(one.findings for one in comments_posted.posts)
    return PublishResult(posted_count, len(review.reported) - posted_count, stands.url, notes)
