"""Run external linters on file contents, with our configuration and an empty environment."""

import asyncio
import re
import signal
import sysconfig
import tempfile
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

from bot.errors import DeepRepoError
from bot.machine import extras, processes
from bot.machine import files as own
from bot.machine.processes import end_process, start_process

LINTER_SECONDS = 30.0  # per run
CPU_SECONDS = 7  # per run of a linter, and half a second more for each file
HASKELL_BYTES = 1 << 30  # that a linter written in Haskell may allocate: short inputs can make it take gigabytes
MEBIBYTE = 1 << 20  # read at once, and kept of its standard error
MAX_LINTER_BYTES = 16 * MEBIBYTE  # of its output
OUT_OF_MEMORY = re.compile(r"out of memory|bytes of memory|heap overflow|memory allocation", re.IGNORECASE)
NOTHING: Mapping[str, str] = MappingProxyType({})  # an empty environment


@cache
def _folders() -> tuple[Path, ...]:
    """Return the folders where packages install programs: in this environment, then for the user."""
    system = "nt" if sysconfig.get_platform().startswith("win") else "posix"
    return Path(sysconfig.get_path("scripts")), Path(sysconfig.get_path("scripts", f"{system}_user"))


def program(name: str) -> str | None:
    """Return the path of a linter installed in this environment or for the user; None if it is not installed.

    PATH is not searched, because it may lead into the reviewed repository, as `node_modules/.bin` does.
    """
    return next((str(path) for folder in _folders() if (path := folder / name).is_file()), None)


class ProgramError(DeepRepoError):
    """A program was stopped or crashed, maybe because of one of its files. `how` says what happened.

    `paths`: the files that it blames, if any.
    """

    def __init__(self, name: str, how: str, paths: Collection[str] = ()) -> None:
        super().__init__(f"{name} {how}")
        self.how, self.paths = how, paths


async def run(
    name: str, arguments: Sequence[str], files: Mapping[str, bytes], *, memory: int = 0, cpu_seconds: int = CPU_SECONDS
) -> tuple[int, bytes, str]:
    """Run a linter in a folder with these files, and return its exit status, output and log.

    `memory` and `cpu_seconds`: as in `execute`. Raises DeepRepoError if the linter is not installed, and ProgramError.
    """
    path = program(name)
    if path is None:
        raise DeepRepoError(f"{name} is not installed: {extras.install('lint')}")
    with tempfile.TemporaryDirectory(prefix="deeprepo-lint-") as folder:
        own.fill(Path(folder), files)
        seconds = cpu_seconds + len(files) // 2
        return await execute(name, (path, *arguments), folder, memory=memory, cpu_seconds=seconds)


async def execute(
    name: str,
    command: Sequence[str],
    folder: str,
    *,
    memory: int = 0,
    cpu_seconds: int = 0,
    seconds: float = LINTER_SECONDS,
    environment: Mapping[str, str] = NOTHING,
) -> tuple[int, bytes, str]:
    """Run a program in a folder and return its exit status, output and log.

    `name` is used in errors. `memory` limits the bytes that it may allocate and `cpu_seconds` its CPU time, on
    systems that support this (0: no limit). Raises ProgramError if it exceeds a limit or crashes.
    """
    process = await start_process(*command, cwd=folder, env=environment)
    processes.limit_process(process.pid, memory, cpu_seconds)
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise DeepRepoError(f"{name} has no pipes")
    process.stdin.close()
    # Otherwise a full pipe would block the linter.
    listening = asyncio.ensure_future(_beginning(process.stderr, MEBIBYTE))
    try:
        async with asyncio.timeout(seconds):
            out = await _beginning(process.stdout, MAX_LINTER_BYTES + 1)
            status = await process.wait()
    except TimeoutError:
        raise ProgramError(name, f"was stopped after {seconds:g} s") from None
    finally:
        await end_process(process, process.stdout)
        log = await listening
    if len(out) > MAX_LINTER_BYTES:
        raise ProgramError(name, f"reported more than {MAX_LINTER_BYTES // MEBIBYTE} MiB, so its report was ignored")
    said = log.decode("utf-8", "replace")
    if status and memory and OUT_OF_MEMORY.search(said):
        raise ProgramError(name, f"needed more than {memory // MEBIBYTE:,} MiB of memory")
    if status == -signal.SIGXCPU:
        raise ProgramError(name, f"was stopped after {cpu_seconds} s of CPU time")
    if status < 0:
        raise ProgramError(name, f"was stopped by signal {-status}")
    return status, out, said


async def _beginning(stream: asyncio.StreamReader, most: int) -> bytes:
    """Return the first bytes of a stream, which is read to its end."""
    kept = bytearray()
    while chunk := await stream.read(MEBIBYTE):
        kept += chunk[: most - len(kept)]
    return bytes(kept)
