"""The hooks through which features take part in a server's jobs. A feature overrides those that it needs."""

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, cast

from bot import registry
from bot.github import Host
from bot.values.consumer import Consumers
from bot.values.shared_file import SharedFile
from bot.workflow.reviewer import ReviewRun

if TYPE_CHECKING:  # only needed for types
    from bot.workflow.server import Server


class ServerHooks:
    """The hooks of one feature."""

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


def hooks() -> tuple[ServerHooks, ...]:
    """List the hooks of all features."""
    return cast("tuple[ServerHooks, ...]", registry.parts("server"))
