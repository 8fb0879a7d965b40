"""Run one command in a sandbox: probe the sandbox, pass in the tree, apply the limits, and end all processes.

After the probe has succeeded, the tree is passed through a pipe. It only exists in the sandbox's memory. When
the sandbox's first process ends, the kernel ends all others and frees the files, so there is nothing to clean
up. The sandbox also ends whenever this process ends.
"""

import asyncio
import io
import os
import re
import secrets
import signal
import tarfile
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from bot.features.reproduction import sandbox_commands, seccomp
from bot.features.reproduction.values import BOX, ExitReason, Sandbox, SandboxOutcome, SandboxRefused, SandboxRun

POLL_SECONDS = 0.05  # seconds between two checks of a run's memory and time
SETUP_SECONDS = 60.0  # time limit for the probe, and for unpacking
EXIT_SECONDS = 10.0  # time limit for all processes to end after they were killed
CHUNK = 1 << 16
# Kernel memory per socket, pipe and inode; Linux defaults.
SOCKET_BYTES, PIPE_BYTES, INODE_BYTES = 212_992, 65_536, 1_024
MOST_ROWS = 1_000  # rows in the probe's report
HEAD_CHARS, TAIL_CHARS = 8_000, 24_000  # characters that are kept from the start and the end of an output
PREFIX = "work/"
ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[PX^_][^\x1b\n]*(?:\x1b\\)?|.)?", re.DOTALL
)
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
HELP = (
    "Allow unprivileged user namespaces for bubblewrap (`sysctl kernel.unprivileged_userns_clone=1`, or its AppArmor profile), "
    "or set DEEPREPO_RUN_SANDBOX=docker with an image in `run.image`"
)


async def execute(sandbox: Sandbox, run: SandboxRun, keep: BinaryIO | None = None) -> SandboxOutcome:
    """Run a command. If it exits with 0, an archive of the files that it leaves is written to `keep`.

    Raises SandboxRefused if the sandbox cannot be started, or if the probe can reach anything outside. In
    both cases, no code from the repository has run.
    """
    async with _started(sandbox, run, keep=keep is not None) as process:
        running = _Running(process, run, keep)
        report = await running.report()
        if found := sandbox_commands.reachable(report, sandbox, run):
            sentence = f"from inside {sandbox.kind}, the probe reaches {'; '.join(found)}"
            raise SandboxRefused(f"nothing was run: {sentence}")
        return await running.outcome(report)


