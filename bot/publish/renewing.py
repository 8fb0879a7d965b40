"""The page of a review made true again between two reviews: summary, check run, request for changes, threads."""

from contextlib import suppress

from bot.errors import HostRefused
from bot.github import Host
from bot.outputs import marker
from bot.outputs.posts import Comments
from bot.publish import PublishResult, checks, requests, summary, withdrawing
from bot.publish.existing import facts
from bot.publish.job import Publication
from bot.render import load
from bot.values import Review


async def _is_wanted() -> bool:
    return True


async def renew(host: Host, resolver: Host, review: Review, comments: Comments, page: str) -> None:
    """Write what has changed. Nothing is posted on lines: a finding that is back is listed in the summary.

    Done again, it changes nothing. Raises SupersededError if the pull request has gone on: the next review makes its own page.
    """
    standing = next(iter(await summary.stands(host)), None)
    marker_facts = facts(standing, host) if standing is not None else {}
    if standing is None or marker_facts.get("head") != review.pull.head:
        return
    run = marker_facts.get("run", "")
    job = Publication(host, review, run, load(review.language), _is_wanted)
    await job.check()
    others = {name: value for name, value in marker_facts.items() if name != "kind"}
    text = f"{marker.make(marker_facts['kind'], **others)}\n{comments.summary.partition(chr(10))[2]}"
    if not summary.same(standing.body, text):
        await host.edit_comment(standing.id, text)
    with suppress(HostRefused):  # the next review tries again, and reports the reason
        await requests.settle(job, await requests.look(job))
    posted_count = sum(one.findings for one in comments.posts)
    outcome = PublishResult(posted_count, len(review.findings) - posted_count, standing.url)
    await checks.again(host, run, review, outcome, page)
    silenced_marks = {one.finding.identity for one in review.suppressed}
    with suppress(HostRefused):
        await withdrawing.close(host, resolver, silenced_marks, silenced_marks)
