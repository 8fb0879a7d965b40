"""Waits with a limit. A wait that expires fails its test with a message, and processes are always stopped."""

import asyncio
import os
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

PATIENCE = 60.0  # seconds


def patience(seconds: float = PATIENCE) -> float:
    """Return how long to wait for what takes `seconds` on an idle machine; longer under load."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


@asynccontextmanager
async def patient(seconds: float = PATIENCE) -> AsyncIterator[None]:
    """Limit a wait to `patience`, and extend the limit if the load grows meanwhile. Raises TimeoutError."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    async with asyncio.timeout(patience(seconds)) as limit:

        async def extend() -> None:
            while True:
                await asyncio.sleep(1.0)
                if not limit.expired():
                    limit.reschedule(max(limit.when() or 0.0, begun + patience(seconds)))

        extending = asyncio.create_task(extend())
        try:
            yield
        finally:
            extending.cancel()


def until(true: Callable[[], object], what: str) -> None:
    """Wait until a condition is true, by polling."""
    begun = time.monotonic()
    while not true():
        assert time.monotonic() - begun < patience(), f"{what}: this did not happen in {patience():g} seconds"
        time.sleep(0.005)


async def told(event: asyncio.Event, by: "asyncio.Task[Any]") -> None:
    """Wait for an event that a task sets. If the task ends first, fail with its error."""
    waiting = asyncio.create_task(event.wait())
    try:
        limit = patience()
        done, _ = await asyncio.wait({waiting, by}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
        assert done, f"the event was not set in {limit:g} seconds"
        assert event.is_set(), f"the task ended before: {by.result()!r}"
    finally:
        waiting.cancel()


@contextmanager
def ended(process: "subprocess.Popen[Any]") -> Iterator["subprocess.Popen[Any]"]:
    """Kill a process at the end of the block, so that a failed assertion doesn't wait for it forever."""
    try:
        yield process
    finally:
        process.kill()
        process.wait(patience())
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
