"""The state of a running server, which the web application and the maintenance share."""

import asyncio
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import SecretStr

from bot.app.metrics import Metrics
from bot.app.readiness import CachedCheck
from bot.config import App, ServerOptions, Settings
from bot.errors import StorageError
from bot.github import Identity, RequestPace
from bot.storage import Store
from bot.storage.findings import OUTCOMES
from bot.workflow.events import OwnAccount
from bot.workflow.jobs import Jobs

MONTH = 30 * 86_400.0  # seconds
# Anyone can request `/readyz`, and a check blocks the database's writers, so its result is reused for this
# long.
DATABASE_CHECK_SECONDS = 2.0
MIN_FREE_BYTES = 32 << 20  # with less free disk space, the server accepts no deliveries


@dataclass(slots=True)
class RunningServer:
    """A running server. It is mutable, because the server learns its name on GitHub later, and is stopped."""

    options: ServerOptions
    app: App
    metrics: Metrics
    store: Store
    jobs: Jobs
    identity: Identity
    pace: RequestPace
    ours: OwnAccount
    operator: Settings = field(default_factory=Settings)  # the operator's settings from the environment
    is_stopping: bool = False
    # Set to run the maintenance immediately
    catch_up_now: asyncio.Event = field(default_factory=asyncio.Event)
    checks: tuple[CachedCheck, ...] = ()  # of everything else that the work depends on
    _database: CachedCheck = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the check of the database."""
        self._database = CachedCheck(self.store.unready, DATABASE_CHECK_SECONDS)

    @property
    def secret(self) -> SecretStr:
        """The secret with which GitHub signs its deliveries."""
        return self.app.webhook_secret

    async def unready(self) -> str:
        """Return why deliveries cannot be stored or processed, or "" if they can.

        Anyone can read the reason, so it contains no path.
        """
        if self.is_stopping:
            return "the server is stopping"
        is_healthy, why = await self.jobs.healthy()
        if not is_healthy:
            return why
        try:
            if shutil.disk_usage(self.options.data).free < MIN_FREE_BYTES:
                return "the disk of the data folder is full"
        except OSError:
            return "the data folder no longer exists"
        for check in (self._database, *self.checks):
            if reason := await check.reason():
                return reason
        return ""

    async def counts(self) -> dict[str, int]:
        """Return the number of jobs by state. Return {} if the database doesn't answer."""
        try:
            return await self.jobs.counts()
        except StorageError:
            return {}

    async def outcomes(self) -> Mapping[str, int]:
        """Return the last 30 days' findings by outcome. Return {} if the database doesn't answer."""
        try:
            counts = await self.store.outcomes.of_repositories(None, time.time() - MONTH)
        except StorageError:
            return {}
        return {name: sum(count[name] for count in counts.values()) for name in OUTCOMES}

    async def drain(self) -> None:
        """Start no more jobs, and give running ones the grace period.

        Unfinished jobs resume at the next start.
        """
        self.is_stopping = True
        await self.jobs.stop(self.options.grace)
