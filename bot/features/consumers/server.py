"""What a server does about the repositories that use the reviewed one: it keeps an index of packages, and clones."""

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
HEARS = "indexed after each push to a default branch"
DEAF = (
    "DEEPREPO_CONSUMERS is set, but the App is not subscribed to Push events, so changes on default branches are noticed a "
    "day later. Subscribe to Push in the App's settings on GitHub, under Permissions & events"
)


class ConsumersOfAServer(ServerHooks):
    """A server finds out by itself who uses what."""

    def consumers(self, run: ReviewRun, server: Server) -> AbstractAsyncContextManager[Consumers]:
        """Fetch those of the same installation for the time of the review."""
        return packages.fetch_users(run, server)

    def refusal(self, ask: Ask, settings: Settings) -> str:
        """Take no survey of packages while the operator wants no look at other repositories."""
        return OFF if isinstance(ask, PackageSurvey) and not settings.of(ConsumerVariables).is_on else ""

    def checks(self, settings: Settings, events: Collection[str]) -> Iterator[tuple[str, str]]:
        """Say whether the App hears of changed default branches."""
        if settings.of(ConsumerVariables).is_on:
            yield "consumers", HEARS if "push" in events else DEAF

    async def on_survey(self, ask: PackageSurvey, job: Job, server: Server) -> None:
        """Look which packages repositories offer and take."""
        await packages.survey(ask, job, server)

    async def forget(self, repositories: Collection[int], server: Server) -> None:
        """Remove their clones."""
        await asyncio.to_thread(packages.forget_clones, server.folder, repositories)


CONSUMERS_OF_A_SERVER = ConsumersOfAServer()
