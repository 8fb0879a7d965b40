"""An organization's default settings: a settings file in the owner's `.deeprepo` repository.

For each setting, the repository's own value takes precedence. Lists that are empty by default (`ignore`,
`instructions`, `consumers`) combine the entries of both; `[]` leaves the organization's entries out. For
settings that the organization lists in `enforce`, the organization's value applies.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from functools import partial

from bot import config
from bot.errors import HostRefused, UsageError
from bot.github import Host, responses
from bot.github.client import GitHubClient
from bot.github.policy import Recent
from bot.values.shared_file import SettingsText, SharedFile
from bot.workflow.pull_state import ignore_missing, settings_at

# Name of the repository with the defaults, unless the operator names another one.
OWNERS_REPOSITORY = ".deeprepo"
NO_REPOSITORY = "off"  # the operator's value if no owner has such a repository
UNPROCESSABLE = 422  # GitHub's status if a token is requested for a repository that the App cannot access
# Opens a client with access to the owner's repository of this name.
OpenClient = Callable[[str], AbstractAsyncContextManager[GitHubClient]]


@dataclass(frozen=True, slots=True)
class _Entry:
    """An owner's file. `text` is None if there is none."""

    text: SettingsText
    is_private: bool


def repository_name(settings: config.Settings) -> str:
    """Return the name of the repository with an owner's defaults."""
    return settings.organization_repository or OWNERS_REPOSITORY


@dataclass(frozen=True, slots=True)
class OrganizationFiles:
    """Reads owners' settings files, each at most once a minute.

    `name` is the name of the repository that contains them; "off" turns this off.
    """

    name: str = OWNERS_REPOSITORY
    recent: Recent = field(default_factory=Recent)

    async def read(
        self, host: Host, repository: str, open_private: OpenClient | None, *, is_private: bool
    ) -> SharedFile | None:
        """Return the organization's defaults for a repository ("owner/name").

        Returns None if there are none, or if this repository contains them. `open_private` opens a client
        that may read a private repository. `is_private` says whether the target repository is private; in a
        public one, nothing of a private file is shown. Raises HostError if GitHub does not return the file,
        because it may set a threshold.
        """
        owner, _, name = repository.partition("/")
        if self.name == NO_REPOSITORY or name.lower() == self.name.lower():
            return None
        place, key = f"{owner}/{self.name}", (OrganizationFiles, self.name, host.pull.installation, owner.lower())
        try:
            entry = await self.recent.get(key, partial(self._read, host, owner, open_private))
        except UsageError as error:  # for an impossible name
            return SharedFile(place, problem=str(error))
        if entry.text is None:
            return None
        return SharedFile(place, entry.text, is_shown=is_private or not entry.is_private)

    async def _read(self, host: Host, owner: str, open_private: OpenClient | None) -> _Entry:
        """Read the file, first with the pull request's token, which can read public repositories."""
        owner_host = Host(
            host.client, replace(host.pull, owner=owner, name=self.name, repository=0, number=0), host.bot_identity
        )
        entry = None
        with ignore_missing():
            entry = await _read_file(owner_host)
        try:
            if entry is None and open_private is not None:
                async with open_private(self.name) as client:
                    entry = await _read_file(Host(client, owner_host.pull, host.bot_identity))
        except HostRefused as refused:
            if refused.status != UNPROCESSABLE and not refused.is_gone:
                raise
        return entry or _Entry(None, is_private=True)


async def _read_file(owner_host: Host) -> _Entry | None:
    """Return the file at the default branch's tip, or None if the repository was renamed."""
    data = await owner_host.client.json(owner_host.rest.repos.async_get(*owner_host.repo))
    if str(responses.at(data, "full_name")).lower() != "/".join(owner_host.repo).lower():
        return None
    text = await settings_at(owner_host, config.FILE, str(responses.at(data, "default_branch")))
    return _Entry(text, is_private=responses.at(data, "private") is not False)