@dataclass(slots=True)
class _Running:
    """A running sandbox, seen from this process."""

    process: Process
    run: SandboxRun
    keep: BinaryIO | None
    printed: bytearray = field(default_factory=bytearray)
    errors: bytearray = field(default_factory=bytearray)
    ending: ExitReason = "exit"

    async def report(self) -> tuple[str, ...]:
        """Return the lines of the probe's report. Raises SandboxRefused if there is none.

        The folders to probe are passed through the pipe, because every process inside could read arguments.
        """
        rows: list[str] = []
        hidden = [path for path in sandbox_commands.places().values() if not set(path) & set(" \t\n*?[")]
        if self.process.stdin is not None:
            self.process.stdin.write(" ".join(hidden).encode() + b"\n")
        try:
            async with asyncio.timeout(SETUP_SECONDS):
                while (row := await _line(self.process)) != sandbox_commands.REPORTED:
                    if row is None or len(rows) > MOST_ROWS:
                        await self._errors()
                        message = " ".join(readable(bytes(self.errors)).split())[-300:] or "it exited without output"
                        raise SandboxRefused(f"nothing was run: the sandbox cannot be set up here ({message}). {HELP}")
                    rows.append(row)
        except TimeoutError:
            raise SandboxRefused(f"the sandbox did not start within {SETUP_SECONDS:g} s") from None
        return tuple(rows)

    async def outcome(self, report: tuple[str, ...]) -> SandboxOutcome:
        """Pass in the tree, wait until the command ends or reaches a limit, and return the outcome."""
        tasks = [asyncio.create_task(self._feed()), asyncio.create_task(self._errors())]
        began = time.monotonic()
        try:
            async with asyncio.timeout(SETUP_SECONDS):
                ready = await _line(self.process) == sandbox_commands.READY
        except TimeoutError:
            ready = False
        try:
            if ready:
                began = time.monotonic()
                tasks.append(asyncio.create_task(self._read()))
                await self._watch(asyncio.gather(*tasks[1:]), began + self.run.limits.seconds)
            else:
                self.ending = "setup"
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        seconds = round(time.monotonic() - began, 3)
        await _end(self.process)
        status = self.process.returncode
        text = readable(bytes(self.errors if self.ending == "setup" else self.printed))
        if len(text) > HEAD_CHARS + TAIL_CHARS:
            text = f"{text[:HEAD_CHARS]}\n[...]\n{text[-TAIL_CHARS:]}"
        return SandboxOutcome(self.ending, -1 if status is None else status, text, seconds, report)

    async def _watch(self, reading: "asyncio.Future[list[None]]", until: float) -> None:
        """Wait until the pipes are closed or a limit is reached."""
        while not (await asyncio.wait([reading], timeout=POLL_SECONDS))[0]:
            if time.monotonic() > until:
                self.ending = "seconds"
            elif len(self.printed) > self.run.limits.output:
                self.ending = "output"
            elif resident(self.process.pid) + self._kernel() > self.run.limits.memory:
                self.ending = "memory"
            if self.ending != "exit":
                await _end(self.process)
                reading.cancel()
                return

    def _kernel(self) -> int:
        """Return the bytes of kernel memory for the sandbox; 0 for containers, whose limit includes them."""
        return sum(kernel_memory(pid, is_alone=not self.run.network) for pid in _children(self.process.pid)[:1])

    async def _feed(self) -> None:
        """Write one archive: what was prepared, then the tree, then the files over it."""
        pipe = self.process.stdin
        if pipe is None:
            return
        with suppress(ConnectionError):
            for chunk in self._archives():
                pipe.write(chunk)
                await pipe.drain()
            pipe.close()
            await pipe.wait_closed()

    def _archives(self) -> "Iterator[bytes | memoryview]":
        if self.run.prepared is not None:
            with self.run.prepared.open("rb") as file:
                yield from iter(lambda: file.read(CHUNK * 16), b"")
        for part in (self.run.tree, archive(self.run.files)):
            whole = memoryview(part)
            yield from (whole[index : index + CHUNK] for index in range(0, len(whole), CHUNK))

    async def _read(self) -> None:
        while self.process.stdout is not None and (chunk := await self.process.stdout.read(CHUNK)):
            if self.keep is None or self.keep.tell() > self.run.limits.disk:
                self._print(chunk)
            else:
                await asyncio.to_thread(self.keep.write, chunk)

    async def _errors(self) -> None:
        while self.process.stderr is not None and (chunk := await self.process.stderr.read(CHUNK)):
            if self.keep is not None:
                self._print(chunk)
            self.errors += chunk[: max(0, CHUNK - len(self.errors))]

    def _print(self, chunk: bytes) -> None:
        if len(self.printed) <= self.run.limits.output:
            self.printed += chunk


def archive(files: Mapping[str, str]) -> bytes:
    """Return an archive of these files for the tree's folder.

    Timestamps are new, so that builds notice them.
    """
    whole = io.BytesIO()
    with tarfile.TarFile(fileobj=whole, mode="w", format=tarfile.GNU_FORMAT) as made:
        for path, content in files.items():
            data = content.encode("utf-8", "surrogateescape")
            about = tarfile.TarInfo(f"{PREFIX}{path}")
            about.size, about.mode, about.mtime = len(data), 0o644, int(time.time()) + 1
            made.addfile(about, io.BytesIO(data))
    return whole.getvalue()


