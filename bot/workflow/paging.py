"""The page of a pull request follows what people say between two reviews: a rejection, a withdrawal, a rule that is confirmed or removed."""

import logging
from contextlib import suppress

from bot import github
from bot.errors import HostRefused, OverLimit, Superseded
from bot.github import Host
from bot.publish import renewing
from bot.values import PullRef
from bot.workflow import keeping
from bot.workflow.parts import Services

log = logging.getLogger("deeprepo.review")


async def follow(pull: PullRef, host: Host, parts: Services) -> None:
    """Make the page anew from the stored review and the words that hold now. May be done again, and after any crash."""
    stored = await parts.store.reviews.newest(pull)
    if stored is None:
        return
    job, output = stored
    ignored, rules = await keeping.ignored(pull, parts.store), await parts.store.rules.confirmed(pull.repository)
    try:
        made = await parts.page(output, ignored, rules)
    except (OverLimit, ValueError) as error:  # of an earlier version: the next review makes a page that can follow
        log.info("a page is left as it is", extra={"facts": {"pull": pull.key, "reason": str(error)}})
        return
    if made.written:  # numbers were given: the next round has to know them
        await parts.store.reviews.rewrite(job, made.written.encode())
    async with github.opened(parts.identity, pull, parts.pace, github.RESOLVING) as resolver:
        with suppress(Superseded, HostRefused):
            await renewing.renew(host, resolver, made.review, made.comments, made.page)
