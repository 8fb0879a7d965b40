"""Ask again whether a head without a review is reviewed, after somebody added or removed a label."""

import time

from bot import github
from bot.values import Relabeled, ReviewAsk
from bot.workflow.jobs import Job
from bot.workflow.publish import checks
from bot.workflow.server import Server

WAIT_SECONDS = 10.0  # between two looks at whether a running review has ended


async def run(ask: Relabeled, job: Job, server: Server) -> None:
    """Submit a review of the head, unless it has one or a person canceled it."""
    if await server.jobs.reviews(ask.pull):  # it may have read the labels before they changed
        await server.jobs.submit(ask, f"labels-{time.time_ns()}", delay=WAIT_SECONDS)
        return
    last = await server.store.reviews.newest(ask.pull)
    if last is not None and last.head == ask.head:
        return
    async with github.open_pull(server.identity, ask.pull, server.pace) as host:
        if not await checks.is_cancelled(host, ask.head):
            review = ReviewAsk(ask.pull, "labeled", head=ask.head, stranger=ask.stranger)
            await server.jobs.submit(review, f"labels-{job.delivery}")