def readable(data: bytes) -> str:
    """Return untrusted output as text, without terminal escapes and invisible characters."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return UNSEEN.sub("", ESCAPES.sub("", text))


def resident(pid: int) -> int:
    """Return the bytes of memory that a process and its descendants use. Shared memory is counted once."""
    found = [pid]
    for one in found:
        found += _children(one)
    return sum(_process_memory(Path(f"/proc/{one}")) for one in found)


def kernel_memory(pid: int, *, is_alone: bool) -> int:
    """Return the bytes that the kernel may use for a sandbox's sockets, pipes and inodes.

    `pid` is the sandbox's first process. `is_alone` says whether the sandbox has its own network, so that the
    kernel counts its sockets.
    """
    inside = Path(f"/proc/{pid}")
    processes = [pid]
    for one in processes:
        processes += _children(one)
    open_ends: set[str] = set()
    for one in processes:
        with suppress(OSError):  # the process has ended
            for number in os.listdir(f"/proc/{one}/fd"):  # noqa: PTH208 - runs 20 times a second
                with suppress(OSError):
                    open_ends.add(os.readlink(f"/proc/{one}/fd/{number}"))  # noqa: PTH115 - as above
    sockets = sum(name.startswith("socket:") for name in open_ends)
    pipes = sum(name.startswith("pipe:") for name in open_ends)
    inodes = 0
    with suppress(OSError):
        if is_alone:  # a socket may be in transit inside another socket, without a descriptor
            sockets = int((inside / "net" / "sockstat").read_text().split()[2])
        for folder in (BOX, "/dev/shm"):  # noqa: S108 - in the sandbox
            space = os.statvfs(f"{inside}/root{folder}")
            inodes += space.f_files - space.f_ffree
    return sockets * SOCKET_BYTES + pipes * PIPE_BYTES + inodes * INODE_BYTES


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_bytes().split())
    return found


def _process_memory(process: Path) -> int:
    """Return the bytes of a process's private memory and its share of shared memory, without files."""
    try:
        status = _sizes(process / "status")
    except OSError:  # the process has ended
        return 0
    shared = status.get(b"RssShmem:", 0)
    if shared:
        with suppress(OSError):  # without permission to read, count all shared memory
            shared = min(_sizes(process / "smaps_rollup").get(b"Pss_Shmem:", shared), shared)
    return status.get(b"RssAnon:", 0) + shared


def _sizes(path: Path) -> dict[bytes, int]:
    """Return the sizes in a kernel file by name, converted from kB to bytes."""
    rows = (line.split() for line in path.read_bytes().splitlines())
    return {row[0]: int(row[1]) << 10 for row in rows if len(row) == 3 and row[2] == b"kB"}  # noqa: PLR2004


@asynccontextmanager
async def _started(sandbox: Sandbox, run: SandboxRun, *, keep: bool) -> AsyncIterator[Process]:
    """Start a sandbox with its script, and end it when the block ends."""
    variables = sandbox.environment(run.folder) | {"PROCESSES": str(run.limits.processes)}
    name = f"deeprepo-run-{secrets.token_hex(8)}"
    is_container = sandbox.kind != "bubblewrap"
    with ExitStack() as opened:
        descriptors: dict[str, int] = {}
        filter_fd = None
        if is_container:
            arguments = sandbox_commands.container(sandbox, run, variables, name)
        else:
            descriptors = {path: _memory_file(opened, body.encode()) for path, body in sandbox_commands.FILES.items()}
            program = seccomp.program()
            filter_fd = None if program is None else _memory_file(opened, program)
            arguments = sandbox_commands.bubblewrap(sandbox, run, variables, descriptors, filter_fd)
        # As root, use a different user for each run, because the kernel counts processes per user.
        user = 0x70000000 + secrets.randbelow(1 << 24) if os.geteuid() == 0 and not is_container else None
        starting = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                *arguments, "-c", sandbox_commands.script(keep=keep), "sh", run.command, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd="/",
                start_new_session=True, env=dict(sandbox.client), user=user, group=user, extra_groups=None if user is None else [],
                pass_fds=[*descriptors.values(), *([] if filter_fd is None else [filter_fd])],
            )
        )  # fmt: skip
        try:
            process = await asyncio.shield(starting)
        except asyncio.CancelledError:
            await _end(await starting)
            raise
        except OSError as error:
            raise SandboxRefused(f"nothing was run: {arguments[0]} cannot be started ({error.strerror})") from error
    try:
        yield process
    finally:
        await _end(process)
        if is_container:
            removing = await asyncio.create_subprocess_exec(
                sandbox.program, "rm", "--force", name, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, env=dict(sandbox.client)
            )  # fmt: skip
            await removing.wait()


async def _end(process: Process) -> None:
    """End the sandbox's first process. The kernel then ends all others, and the sandbox program exits."""
    if process.returncode is None:
        for pid in _children(process.pid) or [process.pid]:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(EXIT_SECONDS):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()


def _memory_file(stack: ExitStack, data: bytes) -> int:
    """Return a descriptor of a file in memory with this data. It is closed with the stack."""
    number = os.memfd_create("deeprepo", 0)
    stack.callback(os.close, number)
    os.write(number, data)
    os.lseek(number, 0, os.SEEK_SET)
    return number


async def _line(process: Process) -> str | None:
    """Return the next line of the script's output, or None at the end."""
    raw = await process.stdout.readline() if process.stdout is not None else b""
    return raw.decode("utf-8", "replace").rstrip("\n") if raw else None
