"""What a feature may do in the jobs of a server: it overrides what it has something to do for."""

from typing import cast

from bot import registry
from bot.values import ChecksEnded, PullRef
from bot.workflow.jobs import Job
from bot.workflow.reviewer import ReviewRun
from bot.workflow.server import Server


class ServerHooks:
    """The moments at which a server asks its features."""

    async def on_reviewed(self, run: ReviewRun, job: Job, server: Server) -> None:
        """Act on a review that was posted."""

    async def on_checks_ended(self, ask: ChecksEnded, job: Job, server: Server) -> None:
        """Act on the checks of another App that have ended on a commit."""

    async def catch_up(self, pull: PullRef, head: str, server: Server) -> bool:
        """Add to the stored review of a head what became known since; return whether its page is to be made again."""
        del pull, head, server
        return False


def hooks() -> tuple[ServerHooks, ...]:
    """List what features do on a server."""
    return cast("tuple[ServerHooks, ...]", registry.parts("server"))


async def tell_checks_ended(ask: ChecksEnded, job: Job, server: Server) -> None:
    """Carry out the job of checks that have ended."""
    for each in hooks():
        await each.on_checks_ended(ask, job, server)
