"""The settings of a repository's owner at GitHub: one file in one repository of theirs, read for all the others."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from functools import partial

from bot import config
from bot.errors import HostRefused, UsageError
from bot.features.organization.values import OrganizationFile
from bot.features.organization.variables import OrganizationVariables
from bot.github import Host, shapes
from bot.github.client import GitHubClient
from bot.machine.recent import Recent
from bot.workflow.pull_state import text_at, unless_absent

OWNERS_REPOSITORY = ".deeprepo"  # that has the defaults, unless the operator names another one
NO_REPOSITORY = "off"  # the operator writes it where no owner has one
UNPROCESSABLE = 422  # GitHub's answer if a token is to be made for a repository that the App does not see
Open = Callable[[str], AbstractAsyncContextManager[GitHubClient]]  # that may read the owner's repository of this name


@dataclass(frozen=True, slots=True)
class _Entry:
    """What an owner has. `text`: None if the owner has no such file."""

    text: str | None
    is_private: bool


def repository_name(settings: config.Settings) -> str:
    """Return the name of the repository that has the defaults of its owner."""
    return settings.of(OrganizationVariables).organization_repository or OWNERS_REPOSITORY


@dataclass(frozen=True, slots=True)
class OrganizationFiles:
    """The files of many owners. `name`: of the repository that has them; "off": none is read."""

    name: str = OWNERS_REPOSITORY
    recent: Recent = field(default_factory=Recent)

    async def read(
        self, host: Host, repository: str, inside: Open | None, *, is_private: bool
    ) -> OrganizationFile | None:
        """Read the organization's defaults for a repository ("owner/name"); None if there are none, or if this repository is where they are kept.

        `inside` opens a client that may read a private repository. `is_private`: of the repository for which they hold, where nothing
        of a private file is shown to everybody. Raises HostError if GitHub does not give it: what cannot be read may set a bar.
        """
        owner, _, name = repository.partition("/")
        if self.name == NO_REPOSITORY or name.lower() == self.name.lower():
            return None
        place, key = f"{owner}/{self.name}", (OrganizationFiles, self.name, host.pull.installation, owner.lower())
        try:
            entry = await self.recent.get(key, partial(self._read, host, owner, inside))
        except UsageError as error:  # of a name that nothing has
            return OrganizationFile(place, problem=str(error))
        if entry.text is None:
            return None
        return OrganizationFile(place, entry.text, is_shown=is_private or not entry.is_private)

    async def _read(self, host: Host, owner: str, inside: Open | None) -> _Entry:
        """Read it with the token of the pull request, which sees public repositories, then with one of its own."""
        owner_host = Host(
            host.client, replace(host.pull, owner=owner, name=self.name, repository=0, number=0), host.voice
        )
        entry = None
        with unless_absent():
            entry = await _look(owner_host)
        try:
            if entry is None and inside is not None:
                async with inside(self.name) as client:
                    entry = await _look(Host(client, owner_host.pull, host.voice))
        except HostRefused as refused:
            if refused.status != UNPROCESSABLE and not refused.is_gone:
                raise
        return entry or _Entry(None, is_private=True)


async def _look(owner_host: Host) -> _Entry | None:
    """Return the file at the tip of the default branch, or None if GitHub redirects to a repository of another name."""
    data = await owner_host.client.json(owner_host.rest.repos.async_get(*owner_host.repo))
    if str(shapes.at(data, "full_name")).lower() != "/".join(owner_host.repo).lower():
        return None
    text = await text_at(owner_host, config.FILE, str(shapes.at(data, "default_branch")))
    return _Entry(text, is_private=shapes.at(data, "private") is not False)
