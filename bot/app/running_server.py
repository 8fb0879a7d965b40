"""A running server: its jobs, its storage, its counters, and its account at GitHub."""

import asyncio
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import SecretStr

from bot.app.metrics import Metrics
from bot.app.readiness import Look
from bot.config import App, ServerOptions, Settings
from bot.errors import StorageError
from bot.github import Identity, RequestPace
from bot.storage import Store
from bot.storage.findings import OUTCOMES
from bot.workflow.events import OwnAccount
from bot.workflow.jobs import Jobs

MONTH = 30 * 86_400.0  # seconds
FRESH_SECONDS = (
    2.0  # seconds for which a look at the database counts: anybody may ask, and each look takes the writers' turn
)
LEAST_SPACE = 32 << 20  # bytes on the disk, below which nothing more is promised


@dataclass(slots=True)
class RunningServer:
    """A running server. It is not frozen, because it learns its name at GitHub and is stopped later."""

    options: ServerOptions
    app: App
    metrics: Metrics
    store: Store
    jobs: Jobs
    identity: Identity
    pace: RequestPace
    ours: OwnAccount
    operator: Settings = field(default_factory=Settings)  # what the operator sets for every command
    resting: bool = False
    is_called: asyncio.Event = field(default_factory=asyncio.Event)  # to look now for what was missed
    looks: tuple[Look, ...] = ()  # at what else the work depends on
    _database: Look = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the check of the database."""
        self._database = Look(self.store.unready, FRESH_SECONDS)

    @property
    def secret(self) -> SecretStr:
        """What GitHub signs its deliveries with."""
        return self.app.webhook_secret

    async def unready(self) -> str:
        """Return why deliveries cannot be stored or worked on, or "" if they can. Anybody may read it, so it names no path."""
        if self.resting:
            return "the server is stopping"
        well, why = await self.jobs.healthy()
        if not well:
            return why
        try:
            if shutil.disk_usage(self.options.data).free < LEAST_SPACE:
                return "the disk of the data folder is full"
        except OSError:
            return "the data folder no longer exists"
        for look in (self._database, *self.looks):
            if reason := await look.reason():
                return reason
        return ""

    async def counts(self) -> dict[str, int]:
        """Return the jobs by state; none where the database does not answer, so that the other figures still can be read."""
        try:
            return await self.jobs.counts()
        except StorageError:
            return {}

    async def outcomes(self) -> Mapping[str, int]:
        """Return what became of the findings of the last 30 days; nothing where the database does not answer."""
        try:
            counts = await self.store.outcomes.of_repositories(None, time.time() - MONTH)
        except StorageError:
            return {}
        return {name: sum(count[name] for count in counts.values()) for name in OUTCOMES}

    async def rest(self) -> None:
        """Take on nothing more; what runs has its time, and what is unfinished is taken up at the next start."""
        self.resting = True
        await self.jobs.stop(self.options.grace)
