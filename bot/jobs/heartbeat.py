"""Signs of life, and what is done for those who give none: dead processes' jobs are taken over, strays are adopted."""

import asyncio
import logging
from dataclasses import dataclass, field

from bot.errors import StorageError
from bot.jobs.rows import JobRows
from bot.jobs.runner import Runner
from bot.jobs.settings import JobSettings
from bot.jobs.tables import RUNNING, VERSION
from bot.storage.workers import Workers

log = logging.getLogger("deeprepo.jobs")
BEATS = 3  # signs of life in one lease
SLOWEST = 10.0  # seconds between them at most: a takeover comes that much late
HOUR, DAY = 3600.0, 86_400.0


@dataclass
class Pulse:
    """Everything that runs beside the jobs. `workers` is None if one process works alone."""

    settings: JobSettings
    rows: JobRows
    runner: Runner
    workers: Workers | None
    beaten: float = 0.0  # on the loop's clock: when the last sign of life was given
    _lost_ids: set[str] = field(default_factory=set)  # our jobs that were not running at the last look

    @property
    def interval(self) -> float:
        """Seconds between two signs of life."""
        return min(SLOWEST, self.settings.lease / BEATS)

    async def beat(self, workers: Workers) -> None:
        """Give a sign of life, and take over what belongs to those who gave none for a lease."""
        await workers.beat(self.rows.executor, self.settings.name, VERSION)
        self.beaten = asyncio.get_running_loop().time()
        await self._take_over(workers)

    async def beat_on(self, workers: Workers) -> None:
        """The same again and again, until cancelled."""
        while True:
            await asyncio.sleep(self.interval)
            try:
                await self.beat(workers)
            except StorageError as error:
                log.warning("no sign of life could be given", extra={"facts": {"reason": str(error)}})

    async def look_around(self) -> None:
        """Adopt strays, again and again, until cancelled."""
        while True:
            try:
                await self.adopt()
                await self._find_lost()
            except StorageError as error:
                log.warning("strays were not looked for", extra={"facts": {"reason": str(error)}})
            await asyncio.sleep(self.settings.look)

    async def tidy_up(self) -> None:
        """Delete jobs that ended long ago, every hour, until cancelled."""
        while True:
            try:
                await self.rows.delete_finished(self.settings.keep_days * DAY)
            except StorageError as error:
                log.warning("old jobs were not deleted", extra={"facts": {"reason": str(error)}})
            await asyncio.sleep(HOUR)

    async def adopt(self) -> None:
        """Carry out what other versions left, unless a process of theirs is alive."""
        alive = await self.workers.alive(self.settings.lease) if self.workers is not None else {}
        for name in await self.rows.adopt(sorted(set(alive.values()))):
            log.info("a job of another version was adopted", extra={"facts": {"job": name}})

    async def _take_over(self, workers: Workers) -> None:
        running_executors = {row.executor for row in await self.rows.find(states=[RUNNING])} - {self.rows.executor}
        dead = (
            sorted(running_executors - (await workers.alive(self.settings.lease)).keys()) if running_executors else []
        )
        if dead and await self.rows.take_over(dead):
            log.warning("jobs of a dead process are taken over", extra={"facts": {"process": ", ".join(dead)}})

    async def _find_lost(self) -> None:
        """Put back jobs that are ours by the database, and that nobody here runs: twice seen so, they have fallen through."""
        running_rows = await self.rows.find(states=[RUNNING], executor=self.rows.executor)
        missing = {row.id: row for row in running_rows if row.id not in self.runner.live}
        for name in missing.keys() & self._lost_ids:
            log.warning("a job had fallen through and is put back", extra={"facts": {"job": name}})
            await self.rows.hand_back(missing[name])
        self._lost_ids = set(missing)
