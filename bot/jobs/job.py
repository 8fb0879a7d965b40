"""One job while it runs: its recorded steps, and whether it is still wanted."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import cast

from dbos import DBOS
from dbos import error as errors

from bot.errors import DeepRepoError, Superseded
from bot.jobs import ids, rows
from bot.ports import Plain, Result

LARGEST = 1_000_000  # characters of a step's result: what is larger belongs into a file, and its path here


class _Failed(BaseException):
    """Carries an error past the library, which would record it."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


class _Unrecorded:
    """Within the block, what goes wrong is no outcome to be kept."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception):
            raise _Failed(error) from error


class StoredJob:
    """A job of this process (ports.Job). `over` is set once it is another's, or nobody's."""

    def __init__(self, workflow: str, executor: str, *, task: "asyncio.Task[object] | None" = None) -> None:
        self.id, self.attempt = ids.root(workflow), 1
        self.workflow, self.task = workflow, task
        self.over, self.gone = asyncio.Event(), asyncio.Event()
        self._executor = executor

    async def step(self, name: str, do: Callable[[], Awaitable[Plain]]) -> Plain:
        """Run `do` and keep its result, which a later attempt gets instead. What fails leaves no record: it is done again.

        One after the other: steps are known by their order and name.
        """

        async def recorded() -> Plain:
            with _Unrecorded():
                return _plain(name, await do())

        try:
            return await DBOS.run_step_async({"name": name}, recorded)
        except _Failed as failed:
            raise failed.error from failed.error.__cause__
        except (errors.DBOSWorkflowCancelledError, errors.DBOSWorkflowConflictIDError) as error:
            self.over.set()
            raise Superseded("the job was cancelled, or another process carries it out") from error

    async def current(self) -> bool:
        """Whether the work is still wanted, and this process the one to do it."""
        if not self.over.is_set() and not await self._ours():
            self.over.set()
        return not self.over.is_set()

    async def unless_cancelled(self, work: Awaitable[Result]) -> Result:
        """Await something long. It is cancelled, and Superseded raised, within a second of the job's own end."""
        doing, ending = asyncio.ensure_future(work), asyncio.ensure_future(self.over.wait())
        try:
            await asyncio.wait({doing, ending}, return_when=asyncio.FIRST_COMPLETED)
            if doing.done():
                return doing.result()
            raise Superseded("the job was cancelled, or another process carries it out")
        finally:
            for task in (doing, ending):
                task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(doing, ending, return_exceptions=True)

    async def wait(self, seconds: float) -> None:
        """Sleep. After a restart only the rest of the time is waited for; Superseded where the job ends meanwhile."""
        await self.unless_cancelled(DBOS.sleep_async(seconds))

    async def _ours(self) -> bool:
        found = await rows.find(ids=[self.workflow], states=[rows.RUNNING])
        return bool(found) and found[0].executor == self._executor


def _plain(name: str, result: Plain) -> Plain:
    """A result as it comes back from the database, so that the first attempt sees what a later one would."""
    try:
        text = json.dumps(result, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise DeepRepoError(f"the step {name} returned what JSON cannot hold: {error}") from error
    if len(text) > LARGEST:
        raise DeepRepoError(f"the step {name} returned {len(text):,} characters, and {LARGEST:,} are kept at most")
    return cast("Plain", json.loads(text))
