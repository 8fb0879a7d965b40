"""The hooks through which features take part in a server's jobs. A feature overrides those that it needs."""

from collections.abc import Collection, Iterable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, cast

from bot import registry
from bot.config import Settings
from bot.github import Host
from bot.render import Safe
from bot.values import Ask, Dismissal, Finding, PackageSurvey, PostedComment
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

    async def listen(self, host: Host, server: "Server") -> bool:
        """Check how people reacted to findings since the last job.

        Return whether other findings are reported.
        """
        del host, server
        return False

    async def on_withdrawn(
        self, finding: Finding, dismissal: Dismissal, link: str, host: Host, server: "Server"
    ) -> tuple[Safe, int]:
        """Return a suggestion and its number for a finding that a person dismissed. The number is 0 without one."""
        del finding, dismissal, link, host, server
        return Safe(), 0

    async def on_shown(self, number: int, comment: PostedComment, host: Host, server: "Server") -> None:
        """Act on a comment that shows a suggestion."""


def hooks() -> tuple[ServerHooks, ...]:
    """List the hooks of all features."""
    return cast("tuple[ServerHooks, ...]", registry.parts("server"))


async def listen(host: Host, server: "Server") -> bool:
    """Check how people reacted to findings since the last job. Return whether other findings are reported."""
    return any([await hook.listen(host, server) for hook in hooks()])


async def run_shown_hooks(number: int, comment: PostedComment, host: Host, server: "Server") -> None:
    """Report that a comment shows a suggestion."""
    for each in hooks():
        await each.on_shown(number, comment, host, server)


async def survey(ask: PackageSurvey, job: Job, server: "Server") -> None:
    """Carry out the job of surveying packages."""
    for hook in hooks():
        await hook.on_survey(ask, job, server)
