"""What a process that reads a repository may use, and which file it has in hand.

A review runs in a child process (`wiring.child`). The child notes here which file it works on; when a limit ends it, the parent
reads the note and starts again without that file.

The CPU limit is one of the operating system and counts from note to note: a library that holds the interpreter's lock for ever
is ended by the kernel, with nobody's help, and a review of 300 files may take as long as 300 files need.
"""

import os
import resource
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from deeprepo.impact.in_hand import listen

MAX_FETCH_BYTES = 2 << 30  # bytes of a git that fetches
SIZE = 8192  # bytes of a note
LINE_END = b"\n"


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """The limits of one child."""

    memory: int = 1024 << 20  # bytes, of the child and of all that it starts
    cpu: int = 20  # seconds of computing on one file
    wall: float = 900.0  # seconds
    nice: int = 5  # the process that answers GitHub goes first


class _CpuLimit:
    """The note and the limit of this process."""

    def __init__(self, note: memoryview, cpu: int) -> None:
        self._note, self._cpu, self._last, self._renewed = note, cpu, "", 0.0

    def reading(self, path: str) -> None:
        """Note a file."""
        if path == self._last:
            return
        self._last = path
        raw = path.encode("utf-8", "surrogatepass").replace(LINE_END, b"\0")[: SIZE - 1] + LINE_END
        self._note[: len(raw)] = raw
        self.renew()

    def renew(self) -> None:
        """Begin the CPU limit again."""
        cpu_seconds = time.process_time()
        if cpu_seconds >= self._renewed:  # the kernel counts whole seconds
            self._renewed = cpu_seconds + 0.5
            _soft(resource.RLIMIT_CPU, int(cpu_seconds) + 1 + self._cpu)


_limit: _CpuLimit | None = None


def renew() -> None:
    """Note that the work goes on: its time of computing begins again."""
    if _limit is not None:
        _limit.renew()


def arm(note: memoryview, caps: ProcessLimits) -> None:
    """Hold this process, and what it starts, to its limits from now on. `note`: SIZE bytes that the parent sees."""
    global _limit  # noqa: PLW0603 - limits are the process's own
    _limit = _CpuLimit(note, caps.cpu)
    listen(_limit.reading)
    _limit.renew()
    _soft(resource.RLIMIT_CORE, 0)
    # What is allocated, not what is mapped: packs are mapped, and threads reserve addresses that they never use. The parent
    # ends a child earlier than this; it is for what grows between two of its looks.
    _soft(resource.RLIMIT_DATA, 2 * caps.memory)
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)


def last_note(note: bytes) -> str:
    """Return the file that a process had in hand when it ended; "" where there was none."""
    raw = note.partition(LINE_END)[0].rstrip(b"\0")
    return raw.replace(b"\0", LINE_END).decode("utf-8", "surrogatepass")


def memory(group: int) -> int:
    """Return bytes that a process and all that it started hold in memory. 0 where the system does not tell.

    What was allocated and never written counts for a part: who is refused more of it may hang instead of ending.
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


def hold(pid: int, most: int = MAX_FETCH_BYTES) -> None:
    """Hold another process, and what it will start, to this much memory; Linux alone can."""
    if sys.platform == "linux":
        with suppress(OSError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_DATA, (most, most))


def _soft(kind: int, most: int) -> None:
    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with suppress(ValueError, OSError):  # not every system knows every limit; the parent watches too
        resource.setrlimit(kind, (most, hard))
