"""What a feature may do in the jobs of a server: it overrides what it has something to do for."""

from collections.abc import Collection, Iterable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, cast

from bot import registry
from bot.config import Settings
from bot.github import Host
from bot.render import Safe
from bot.values import Ask, ChecksEnded, Dismissal, Finding, PackageSurvey, PostedComment, PullRef
from bot.values.consumer import Consumers
from bot.values.shared_file import SharedFile
from bot.workflow.jobs import Job
from bot.workflow.reviewer import ReviewRun

if TYPE_CHECKING:  # a server asks its features too
    from bot.workflow.server import Server


class ServerHooks:
    """The moments at which a server asks its features."""

    async def on_reviewed(self, run: ReviewRun, job: Job, server: "Server") -> None:
        """Act on a review that was posted."""

    def consumers(self, run: ReviewRun, server: "Server") -> AbstractAsyncContextManager[Consumers] | None:
        """Fetch the other repositories that a review looks at; None: it knows of none."""
        del run, server
        return None

    async def shared_files(
        self, host: Host, repository: str, server: "Server", *, is_private: bool
    ) -> tuple[SharedFile, ...]:
        """Return the settings that a repository ("owner/name") shares with others. `is_private`: whether what is private may be shown."""
        del host, repository, server, is_private
        return ()

    def refusal(self, ask: Ask, settings: Settings) -> str:
        """Say why a job is not taken on, "" if it is."""
        del ask, settings
        return ""

    def checks(self, settings: Settings, events: Collection[str]) -> Iterable[tuple[str, str]]:
        """List what an operator should know before the server starts, as names and sentences. `events`: those that the App hears of."""
        del settings, events
        return ()

    async def on_survey(self, ask: PackageSurvey, job: Job, server: "Server") -> None:
        """Look which packages repositories offer and take."""

    async def forget(self, repositories: Collection[int], server: "Server") -> None:
        """Delete what it keeps of repositories."""

    async def listen(self, host: Host, server: "Server") -> bool:
        """Read what people have said of findings since the last job; return whether other findings are reported because of it."""
        del host, server
        return False

    async def on_withdrawn(
        self, finding: Finding, dismissal: Dismissal, link: str, host: Host, server: "Server"
    ) -> tuple[Safe, int]:
        """Return what a finding suggests that was withdrawn because of somebody who may write: words, and its number; 0: nothing."""
        del finding, dismissal, link, host, server
        return Safe(), 0

    async def on_shown(self, number: int, comment: PostedComment, host: Host, server: "Server") -> None:
        """Act on a comment that shows what was suggested."""

    async def on_checks_ended(self, ask: ChecksEnded, job: Job, server: "Server") -> None:
        """Act on the checks of another App that have ended on a commit."""

    async def catch_up(self, pull: PullRef, head: str, server: "Server") -> bool:
        """Add to the stored review of a head what became known since; return whether its page is to be made again."""
        del pull, head, server
        return False


def hooks() -> tuple[ServerHooks, ...]:
    """List what features do on a server."""
    return cast("tuple[ServerHooks, ...]", registry.parts("server"))


async def listen(host: Host, server: "Server") -> bool:
    """Read what people have said of findings since the last job; return whether other findings are reported because of it."""
    return any([await hook.listen(host, server) for hook in hooks()])


async def tell_shown(number: int, comment: PostedComment, host: Host, server: "Server") -> None:
    """Tell that a comment shows what was suggested."""
    for each in hooks():
        await each.on_shown(number, comment, host, server)


async def survey(ask: PackageSurvey, job: Job, server: "Server") -> None:
    """Carry out the job of looking at packages."""
    for hook in hooks():
        await hook.on_survey(ask, job, server)


async def tell_checks_ended(ask: ChecksEnded, job: Job, server: "Server") -> None:
    """Carry out the job of checks that have ended."""
    for hook in hooks():
        await hook.on_checks_ended(ask, job, server)
