"""Read an organization's default settings on a server."""

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from bot import github
from bot.features.organization.files import OrganizationFiles, repository_name
from bot.features.organization.values import OrganizationFile
from bot.github import Host
from bot.github.client import GitHubClient

if TYPE_CHECKING:
    from bot.workflow.server import Server


async def shared_files(
    host: Host, repository: str, server: "Server", *, is_private: bool
) -> tuple[OrganizationFile, ...]:
    """Return the owner's file, at most a minute old.

    It is read with a token for the owner's `.deeprepo` repository only.
    """

    def open_private(name: str) -> AbstractAsyncContextManager[GitHubClient]:
        return github.open_installation(
            server.identity, host.pull.installation, github.READ_CONTENTS, server.pace, name
        )

    files = OrganizationFiles(repository_name(server.settings), server.recent)
    file = await files.read(host, repository, open_private, is_private=is_private)
    return () if file is None else (file,)
