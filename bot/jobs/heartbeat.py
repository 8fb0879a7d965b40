"""Signs of life, and what is done for those who give none: dead processes' jobs are taken over, strays are adopted.

The library does none of this: a dead process's jobs would wait for its return, and jobs of another version for ever.
"""

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from bot.errors import StorageError
from bot.jobs import codec, ids, rows
from bot.jobs.runner import Runner, again
from bot.jobs.settings import JobSettings
from bot.storage.workers import Workers

log = logging.getLogger("deeprepo.jobs")
BEATS, SLOWEST = 10, 0.75  # signs of life in one lease, and seconds between them: a takeover comes that much late
HOUR = 3600.0


@dataclass
class Pulse:
    """Everything that runs beside the jobs. `workers` is None where one process works alone."""

    settings: JobSettings
    runner: Runner
    workers: Workers | None
    beaten: float = 0.0  # on the loop's clock: when the database was last reached
    _lost: set[str] = field(default_factory=set)  # jobs of ours that did not run when last looked

    @property
    def interval(self) -> float:
        """Seconds between two signs of life."""
        return min(SLOWEST, self.settings.lease / BEATS)

    async def beat(self) -> None:
        """Give a sign of life, and take over what belongs to those who gave none for a lease."""
        if self.workers is not None:
            await self.workers.beat(self.runner.executor, self.settings.name, rows.VERSION)
            await self._take_over(self.workers)
        self.beaten = asyncio.get_running_loop().time()

    async def beat_on(self) -> None:
        """The same again and again, until cancelled."""
        while True:
            await asyncio.sleep(self.interval)
            try:
                await self.beat()
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
                await forget_before(datetime.now(UTC) - timedelta(days=self.settings.keep_days))
            except StorageError as error:
                log.warning("old jobs were not deleted", extra={"facts": {"reason": str(error)}})
            await asyncio.sleep(HOUR)

    async def adopt(self) -> None:
        """Store the waiting jobs of other versions again under this one, and those that a dead process of theirs had begun.

        Their finished steps are left behind: another version's steps are others. Paid calls are in the journal.
        """
        alive = await self.workers.alive(self.settings.lease) if self.workers is not None else {}
        for row in await rows.find(text=True):
            owner = row.executor in alive and row.executor != self.runner.executor
            if row.version == rows.VERSION or (row.state == rows.RUNNING and owner) or row.version in alive.values():
                continue
            try:
                ask = codec.read(row.text)
            except StorageError as error:
                log.warning("a stored job was not adopted", extra={"facts": {"job": row.id, "reason": str(error)}})
                continue
            await again(row.id, ask, row.text, 0.0)
            await rows.end([row.id])
            log.info("a job of another version was adopted", extra={"facts": {"job": row.id, "version": row.version}})

    async def _take_over(self, workers: Workers) -> None:
        alive = await workers.alive(self.settings.lease)
        begun = await rows.find(states=[rows.RUNNING])
        dead = {row.executor for row in begun if row.executor not in alive and row.version == rows.VERSION}
        if dead:
            await rows.take_over(sorted(dead))
            log.warning("jobs of a dead process are taken over", extra={"facts": {"process": ", ".join(sorted(dead))}})

    async def _find_lost(self) -> None:
        """Put back jobs that are ours by the database, and that nobody here runs: twice seen so, they have fallen through."""
        begun = await rows.find(states=[rows.RUNNING], executors=[self.runner.executor])
        missing = {row.id for row in begun if row.id not in self.runner.live and row.version == rows.VERSION}
        for name in missing & self._lost:
            log.warning("a job had fallen through and is put back", extra={"facts": {"job": name}})
            await rows.hand_back(name, ids.queue(name))
        self._lost = missing


async def forget_before(moment: datetime) -> int:
    """Delete the jobs that ended before this moment; how many."""
    deleted = 0
    while found := await rows.finished_before(moment.isoformat()):
        await rows.delete(found)
        deleted += len(found)
    return deleted
