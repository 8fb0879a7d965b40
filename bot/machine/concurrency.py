"""Start and end processes so that nothing hangs when a task is canceled.

If a task is starting a process when the event loop ends, asyncio cancels its own task that connects the
process's pipes. Then it waits forever for these pipes to close.
"""

import asyncio
import os
import sys
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from typing import Any, TypeVar

Value = TypeVar("Value")
MAX_UNINTERRUPTED_SECONDS = 10.0


async def start_process(
    *command: str, cwd: str, env: Mapping[str, str], process_group: int | None = None
) -> asyncio.subprocess.Process:
    """Start a process with pipes for its three streams. Raises FileNotFoundError.

    If this is canceled, wait until the process has started, and then end it. asyncio can wait forever if the
    start itself is canceled.
    """
    pipe = asyncio.subprocess.PIPE
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *command, cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=pipe, process_group=process_group
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        process = await starting
        await end_process(process, process.stdout, process.stderr)
        raise


async def finish_before_cancel(work: Coroutine[Any, Any, Value]) -> Value:
    """Run a short coroutine.

    If this is canceled, wait up to MAX_UNINTERRUPTED_SECONDS until the coroutine has ended.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task}, timeout=MAX_UNINTERRUPTED_SECONDS)
        task.cancel()
        raise


async def end_process(process: asyncio.subprocess.Process, *unread: asyncio.StreamReader | None) -> None:
    """Kill a process if it is still running, and wait until it has ended.

    `unread` are the pipes that nothing else reads to the end. asyncio waits until each pipe is closed, but it
    doesn't notice that while unread data fills its buffer. So the remaining data is read and dropped.

    This only kills the process itself, which is enough for processes that start no others. A fetch starts
    others, so `checkout.remote` kills its process group. Other processes must not have their own group. They
    stay in the group of the review's child process, which `wiring.child` kills.
    """
    if process.returncode is None:
        if not _has_ended(process.pid):
            with suppress(ProcessLookupError):
                process.kill()
        await asyncio.gather(*(pipe.read() for pipe in unread if pipe is not None), process.wait())


def _has_ended(pid: int) -> bool:
    """Return whether a child has ended, without collecting its exit status, which asyncio still needs."""
    if sys.platform != "linux":
        return False
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True
