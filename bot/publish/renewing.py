"""The page of a review made true again between two reviews: summary, check run, request for changes, threads."""

from contextlib import suppress

from bot.errors import HostRefused, SupersededError
from bot.github import Host
from bot.outputs import marker
from bot.outputs.posts import Comments
from bot.publish import PublishResult, checks, requests, summary
from bot.publish.checks import CheckEnding
from bot.publish.existing import facts
from bot.publish.job import Publication
from bot.publish.tidy import ThreadCloser, tidy
from bot.render import load
from bot.values import PostedComment, Review


async def _is_wanted() -> bool:
    return True


async def renew(host: Host, run: str, review: Review, comments: Comments, page: str, verdict: CheckEnding) -> None:
    """Write what has changed since this run made the review. `verdict`: what its head comes to. Nothing is posted on lines: a finding that is back is listed in the summary.

    Done again, it changes nothing. What GitHub refuses of the check run is raised. Of the page it costs that part: the next review
    makes its own, as it does if the pull request has gone on.
    """
    standing: PostedComment | None = None
    with suppress(HostRefused):
        standing = next((one for one in await summary.stands(host) if facts(one).get("head") == review.pull.head), None)
    posted_count = sum(one.findings for one in comments.posts)
    link = standing.url if standing is not None else ""
    outcome = PublishResult(posted_count, len(review.reported) - posted_count, link)
    await checks.again(host, run, review, outcome, verdict, page)
    if standing is not None:
        with suppress(SupersededError, HostRefused):
            await _renew_page(host, standing, review, comments)


async def _renew_page(host: Host, standing: PostedComment, review: Review, comments: Comments) -> None:
    marker_facts = facts(standing)
    job = Publication(host, review, marker_facts.get("run", ""), load(review.settings.language), _is_wanted)
    await job.check()
    others = {name: value for name, value in marker_facts.items() if name != "kind"}
    text = f"{marker.make(marker_facts['kind'], **others)}\n{comments.summary.partition(chr(10))[2]}"
    closer = ThreadCloser(host)
    await tidy(job, closer)
    if closer.is_refused:
        text = f"{text}\n> {job.words.say('threads_open')}\n"
    if not summary.same(standing.body, text):
        await host.edit_comment(standing.id, text)
    with suppress(HostRefused):  # the next review tries again, and reports the reason
        await requests.settle(job, await requests.look(job))
