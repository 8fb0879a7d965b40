"""One job while it runs: its recorded steps, and whether it is still wanted."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import cast

from bot.errors import DeepRepoError, SupersededError
from bot.jobs import ids
from bot.jobs.rows import JobRow, JobRows
from bot.ports import Plain, Result

LARGEST = 1_000_000  # characters of a step's result: what is larger belongs into a file, and its path here


class StoredJob:
    """A job of this process (ports.Job). `over` is set once it is another's, or nobody's."""

    def __init__(
        self, row: JobRow, rows: JobRows, *, task: "asyncio.Task[object] | None" = None, last: bool = False
    ) -> None:
        self.id, self.attempt, self.stored_at, self.last = ids.root(row.id), row.attempts, row.created_at, last
        self.row, self.task = row, task
        self.over, self.gone = asyncio.Event(), asyncio.Event()
        self._rows = rows
        self._recorded: dict[tuple[str, int], str] | None = None
        self._uses: Counter[str] = Counter()

    async def step(self, name: str, do: Callable[[], Awaitable[Plain]]) -> Plain:
        """Run `do` and keep its result, which a later attempt gets instead. What fails leaves no record: it is done again.

        A step is known by its name, and by how many steps of this name went before.
        """
        if self._recorded is None:
            self._recorded = await self._rows.steps(self.row.id)
        use = self._uses[name] + 1
        step = self._recorded.get((name, use))
        if step is None:
            step = await self._record(name, use, do)
        self._uses[name] = use
        return cast("Plain", json.loads(step))

    async def _record(self, name: str, use: int, do: Callable[[], Awaitable[Plain]]) -> str:
        if not await self.current():
            raise SupersededError(LOST)
        text = _plain(name, await do())
        if not await self._rows.record(self.row, name, use, text):
            self.over.set()
            raise SupersededError(LOST)
        return text

    async def current(self) -> bool:
        """Whether the work is still wanted, and this process the one to do it."""
        if not self.over.is_set() and not await self._rows.mine(self.row):
            self.over.set()
        return not self.over.is_set()

    async def unless_cancelled(self, work: Awaitable[Result]) -> Result:
        """Await something long. It is cancelled, and SupersededError raised, within a second of the job's own end."""
        doing, ending = asyncio.ensure_future(work), asyncio.ensure_future(self.over.wait())
        try:
            await asyncio.wait({doing, ending}, return_when=asyncio.FIRST_COMPLETED)
            if doing.done():
                return doing.result()
            raise SupersededError(LOST)
        finally:
            for task in (doing, ending):
                task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(doing, ending, return_exceptions=True)

    async def wait(self, seconds: float) -> None:
        """Sleep. After a restart only the rest of the time is waited for. Raises SupersededError if the job ends meanwhile."""

        async def deadline() -> float:
            return time.time() + seconds

        end = float(cast("float", await self.step("wait", deadline)))
        await self.unless_cancelled(asyncio.sleep(max(0.0, end - time.time())))


LOST = "the job was cancelled, or another process carries it out"


def _plain(name: str, result: Plain) -> str:
    """A result as JSON, so that the first attempt sees what a later one would."""
    try:
        text = json.dumps(result, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise DeepRepoError(f"the step {name} returned what JSON cannot hold: {error}") from error
    if len(text) > LARGEST:
        raise DeepRepoError(f"the step {name} returned {len(text):,} characters, and {LARGEST:,} are kept at most")
    return text
