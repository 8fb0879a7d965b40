"""Concurrent work that leaves nothing behind: if one part fails, the others have ended before the error is raised.

`asyncio.gather` lets the others run on. What is still starting a process when the event loop ends then never ends itself: asyncio
cancels the task of its own that connects the process's pipes, and waits for these pipes to be closed.
"""

import asyncio
import os
import sys
from collections.abc import Mapping
from contextlib import suppress


async def start_process(
    *command: str, cwd: str, env: Mapping[str, str], process_group: int | None = None
) -> asyncio.subprocess.Process:
    """Start a process with pipes on its three streams. Raises FileNotFoundError.

    A cancellation ends the process: it starts within milliseconds, and asyncio can wait for ever for one whose start it cancels.
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


async def end_process(process: asyncio.subprocess.Process, *unread: asyncio.StreamReader | None) -> None:
    """End a process that still runs: nobody waits for it any more.

    `unread`: its pipes that nobody else reads to their end. asyncio waits until each pipe is closed, and does not see the end of
    one while more has come through it than a reader holds: what is left is read and dropped.

    What reads starts no other programs. A fetch does, leads them as a group, and `remote` ends the group; a group of its own for
    each reader would outlive the child process in which a review computes, whose whole group its parent ends.
    """
    if process.returncode is None:
        if not _has_ended(process.pid):
            with suppress(ProcessLookupError):
                process.kill()
        await asyncio.gather(*(pipe.read() for pipe in unread if pipe is not None), process.wait())


def _has_ended(pid: int) -> bool:
    """Whether a child has ended, left for asyncio to find out: a kill would take its exit code, and asyncio warn that it knows no such child."""
    if sys.platform != "linux":
        return False
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True
