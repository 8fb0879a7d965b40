"""The defaults of a repository's owner: one file of the owner's own repository for them, read at GitHub and kept for a minute."""

import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace

from bot import config
from bot.config import names
from bot.errors import HostError, HostRefused, UsageError
from bot.github import Host, shapes
from bot.github.client import GitHubClient
from bot.values import OrganizationFile
from bot.workflow import looking

FRESH = 60.0  # seconds until it is read again
STALE = 86_400.0  # seconds that it holds on while GitHub fails
MOST = 1_000  # owners that are kept
UNPROCESSABLE = 422  # GitHub's answer if a token is to be made for a repository that the App does not see
Open = Callable[
    [str], AbstractAsyncContextManager[GitHubClient]
]  # a client that may read the owner's repository of this name


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
    most: int = MOST
    _entries: OrderedDict[tuple[int, str], _Entry] = field(default_factory=OrderedDict)

    async def read(
        self, host: Host, repository: str, inside: Open | None, *, is_private: bool
    ) -> OrganizationFile | None:
        """The defaults for a repository ("owner/name"); None if its owner has none, or it has them itself.

        `inside` opens a client that may read a private repository. `is_private`: of the repository for which they hold, where nothing
        of a private file is shown to everybody. Raises HostError if GitHub does not give it, and nothing that was read lately holds on: what
        cannot be read may set a bar.
        """
        owner, _, name = repository.partition("/")
        if self.name == names.NO_ORGANIZATION or name.lower() == self.name.lower():
            return None
        place, key = f"{owner}/{self.name}", (host.pull.installation, owner.lower())
        entry, now = self._entries.get(key), self.clock()
        if entry is None or now - entry.at >= FRESH:
            try:
                entry = await self._read(host, owner, inside, now, was_absent=entry is not None and entry.text is None)
            except HostError:
                if entry is None or now - entry.at >= STALE:
                    raise
            except UsageError as error:  # of a name that nothing has
                return OrganizationFile(place, problem=str(error))
            else:
                self._keep(key, entry)
        if entry.text is None:
            return None
        return OrganizationFile(place, entry.text, is_shown=is_private or not entry.is_private)

    def _keep(self, key: tuple[int, str], entry: _Entry) -> None:
        self._entries[key] = entry
        self._entries.move_to_end(key)
        while len(self._entries) > self.most:
            self._entries.popitem(last=False)

    async def _read(self, host: Host, owner: str, inside: Open | None, now: float, *, was_absent: bool) -> _Entry:
        """Read it with the token of the pull request, which sees public repositories, then with one of its own.

        That there is no such repository is believed if GitHub says so twice, this minute or since the last one.
        """
        there = Host(host.client, replace(host.pull, owner=owner, name=self.name, repository=0, number=0), host.voice)
        for is_last in (True,) if was_absent else (False, True):
            entry = None
            try:
                entry = await _look(there, now)
            except HostRefused as refused:
                if not refused.is_gone:
                    raise
            try:
                if entry is None and inside is not None:
                    async with inside(self.name) as client:
                        entry = await _look(Host(client, there.pull, host.voice), now)
            except HostRefused as refused:  # one for which GitHub makes a token is there
                if refused.status != UNPROCESSABLE and (is_last or not refused.is_gone):
                    raise
            if entry is not None:
                return entry
        return _Entry(now, None, is_private=True)


async def _look(there: Host, now: float) -> _Entry | None:
    """Return the file at the tip of the default branch, or None if GitHub redirects to a repository of another name."""
    data = await there.client.answer(there.rest.repos.async_get(*there.repo))
    if str(shapes.at(data, "full_name")).lower() != "/".join(there.repo).lower():
        return None
    text = await looking.text_at(there, config.FILE, str(shapes.at(data, "default_branch")))
    return _Entry(now, text, is_private=shapes.at(data, "private") is not False)
