"""One job while it runs: what it has done already, and whether it is still wanted."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, cast

from bot.errors import DeepRepoError, SupersededError
from bot.jobs import engine, ids
from bot.jobs.engine import JobRow
from bot.jobs.settings import JobSettings
from bot.ports import LASTS, Plain, Result

LARGEST = 1_000_000  # characters of a step's result: what is larger belongs into a file, and its path here
LOST = "the job was cancelled, or another process carries it out"


class StoredJob:
    """A job of this process (ports.Job). `over` is set once it is another's, or nobody's."""

    def __init__(self, row: JobRow, executor: str, settings: JobSettings) -> None:
        self.row, self.executor, self.task = row, executor, asyncio.current_task()
        self.id, self.attempt = ids.root(row.id), row.starts + int(row.attributes.get("deaths", 0))
        self.stored_at = row.since
        self.refusals = int(row.attributes.get("refusals", 0))
        self.last = self.refusals >= settings.refusals or ids.tries(row.id) >= settings.tries
        self.over, self.gone = asyncio.Event(), asyncio.Event()
        self._steps: dict[str, Any] = {key: row.attributes[key] for key in row.attributes if "#" in key}
        self._uses: Counter[str] = Counter()

    async def step(self, name: str, do: Callable[[], Awaitable[Plain]]) -> Plain:
        """Run `do` and keep its result, which a later attempt gets instead. What fails leaves no record: it is done again.

        A step is known by its name, and by how many steps of this name went before.
        """
        key = f"{name}#{self._uses[name] + 1}"
        if key not in self._steps:
            if not await self.current():
                raise SupersededError(LOST)
            text = _plain(name, await do())
            if not await self.current():
                raise SupersededError(LOST)
            await engine.note(self.row.id, {key: text})
            self._steps[key] = text
        self._uses[name] += 1
        return cast("Plain", json.loads(self._steps[key]))

    @property
    def lasting(self) -> Mapping[str, Any]:
        """What a further try of this job has to know."""
        steps = {key: text for key, text in self._steps.items() if key.startswith(LASTS)}
        return {**steps, "since": self.stored_at, "refusals": self.refusals}

    async def current(self) -> bool:
        """Whether the work is still wanted, and this process the one to do it."""
        if not self.over.is_set():
            rows = await engine.find(names=[self.row.id], states=[engine.RUNNING])
            if not (rows and rows[0].executor == self.executor and rows[0].starts == self.row.starts):
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


def _plain(name: str, result: Plain) -> str:
    """A result as JSON, so that the first attempt sees what a later one would."""
    try:
        text = json.dumps(result, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise DeepRepoError(f"the step {name} returned what JSON cannot hold: {error}") from error
    if len(text) > LARGEST:
        raise DeepRepoError(f"the step {name} returned {len(text):,} characters, and {LARGEST:,} are kept at most")
    return text
