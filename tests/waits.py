"""Waits with a limit. A wait that expires fails its test with a message, and processes are always stopped."""

import asyncio
import os
import re
import select
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import IO, Any

PATIENCE = 60.0  # seconds


def patience(seconds: float = PATIENCE) -> float:
    """Return how long to wait for what takes `seconds` on an idle machine; longer under load."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


@asynccontextmanager
async def patient() -> AsyncIterator[None]:
    """Limit a wait to `patience`, and extend the limit if the load grows meanwhile. Raises TimeoutError."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    async with asyncio.timeout(patience()) as limit:

        async def extend() -> None:
            while True:
                await asyncio.sleep(1.0)
                if not limit.expired():
                    limit.reschedule(max(limit.when() or 0.0, begun + patience()))

        extending = asyncio.create_task(extend())
        try:
            yield
        finally:
            extending.cancel()


def until(true: Callable[[], object], what: str) -> None:
    """Poll until a condition is true. Only for what sends no event: another program's children, or a page of a browser."""
    begun = time.monotonic()
    while not true():
        assert time.monotonic() - begun < patience(), f"{what}: this did not happen in {patience():g} seconds"
        time.sleep(0.02)


def gone(pid: int) -> None:
    """Wait until a process has ended, also one that this process did not start."""
    try:
        file = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    with open(file, "rb") as ending:  # noqa: PTH123 - a file descriptor, which is readable once the process has ended
        assert select.select([ending], [], [], patience())[0], f"process {pid} did not end in {patience():g} seconds"


class Output:
    """What a process writes into a pipe, read by a thread, so that waiting for a line needs no poll."""

    def __init__(self, pipe: IO[str]) -> None:
        self.text, self._is_over, self._changed = "", False, threading.Condition()
        threading.Thread(target=self._read, args=(pipe,), daemon=True).start()

    def _read(self, pipe: IO[str]) -> None:
        with suppress(ValueError):  # `ended` has closed the pipe
            for line in pipe:
                self._add(line)
        self._add("", is_over=True)

    def _add(self, line: str, *, is_over: bool = False) -> None:
        with self._changed:
            self.text, self._is_over = self.text + line, is_over
            self._changed.notify_all()

    def wait_for(self, pattern: str) -> "re.Match[str]":
        """Wait until a pattern matches the output, and return the match. Fail if the output ends without it."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_over or re.search(pattern, self.text), patience())
            found = re.search(pattern, self.text)
        assert found, self.text
        return found

    def all(self) -> str:
        """Wait until the process has closed the pipe, and return everything that it wrote."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._is_over, patience()), self.text
        return self.text


JOB = "_execute_workflow_async"  # the job library's coroutine, one task for each job, which ends once its outcome is stored


class Changes:
    """Events of this process after which a question, such as one to the job database, is worth asking again."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def note(self, _: object = None) -> None:
        """Something has changed."""
        self._next.set()
        self._next = asyncio.Event()

    def follow_jobs(self) -> None:
        """Note the end of every job that runs in this event loop."""

        def task_of(loop: asyncio.AbstractEventLoop, coroutine: Any, **more: Any) -> "asyncio.Task[Any]":  # noqa: ANN401
            task = asyncio.Task(coroutine, loop=loop, **more)
            if getattr(coroutine, "__qualname__", "") == JOB:
                task.add_done_callback(self.note)
            return task

        asyncio.get_running_loop().set_task_factory(task_of)

    async def until(self, true: Callable[[], Awaitable[object]]) -> None:
        """Wait until the answer is yes."""
        async with patient():
            change = self._next  # taken before the question, so that no change in between is missed
            while not await true():
                await change.wait()
                change = self._next


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
