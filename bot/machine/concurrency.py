"""Concurrent work that always ends: if one part fails, the others end before the error is raised.

`asyncio.gather` lets the others continue. If such a part is starting a process when the event loop ends, it
never finishes: asyncio cancels its own task that connects the process's pipes, and then waits for these pipes
to close.
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
    """Start a process with pipes on its three streams. Raises FileNotFoundError.

    A cancellation ends the process after it has started, because asyncio can wait forever for a canceled
    start.
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
    """Return a short work's result. A cancellation waits until the work has ended, for at most some seconds."""
    doing = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.wait({doing}, timeout=MAX_UNINTERRUPTED_SECONDS)
        doing.cancel()
        raise


async def end_process(process: asyncio.subprocess.Process, *unread: asyncio.StreamReader | None) -> None:
    """End a process that still runs and is no longer needed.

    `unread` are its pipes that nothing else reads to the end. asyncio waits until each pipe is closed, which
    it does not notice while unread data fills its buffer, so the rest is read and dropped. Readers start no
    other programs. A fetch does, in a process group that `remote` ends. A group per reader would outlive the
    child process of a review, whose group its parent ends.
    """
    if process.returncode is None:
        if not _has_ended(process.pid):
            with suppress(ProcessLookupError):
                process.kill()
        await asyncio.gather(*(pipe.read() for pipe in unread if pipe is not None), process.wait())


def _has_ended(pid: int) -> bool:
    """Return whether a child has ended, without taking its exit code, which asyncio still needs."""
    if sys.platform != "linux":
        return False
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True
