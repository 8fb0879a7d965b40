"""Read an organization's default settings on a server."""

from contextlib import AbstractAsyncContextManager

from bot import github
from bot.features.organization.files import OrganizationFiles, repository_name
from bot.features.organization.values import OrganizationFile
from bot.github import Host
from bot.github.client import GitHubClient
from bot.workflow.hooks import ServerHooks
from bot.workflow.server import Server


class ServerDefaults(ServerHooks):
    """Reads the defaults with a token for the owner's `.deeprepo` repository only."""

    async def shared_files(
        self, host: Host, repository: str, server: Server, *, is_private: bool
    ) -> tuple[OrganizationFile, ...]:
        """Return the owner's file, at most a minute old."""

        def open_private(name: str) -> AbstractAsyncContextManager[GitHubClient]:
            return github.open_installation(
                server.identity, host.pull.installation, github.READ_CONTENTS, server.pace, name
            )

        files = OrganizationFiles(repository_name(server.settings), server.recent)
        file = await files.read(host, repository, open_private, is_private=is_private)
        return () if file is None else (file,)


SERVER_DEFAULTS = ServerDefaults()
