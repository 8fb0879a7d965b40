"""The bridge between a REPL, which is synchronous and runs in a thread of its own, and the event loop.

The loop awaits a block; the block's host calls wait for coroutines of the loop. Cancelling ends both at once, and whatever
happens neither the thread nor the process stays behind.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

from rlm.errors import ReplUnavailable
from rlm.repl.frames import Value
from rlm.repl.process import PythonRepl
from rlm.values import Limits, Observation

T = TypeVar("T")
END_SECONDS = 1.0  # for a killed block to come back
Async = Callable[..., Coroutine[Any, Any, Any]]


class ReplBridge:
    """An open REPL, as the loop sees it."""

    def __init__(self, variables: Mapping[str, Any], functions: Mapping[str, Async], limits: Limits) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="repl")
        self._loop = asyncio.get_running_loop()
        self._waits: set[Future[Any]] = set()
        self._stopped = False
        self._repl: PythonRepl | None = None
        self._opening: asyncio.Future[PythonRepl] | None = None
        self.names = (*variables, *functions, "more")  # that blocks find
        self._given = (variables, {name: self._waiting(call) for name, call in functions.items()}, limits)

    async def run(self, code: str) -> Observation:
        """Run one block; cancelling kills it."""
        return await self._there(self._running.run, code)

    async def value(self, expression: str) -> Value:
        """What an expression is worth in the REPL, None where it fails."""
        return await self._there(self._running.value, expression)

    @property
    def _running(self) -> PythonRepl:
        if self._repl is None:
            raise RuntimeError("the REPL is not open")
        return self._repl

    async def open(self) -> None:
        """Start the process. Raises ReplUnavailable."""
        self._opening = self._loop.run_in_executor(self._thread, PythonRepl, *self._given)
        self._repl = await asyncio.shield(self._opening)

    async def close(self) -> None:
        """End the process and the thread."""
        idle = True
        if self._opening is not None:
            with suppress(ReplUnavailable):  # also where the wait for it was cancelled: it must not stay behind
                repl = await self._opening
                closing = self._loop.run_in_executor(self._thread, repl.close)
                idle = bool((await asyncio.wait([closing], timeout=END_SECONDS))[0])
        self._thread.shutdown(wait=idle)

    async def _there(self, call: Callable[..., T], *arguments: Value) -> T:
        """Call something in the REPL's thread. A cancelled wait still waits for the thread, which the kill ends at once."""
        future = self._loop.run_in_executor(self._thread, call, *arguments)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            self._stop()
            await asyncio.wait([future], timeout=END_SECONDS)
            raise

    def _stop(self) -> None:
        self._stopped = True
        if self._repl is not None:
            self._repl.kill()
        for wait in tuple(self._waits):
            wait.cancel()

    def _waiting(self, call: Async) -> Callable[..., Any]:
        """A coroutine function as the REPL's thread calls it: the coroutine runs in the loop, the thread waits."""

        def wait(*arguments: Value, **keywords: Value) -> Value:
            future = asyncio.run_coroutine_threadsafe(call(*arguments, **keywords), self._loop)
            self._waits.add(future)
            if self._stopped:  # between the two lines above: a call that nobody waits for would be paid
                future.cancel()
            try:
                return future.result()
            finally:
                self._waits.discard(future)

        return wait


@asynccontextmanager
async def open_bridge(
    variables: Mapping[str, Any], functions: Mapping[str, Async], limits: Limits
) -> AsyncIterator[ReplBridge]:
    """A REPL with these names, closed at the end whatever happens."""
    bridge = ReplBridge(variables, functions, limits)
    try:
        await bridge.open()
        yield bridge
    finally:
        await bridge.close()
