"""The server's hooks for consumers: index packages, and store clones."""

import asyncio
from collections.abc import Collection, Iterator
from contextlib import AbstractAsyncContextManager

from bot.config import Settings
from bot.features.consumers import packages
from bot.features.consumers.variables import ConsumerVariables
from bot.values import Ask, PackageSurvey
from bot.values.consumer import Consumers
from bot.workflow.hooks import ServerHooks
from bot.workflow.jobs import Job
from bot.workflow.reviewer import ReviewRun
from bot.workflow.server import Server

OFF = "DEEPREPO_CONSUMERS is off"
SUBSCRIBED = "indexed after each push to a default branch"
NOT_SUBSCRIBED = (
    "DEEPREPO_CONSUMERS is set, but the App is not subscribed to Push events, so changes on default branches are noticed a "
    "day later. Subscribe to Push in the App's settings on GitHub, under Permissions & events"
)


class ServerConsumers(ServerHooks):
    """Finds consumers from the server's index."""

    def consumers(self, run: ReviewRun, server: Server) -> AbstractAsyncContextManager[Consumers]:
        """Provide the consumers from the same installation for the duration of the review."""
        return packages.fetch_users(run, server)

    def refusal(self, ask: Ask, settings: Settings) -> str:
        """Return why a package survey is refused, or ""."""
        return OFF if isinstance(ask, PackageSurvey) and not settings.of(ConsumerVariables).is_on else ""

    def checks(self, settings: Settings, events: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield a sentence about whether the App receives pushes to default branches."""
        if settings.of(ConsumerVariables).is_on:
            yield "consumers", SUBSCRIBED if "push" in events else NOT_SUBSCRIBED

    async def on_survey(self, ask: PackageSurvey, job: Job, server: Server) -> None:
        """Index the packages that repositories publish and use."""
        await packages.survey(ask, job, server)

    async def forget(self, repositories: Collection[int], server: Server) -> None:
        """Delete the clones of these repositories."""
        await asyncio.to_thread(packages.forget_clones, server.folder, repositories)


SERVER_CONSUMERS = ServerConsumers()
