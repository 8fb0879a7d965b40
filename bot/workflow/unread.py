"""Show a check run on the delivered commit if a review fails before its pull request could be read."""

import asyncio
import time
from contextlib import suppress

from bot import config
from bot.config import policy
from bot.errors import HostError, HostRefused, public
from bot.github import Host
from bot.values import CheckConclusion, ReviewAsk
from bot.values.change import is_object_id
from bot.workflow import pull_state
from bot.workflow.publish import checks
from bot.workflow.publish.checks import CheckOwner
from bot.workflow.server import Server

BEGIN_SECONDS = 60.0  # seconds; if GitHub is down, the job is soon delayed and this runs again


async def begin(ask: ReviewAsk, run: str, host: Host, server: Server, why: str) -> str:
    """Start this review's check run, unless it has one or the review exists; return why there can be none.

    The check run is ended later with the reason.
    """
    store = server.store
    if not is_object_id(ask.head):
        return "no commit is known"
    try:
        async with asyncio.timeout(BEGIN_SECONDS), server.lock_checks(ask.pull):
            if run in [other for other, _ in await store.checks.of(ask.pull)] or await store.reviews.has(run):
                return ""
            owner = CheckOwner(run, if_broken=await conclusion(host, server))
            await store.checks.add(ask.pull, await checks.start(host, ask.head, owner, why), run, time.time())
    except TimeoutError:
        return "GitHub did not answer in time"
    except HostError as error:
        return error.reason if isinstance(error, HostRefused) else public(error)
    return ""


async def conclusion(host: Host, server: Server) -> CheckConclusion:
    """Return the check's conclusion for such a commit: failure if a threshold is set or may be set."""
    base = default = "HEAD"
    with suppress(HostError):
        facts = await host.facts()
        base, default = facts.base_ref, facts.repository.default_branch
    try:
        shared = await server.shared_files(host, f"{host.pull.owner}/{host.pull.name}", is_private=True)
        conclusions = list[CheckConclusion]()
        for branch in dict.fromkeys((base, default)):
            file = await pull_state.settings_at(host, config.FILE, branch)
            conclusions.append(policy.conclusion_without_review(await server.resolve(file, shared)))
    except HostError:
        return "failure"
    return checks.worst(conclusions)
