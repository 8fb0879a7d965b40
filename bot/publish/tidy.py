"""What earlier rounds left behind: fixed findings are answered and minimised, comments on lines that are gone are minimised.

The threads of findings that we have taken back are resolved, and where GitHub refuses that, collapsed as resolved.
"""

from collections.abc import Collection

from bot.errors import HostRefused
from bot.github import Host
from bot.publish.existing import FIXED, PostedFinding, look
from bot.publish.job import Publication
from bot.render import Safe, comment
from bot.values import Hidden, PostedComment

SHORT = 10  # characters of a commit id


async def tidy(job: Publication) -> tuple[str, ...]:
    """Tidy up; sentences about what could not be done, which loses nothing. What a person resolved is left alone."""
    notes: list[str] = []
    for one in await look(job.host):
        if one.is_resolved or one.run == job.run:
            continue
        try:
            await _settle(job, one)
        except HostRefused as refusal:
            notes.append(f"An earlier comment could not be tidied up: {refusal}")
    return tuple(dict.fromkeys(notes))


async def _settle(job: Publication, one: PostedFinding) -> None:
    review = job.review
    there = review.open
    if one.names(review.having("fixed")) and not (one.also and one.names(there)):  # of several, all must be gone
        await _close(job, one)
    elif one.comment.is_outdated and not one.is_closed and not one.names(review.still):
        await _fold(job, one, "OUTDATED")


async def _close(job: Publication, one: PostedFinding) -> None:
    """Answer once that it is fixed, and fold it."""
    if not one.is_closed:
        body = job.make(
            FIXED,
            comment("publish/fixed.md.j2", job.words, sha=Safe(job.head[:SHORT])),
            fingerprint=one.fingerprint,
        )

        async def find() -> PostedComment | None:
            thread = await job.host.comments("review", one.comment.id)
            return next((p for p in thread if job.is_mine(p, FIXED, fingerprint=one.fingerprint)), None)

        await job.put(find, lambda: job.host.reply(one.comment.id, body))
    await _fold(job, one, "RESOLVED")


async def _fold(job: Publication, one: PostedFinding, why: Hidden) -> None:
    if not one.hide_reason and one.comment.node_id:
        await job.check()
        await job.host.client.ask("minimize", id=one.comment.node_id, why=why)


async def close(host: Host, resolver: Host, withdrawn: Collection[str], silenced_marks: Collection[str]) -> None:
    """Close the threads of these findings (fingerprints), but for those that are also about a finding that still stands.

    `resolver` may resolve threads, which takes a permission that an owner need not give; `host` may collapse comments.
    """
    for one in await look(host):
        marks = {mark for mark, _ in one.findings}
        if one.is_resolved or marks.isdisjoint(withdrawn) or not marks.issubset({*silenced_marks, *withdrawn}):
            continue
        if not await _resolve(resolver, one) and not one.hide_reason and one.comment.node_id:
            await host.client.ask("minimize", id=one.comment.node_id, why="RESOLVED")


async def _resolve(resolver: Host, one: PostedFinding) -> bool:
    if not one.thread:
        return False
    try:
        await resolver.client.ask("resolve", id=one.thread)
    except HostRefused:
        return False
    return True
