"""The hooks through which features take part in a server's jobs. A feature overrides those that it needs."""

from collections.abc import Collection, Iterable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, cast

from bot import registry
from bot.config import Settings
from bot.github import Host
from bot.values import Ask, PackageSurvey
from bot.values.consumer import Consumers
from bot.values.shared_file import SharedFile
from bot.workflow.jobs import Job
from bot.workflow.reviewer import ReviewRun

if TYPE_CHECKING:  # only needed for types
    from bot.workflow.server import Server


class ServerHooks:
    """The hooks of one feature."""

    async def on_reviewed(self, run: ReviewRun, job: Job, server: "Server") -> None:
        """Act on a review that was posted."""

    def consumers(self, run: ReviewRun, server: "Server") -> AbstractAsyncContextManager[Consumers] | None:
        """Fetch the other repositories that a review looks at; None if no other repository is known."""
        del run, server
        return None

    async def shared_files(
        self, host: Host, repository: str, server: "Server", *, is_private: bool
    ) -> tuple[SharedFile, ...]:
        """Return the settings that a repository ("owner/name") shares with others.

        `is_private` says whether private repositories' settings may be included.
        """
        del host, repository, server, is_private
        return ()

    def refusal(self, ask: Ask, settings: Settings) -> str:
        """Return why a job is refused, or "" if it is accepted."""
        del ask, settings
        return ""

    def checks(self, settings: Settings, events: Collection[str]) -> Iterable[tuple[str, str]]:
        """List what an operator should know before the server starts, as names and sentences.

        `events` are those that the App is subscribed to.
        """
        del settings, events
        return ()

    async def on_survey(self, ask: PackageSurvey, job: Job, server: "Server") -> None:
        """Find out which packages repositories publish and depend on."""

    async def forget(self, repositories: Collection[int], server: "Server") -> None:
        """Delete the feature's data about repositories."""


def hooks() -> tuple[ServerHooks, ...]:
    """List the hooks of all features."""
    return cast("tuple[ServerHooks, ...]", registry.parts("server"))


async def survey(ask: PackageSurvey, job: Job, server: "Server") -> None:
    """Carry out the job of surveying packages."""
    for hook in hooks():
        await hook.on_survey(ask, job, server)
