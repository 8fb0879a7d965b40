"""Lock the process that runs a root's code, so that it can't open a file, socket, process or thread.

The lock is a filter for system calls (Linux) or a sandbox profile set by the parent (macOS), and `probe` checks that
forbidden actions fail.
"""

import contextlib
import ctypes
import os
import platform
import resource
import signal
import socket
import struct
import sys
from pathlib import Path

DAY = 86_400  # seconds after which the process ends, in case its parent was killed
# The system calls that the process needs to compute and to use two pipes, with their numbers on each machine. `read` and
# `write` are only allowed for these pipes, and `rt_sigaction` for every signal except SIGXCPU.
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # with their audit numbers
CALLS = {
    "read": (0, 63),
    "write": (1, 64),
    "rt_sigaction": (13, 134),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "futex": (202, 98),
    "sched_yield": (24, 124),
    "clock_gettime": (228, 113),
    "gettimeofday": (96, 169),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "restart_syscall": (219, 128),
}
PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 4, 22, 38
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06  # instructions of the filter
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050001, 0x80000000  # the filter's results; REFUSE makes the call fail with EPERM
NUMBER, MACHINE, ARGUMENT = 0, 4, 16  # offsets of a call's number, its machine and its first argument


def filter_rows(machine: str) -> list[tuple[int, int, int, int]]:
    """Return the filter's instructions: operation, number of rows to skip if true and if false, and operand."""
    column = list(MACHINES).index(machine)
    read, write, handle, *others = (numbers[column] for numbers in CALLS.values())
    rows = [(LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, MACHINES[machine]), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER)]
    for call, pipe in ((read, 0), (write, 1)):
        rows += [
            (EQUAL, 0, 4, call),
            (LOAD, 0, 0, ARGUMENT),
            (EQUAL, 0, 1, pipe),
            (RETURN, 0, 0, ALLOW),
            (RETURN, 0, 0, REFUSE),
        ]
    # The signal that ends a block at its limit can't be handled, and no signal can be blocked.
    rows += [
        (EQUAL, 0, 4, handle),
        (LOAD, 0, 0, ARGUMENT),
        (EQUAL, 0, 1, signal.SIGXCPU),
        (RETURN, 0, 0, REFUSE),
        (RETURN, 0, 0, ALLOW),
    ]
    for call in others:
        rows += [(EQUAL, 0, 1, call), (RETURN, 0, 0, ALLOW)]
    return [*rows, (RETURN, 0, 0, REFUSE)]


def lock_linux() -> None:
    """Make the kernel permanently refuse all system calls except CALLS.

    Raises OSError, or ValueError on an unsupported machine.
    """
    rows = filter_rows(platform.machine())
    instructions = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *row) for row in rows))
    program = struct.pack("@HP", len(rows), ctypes.addressof(instructions))
    library = ctypes.CDLL(None, use_errno=True)
    for request in (
        (PR_SET_DUMPABLE, 0, 0, 0, 0),
        (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (PR_SET_SECCOMP, 2, ctypes.create_string_buffer(program), 0, 0),
    ):
        if library.prctl(*(ctypes.c_ulong(part) if isinstance(part, int) else part for part in request)):
            error = ctypes.get_errno()
            raise OSError(error, f"prctl({request[0]}): {os.strerror(error)}")


def address_space(process: int | str = "self") -> int:
    """Return the bytes of memory that a process has, or 0 if the machine doesn't report them."""
    statm = Path(f"/proc/{process}/statm")
    return int(statm.read_text().split()[0]) * resource.getpagesize() if sys.platform == "linux" else 0


def limit(memory: int, seconds: int) -> None:
    """Limit the memory that the process may use in addition to its current memory, and its CPU seconds.

    Only the parent can raise the memory limit, for values that it adds later.
    """
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (address_space() + memory, resource.RLIM_INFINITY))
    signal.alarm(DAY)
    for kind, most in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0)):
        resource.setrlimit(kind, (most, most))


def probe() -> list[str]:
    """Try actions that a locked process must not be able to do, and return those that succeeded."""
    done = []
    for name, attempt in (
        ("read a file", lambda: os.open(__file__, os.O_RDONLY)),
        ("write to a file", lambda: os.open(os.devnull, os.O_WRONLY)),
        ("list a folder", lambda: os.listdir("/")),  # noqa: PTH208 - the call itself
        ("open a socket", lambda: socket.socket().close()),
        ("start a process", lambda: os.waitpid(os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {}), 0)),
        ("signal another process", lambda: os.kill(os.getppid(), 0)),
    ):
        with contextlib.suppress(OSError, AttributeError):
            attempt()
            done.append(name)
    return done
