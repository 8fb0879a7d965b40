"""The settings of a repository's owner: one file in one repository of theirs, read for all the others and kept for a minute."""

import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace

from bot import config
from bot.config import names
from bot.errors import HostRefused, UsageError
from bot.github import Host, shapes
from bot.github.client import GitHubClient
from bot.values import OrganizationFile
from bot.workflow.pull_state import text_at, unless_absent

FRESH_SECONDS = 60.0  # seconds until it is read again
MAX_OWNERS = 1_000  # owners that are kept
UNPROCESSABLE = 422  # GitHub's answer if a token is to be made for a repository that the App does not see
Open = Callable[[str], AbstractAsyncContextManager[GitHubClient]]  # that may read the owner's repository of this name


@dataclass(frozen=True, slots=True)
class _Entry:
    """What an owner has. `text`: None if the owner has no such file."""

    at: float
    text: str | None
    is_private: bool


@dataclass(slots=True)
class OrganizationFiles:
    """The files of many owners. `name`: of the repository that has them; "off": none is read."""

    name: str = names.ORGANIZATION
    clock: Callable[[], float] = time.monotonic
    _entries: dict[tuple[int, str], _Entry] = field(default_factory=dict)

    async def read(
        self, host: Host, repository: str, inside: Open | None, *, is_private: bool
    ) -> OrganizationFile | None:
        """The organization's defaults for a repository ("owner/name"); None if there are none, or if this repository is where they are kept.

        `inside` opens a client that may read a private repository. `is_private`: of the repository for which they hold, where nothing
        of a private file is shown to everybody. Raises HostError if GitHub does not give it: what cannot be read may set a bar.
        """
        owner, _, name = repository.partition("/")
        if self.name == names.NO_ORGANIZATION or name.lower() == self.name.lower():
            return None
        place, key = f"{owner}/{self.name}", (host.pull.installation, owner.lower())
        entry, now = self._entries.get(key), self.clock()
        if entry is None or now - entry.at >= FRESH_SECONDS:
            try:
                entry = await self._read(host, owner, inside, now)
            except UsageError as error:  # of a name that nothing has
                return OrganizationFile(place, problem=str(error))
            if len(self._entries) >= MAX_OWNERS:
                self._entries.clear()
            self._entries[key] = entry
        if entry.text is None:
            return None
        return OrganizationFile(place, entry.text, is_shown=is_private or not entry.is_private)

    async def _read(self, host: Host, owner: str, inside: Open | None, now: float) -> _Entry:
        """Read it with the token of the pull request, which sees public repositories, then with one of its own."""
        there = Host(host.client, replace(host.pull, owner=owner, name=self.name, repository=0, number=0), host.voice)
        entry = None
        with unless_absent():
            entry = await _look(there, now)
        try:
            if entry is None and inside is not None:
                async with inside(self.name) as client:
                    entry = await _look(Host(client, there.pull, host.voice), now)
        except HostRefused as refused:
            if refused.status != UNPROCESSABLE and not refused.is_gone:
                raise
        return entry or _Entry(now, None, is_private=True)


async def _look(there: Host, now: float) -> _Entry | None:
    """Return the file at the tip of the default branch, or None if GitHub redirects to a repository of another name."""
    data = await there.client.answer(there.rest.repos.async_get(*there.repo))
    if str(shapes.at(data, "full_name")).lower() != "/".join(there.repo).lower():
        return None
    text = await text_at(there, config.FILE, str(shapes.at(data, "default_branch")))
    return _Entry(now, text, is_private=shapes.at(data, "private") is not False)
