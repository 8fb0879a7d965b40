"""Start, limit and end processes.

A review runs in a child process (`wiring.child`), which writes the path of the current file (a note) to
shared memory. If the child exceeds a limit, the parent reads the note, and starts again without that file.

The operating system enforces the CPU limit, so it also works if a library never releases the interpreter
lock. The limit restarts with each file. So a review of many files can take as long as it needs.

Nothing hangs when a task is canceled. If a task is starting a process when the event loop ends, asyncio cancels
its own task that connects the process's pipes. Then it waits forever for these pipes to close.
"""

import asyncio
import os
import resource
import signal
import sys
import time
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from deeprepo.impact.in_hand import listen

MAX_FETCH_BYTES = 2 << 30  # memory of a git process that fetches
NOTE_BYTES = 8192  # of a note in bytes
LINE_END = b"\n"
Value = TypeVar("Value")
MAX_UNINTERRUPTED_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """The limits of a child process."""

    memory: int = 1024 << 20  # bytes, for the child and its descendants together
    cpu: int = 20  # CPU seconds per file
    wall: float = 900.0  # seconds
    nice: int = 5  # a lower priority than the process that answers GitHub


class _CpuLimit:
    """Writes the note, and restarts the CPU limit of this process."""

    def __init__(self, note: memoryview, cpu: int) -> None:
        self._note, self._cpu, self._last, self._renewed = note, cpu, "", 0.0

    def reading(self, path: str) -> None:
        if path == self._last:
            return
        self._last = path
        raw = path.encode("utf-8", "surrogatepass").replace(LINE_END, b"\0")[: NOTE_BYTES - 1] + LINE_END
        self._note[: len(raw)] = raw
        self.renew()

    def renew(self) -> None:
        cpu_seconds = time.process_time()
        if cpu_seconds >= self._renewed:  # the kernel counts whole seconds
            self._renewed = cpu_seconds + 0.5
            _set_soft_limit(resource.RLIMIT_CPU, int(cpu_seconds) + 1 + self._cpu)


_limit: _CpuLimit | None = None


def renew_limits() -> None:
    """Restart the CPU limit, because there is progress. Do nothing if this process has no limits."""
    if _limit is not None:
        _limit.renew()


def limit_this_process(note: memoryview, caps: ProcessLimits) -> None:
    """Apply limits to this process and its descendants. `note` is shared memory of NOTE_BYTES bytes."""
    global _limit  # noqa: PLW0603 - the limits apply to the whole process
    _limit = _CpuLimit(note, caps.cpu)
    listen(_limit.reading)
    _limit.renew()
    _set_soft_limit(resource.RLIMIT_CORE, 0)
    # Limit allocated memory, not mapped memory, because git packs are mapped and threads reserve addresses
    # without using them. The parent usually kills a child earlier. This limit is for fast growth between two
    # of the parent's checks.
    _set_soft_limit(resource.RLIMIT_DATA, 2 * caps.memory)
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)


def last_note(note: bytes) -> str:
    """Return the file that a process was working on when it ended, or ""."""
    raw = note.partition(LINE_END)[0].rstrip(b"\0")
    return raw.replace(b"\0", LINE_END).decode("utf-8", "surrogatepass")


def memory_of(group: int) -> int:
    """Return the memory of a process and its descendants in bytes, or 0 if the system doesn't report it.

    Two thirds of the allocated memory count even if it was never written. Otherwise, the process could reach
    the hard limit first, and a process that is denied memory may hang instead of exiting.
    """
    total, page = 0, os.sysconf("SC_PAGE_SIZE")
    pids = [group]
    for pid in pids:
        with suppress(OSError, ValueError):
            _, resident, shared_pages, _, _, data, _ = map(int, Path(f"/proc/{pid}/statm").read_bytes().split())
            total += max(resident - shared_pages, data * 2 // 3) * page
            tasks = Path(f"/proc/{pid}/task").iterdir()
            pids += [int(child) for task in tasks for child in (task / "children").read_bytes().split()]
    return total


def limit_process(pid: int, most: int = MAX_FETCH_BYTES, cpu_seconds: int = 0) -> None:
    """Limit the memory (bytes) and CPU time (seconds) of another process and its descendants.

    0 means no limit. This only works on Linux.
    """
    for kind, value in ((resource.RLIMIT_DATA, most), (resource.RLIMIT_CPU, cpu_seconds)):
        if sys.platform == "linux" and value:
            with suppress(OSError, ValueError):
                resource.prlimit(
                    pid, kind, (value, value + (kind == resource.RLIMIT_CPU))
                )  # first SIGXCPU, then SIGKILL


def _set_soft_limit(kind: int, most: int) -> None:
    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with suppress(ValueError, OSError):  # some systems lack some limits, but the parent also checks
        resource.setrlimit(kind, (most, hard))


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
