"""Fetch the consumers that the workflow or the settings list, in a GitHub Actions step."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.config import Step
from bot.errors import HostError, UsageError
from bot.features.consumers import fetching as consumers
from bot.github import apps
from bot.github.client import GitHubClient
from bot.values.consumer import Audience, Consumers, NamedConsumer
from bot.workflow.reviewing import ReviewRun


@asynccontextmanager
async def fetch_listed(run: ReviewRun, step: Step) -> AsyncIterator[Consumers]:
    """Fetch the consumers into a temporary folder. If none is listed, GitHub is not asked."""
    repository = f"{run.host.pull.owner}/{run.host.pull.name}"
    listed = (*step.inputs.consumers.split(), *run.settings.consumers)
    names = consumers.listed_names(listed, repository)
    if not names:
        yield Consumers(Audience())
        return
    token, api = step.inputs.consumers_token, step.runner.github_api_url
    audience = Audience(
        await consumers.subject(run.host.client, repository), repository, can_write=not run.state.stranger
    )
    with tempfile.TemporaryDirectory(prefix="deeprepo-", ignore_cleanup_errors=True) as folder:
        async with apps.open_with_token(token or step.inputs.github_token, api, run.host.client.pace) as client:

            async def one(name: str) -> NamedConsumer:
                if token is None or not audience.can_write:
                    return await consumers.fetch_public(client, name, api, folder)
                return await _one(name, step, client, folder)

            yield Consumers(audience, await consumers.fetch_all(names, one))


async def _one(name: str, step: Step, client: GitHubClient, folder: str) -> NamedConsumer:
    """Fetch one consumer.

    Git gets only the consumers' token, because the step's own token is for the reviewed repository.
    """
    try:
        home = await consumers.look_up(client, name)
    except (HostError, UsageError) as error:
        return consumers.not_fetched(name, consumers.fetch_problem(error))
    return await consumers.fetch_tip(home, step.runner.github_api_url, step.inputs.consumers_token, folder)
