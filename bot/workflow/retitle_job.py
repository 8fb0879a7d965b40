"""Review a pull request again if its new title changes whether the settings skip it."""

from dataclasses import replace

from bot import github
from bot.config import policy
from bot.values import Retitled
from bot.workflow.jobs import Job
from bot.workflow.server import Server, ignore_missing_on_last_try


async def run(ask: Retitled, job: Job, server: Server) -> None:
    """Submit a review if exactly one of the two titles is skipped."""
    async with github.open_pull(server.identity, ask.pull, server.pace) as host:
        with ignore_missing_on_last_try(job):
            state = await server.read_pull(host)
            if policy.is_skip_changed(ask.before, state.facts.title, await server.settings_of(state)):
                again = replace(ask.review, head=state.facts.head_sha)
                await server.jobs.submit(again, f"title-{job.delivery}")
