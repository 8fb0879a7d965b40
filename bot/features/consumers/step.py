"""The GitHub Actions step's hooks for consumers, which the workflow lists and provides a token for."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from bot.action.hooks import StepHooks
from bot.config import Step
from bot.errors import HostError, UsageError
from bot.features.consumers import fetching as consumers
from bot.github import apps
from bot.github.client import GitHubClient
from bot.values.consumer import Audience, Consumers, NamedConsumer, RepositoryAccess
from bot.workflow.reviewer import ReviewRun


class StepConsumers(StepHooks):
    """Checks the consumers that the workflow lists."""

    def consumers(self, run: ReviewRun, step: Step) -> AbstractAsyncContextManager[Consumers]:
        """Provide the consumers for the duration of the review."""
        return fetch(run, step)


STEP_CONSUMERS = StepConsumers()


@asynccontextmanager
async def fetch(run: ReviewRun, step: Step) -> AsyncIterator[Consumers]:
    """Fetch the consumers into a temporary folder. If the workflow lists none, GitHub is not asked."""
    names = consumers.listed_names(step.inputs.consumers)
    if not names:
        yield Consumers(_audience(run, step, RepositoryAccess(run.host.pull.owner)))
        return
    token, api = step.inputs.consumers_token, step.runner.github_api_url
    repository = f"{run.host.pull.owner}/{run.host.pull.name}"
    subject = await consumers.subject(run.host.client, repository)
    with tempfile.TemporaryDirectory(prefix="deeprepo-", ignore_cleanup_errors=True) as folder:
        async with apps.open_with_token(token or step.inputs.github_token, api, run.host.client.pace) as client:

            async def one(name: str) -> NamedConsumer:
                return await _one(name, step, client, folder)

            rows = await consumers.fetch_all([name for name in names if name.lower() != repository.lower()], one)
        yield Consumers(_audience(run, step, subject), rows)


def _audience(run: ReviewRun, step: Step, subject: RepositoryAccess) -> Audience:
    return Audience(subject, step.inputs.consumers_shown, is_stranger=run.state.stranger)


async def _one(name: str, step: Step, client: GitHubClient, folder: str) -> NamedConsumer:
    """Fetch one consumer.

    Git gets only the consumers' token, because the step's own token is for the reviewed repository.
    """
    try:
        home = await consumers.look_up(client, name)
    except (HostError, UsageError) as error:
        return consumers.not_fetched(name, consumers.fetch_problem(error))
    token = step.inputs.consumers_token
    if token is None and not home.is_public:
        return consumers.not_fetched(home.name, consumers.UNSEEN, home.access)
    return await consumers.fetch_tip(home, step.runner.github_api_url, token, folder)
