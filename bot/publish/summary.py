"""The one summary comment of a pull request: made in the first round, kept up to date in every other."""

from collections.abc import Mapping

from bot.errors import HostRefused
from bot.github import Host
from bot.publish.existing import SUMMARY
from bot.publish.existing import facts as read
from bot.publish.job import Publication
from bot.values import PostedComment

NOT_FOUND = 404


async def put(job: Publication, body: str, facts: Mapping[str, str]) -> PostedComment:
    """Write the summary, or bring the one that is there up to date. More than one never stays."""
    standing = await stands(job.host)
    text = job.sign(body, **facts)
    for double in standing[1:]:  # an answer that was lost and found too late
        await job.host.delete(double)
    if not standing:
        return await _write(job, text)
    if same(standing[0].body, text):
        return standing[0]
    await job.check()
    try:
        return await job.host.edit_comment(standing[0].id, text)
    except HostRefused as refusal:
        if refusal.status != NOT_FOUND:
            raise
    return await _write(job, text)  # somebody has deleted it this moment


async def _write(job: Publication, text: str) -> PostedComment:
    async def find() -> PostedComment | None:
        return next(iter(await stands(job.host)), None)

    return await job.put(find, lambda: job.host.comment(text))


async def stands(host: Host) -> list[PostedComment]:
    """The summary as it is now; more than one only after an answer that was lost."""
    return [one for one in await host.comments() if read(one).get("kind") == SUMMARY]


def same(one: str, other: str) -> bool:
    """Whether two texts say the same; GitHub keeps neither the line ends nor the blank end of what it was sent."""
    return one.replace("\r\n", "\n").rstrip() == other.rstrip()
