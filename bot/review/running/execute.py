"""Run one value in a sandbox: probe, hand over the tree, watch the limits, end everything as one.

The tree goes in through a pipe and is in the sandbox's memory alone, so there is no folder to clean: when the first process of the
sandbox ends, the kernel ends all others and drops the files. That process ends with this one, however this one ends.
"""

import asyncio
import io
import json
import os
import re
import secrets
import signal
import tarfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from bot.review.running import bubblewrap, containers, inside, probe, seccomp
from bot.review.running.values import BOX, WORK, Ending, Outcome, Run, Sandbox, SandboxRefused

LOOK = 0.05  # seconds between two looks at what a run uses
SETUP_SECONDS = 60.0  # for the probe and for unpacking
GONE_SECONDS = 10.0  # in which everything ended is really gone
CHUNK = 1 << 16
REPORT_BYTES = 1 << 16
FIRST, LAST = 8_000, 24_000  # characters of an output that are kept, of its beginning and of its end
PREFIX = "work/"
ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[PX^_][^\x1b\n]*(?:\x1b\\)?|.)?", re.DOTALL
)
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


async def execute(sandbox: Sandbox, run: Run, keep: BinaryIO | None = None) -> Outcome:
    """Run it. `keep`: a file for an archive of what the command has left, if it ended with 0.

    Raises SandboxRefused, with a sentence, if the probe reaches anything: then nothing of the repository has been in there.
    """
    with probe.outside() as outer:
        async with _started(sandbox, run, outer, keep=keep is not None) as process:
            watched = _RunningSandbox(process, run, keep)
            report = await watched.report()
            found = probe.reachable(report, outer, sandbox, run)
            if found:
                raise SandboxRefused(
                    f"nothing was run: from inside {sandbox.kind}, the probe reaches {'; '.join(found)}"
                )
            return await watched.outcome(report)


@dataclass(slots=True)
class _Process:
    """The program of a sandbox, and the first process inside."""

    outer: asyncio.subprocess.Process
    pid_fd: int = -1  # where bubblewrap writes the number of the first process inside
    first: int = 0

    def kill(self) -> None:
        """End the first process inside: the kernel ends all others, and the program around it leaves when they are gone."""
        if self.outer.returncode is not None:
            return
        if self.pid_fd >= 0 and not self.first:
            with suppress(OSError, ValueError, KeyError):
                self.first = int(json.loads(os.read(self.pid_fd, 4096))["child-pid"])
        with suppress(ProcessLookupError, PermissionError):
            os.kill(self.first or self.outer.pid, signal.SIGKILL)

    async def end(self) -> None:
        """The same, and wait until nothing is left."""
        self.kill()
        if self.outer.stdin is not None:
            self.outer.stdin.close()
        pipes = [pipe.read() for pipe in (self.outer.stdout, self.outer.stderr) if pipe is not None]
        try:
            async with asyncio.timeout(GONE_SECONDS):
                await asyncio.gather(*pipes, self.outer.wait())
        except TimeoutError:
            with suppress(ProcessLookupError):
                self.outer.kill()
        if self.pid_fd >= 0:
            os.close(self.pid_fd)
            self.pid_fd = -1


@dataclass(slots=True)
class _RunningSandbox:
    """A sandbox that runs, seen by this process."""

    sandbox: _Process
    run: Run
    keep: BinaryIO | None
    first: bytes = b""
    last: bytearray = field(default_factory=bytearray)
    bytes_printed: int = 0
    errors: bytearray = field(default_factory=bytearray)
    ending: Ending = "exit"

    @property
    def process(self) -> asyncio.subprocess.Process:
        """The program of the sandbox."""
        return self.sandbox.outer

    async def report(self) -> list[str]:
        """The lines of the probe. Raises SandboxRefused with what the sandbox itself complains of if they do not come."""
        rows: list[str] = []
        try:
            async with asyncio.timeout(SETUP_SECONDS):
                while (row := await _line(self.process.stdout)) != inside.REPORTED:
                    if row is None or len(rows) > REPORT_BYTES // 64:
                        raise SandboxRefused(await self._complaint())
                    rows.append(row)
        except TimeoutError:
            raise SandboxRefused(f"the sandbox did not start within {SETUP_SECONDS:g} s") from None
        return rows

    async def outcome(self, report: list[str]) -> Outcome:
        """Hand over the tree, and watch until the end."""
        began = time.monotonic()
        tasks = [asyncio.create_task(self._feed()), asyncio.create_task(self._errors())]
        try:
            async with asyncio.timeout(SETUP_SECONDS):
                ready = await _line(self.process.stdout)
            if ready == inside.READY:
                began = time.monotonic()
                await self._to_end(tasks)
            else:
                self.ending = "setup"
        except TimeoutError:
            self.ending = "setup"
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        seconds = time.monotonic() - began
        self.sandbox.kill()
        with suppress(TimeoutError):
            async with asyncio.timeout(GONE_SECONDS):
                await self.process.wait()
        status = self.process.returncode
        return Outcome(self.ending, -1 if status is None else status, self._text(), round(seconds, 3), tuple(report))

    async def _to_end(self, tasks: list["asyncio.Task[None]"]) -> None:
        """Read what comes until the pipes are closed or a limit is reached."""
        tasks.append(asyncio.create_task(self._read()))
        reading = asyncio.gather(tasks[-1], tasks[1])
        until = time.monotonic() + self.run.limits.seconds
        while not reading.done():
            await asyncio.wait([reading], timeout=LOOK)
            if reading.done():
                break
            if time.monotonic() > until:
                self.ending = "seconds"
            elif self.bytes_printed > self.run.limits.output:
                self.ending = "output"
            elif resident(self.process.pid) > self.run.limits.memory:
                self.ending = "memory"
            if self.ending != "exit":
                self.sandbox.kill()
                with suppress(TimeoutError):
                    async with asyncio.timeout(GONE_SECONDS):
                        await asyncio.shield(reading)
                reading.cancel()
                break
        with suppress(asyncio.CancelledError):
            await reading

    async def _feed(self) -> None:
        """What was prepared, then the tree, then the files over it: one archive."""
        pipe = self.process.stdin
        if pipe is None:
            return
        with suppress(ConnectionError):
            if self.run.prepared is not None:
                with self.run.prepared.open("rb") as file:
                    while chunk := await asyncio.to_thread(file.read, CHUNK * 16):
                        pipe.write(chunk)
                        await pipe.drain()
            home = archive(self.run.home, below="home/", time=self.run.time, end_mark=False)
            for part in (home, self.run.tree, archive(self.run.files, time=self.run.time)):
                whole = memoryview(part)
                for at in range(0, len(whole), CHUNK):
                    pipe.write(whole[at : at + CHUNK])
                    await pipe.drain()
            pipe.close()
            await pipe.wait_closed()

    async def _read(self) -> None:
        while self.process.stdout is not None and (chunk := await self.process.stdout.read(CHUNK)):
            if self.keep is None:
                self._printed(chunk)
                continue
            self.bytes_printed += len(chunk) if self.keep.tell() > self.run.limits.disk else 0
            if self.keep.tell() <= self.run.limits.disk:
                await asyncio.to_thread(self.keep.write, chunk)

    async def _errors(self) -> None:
        while self.process.stderr is not None and (chunk := await self.process.stderr.read(CHUNK)):
            if self.keep is not None:
                self._printed(chunk)
            elif len(self.errors) < REPORT_BYTES:
                self.errors += chunk

    def _printed(self, chunk: bytes) -> None:
        self.bytes_printed += len(chunk)
        room = FIRST * 4 - len(self.first)
        self.first += chunk[:room]
        self.last += chunk[max(0, room) :]
        if len(self.last) > LAST * 8:
            del self.last[: -LAST * 4]

    def _text(self) -> str:
        first, last = (readable(bytes(part)) for part in (self.first, self.last))
        said = readable(bytes(self.errors)) if self.ending == "setup" else ""
        if not last:
            return said + (first if len(first) <= FIRST + LAST else f"{first[:FIRST]}\n[...]\n{first[-LAST:]}")
        return f"{said}{first[:FIRST]}\n[...]\n{last[-LAST:]}"

    async def _complaint(self) -> str:
        """What the sandbox's own program says, and what to do."""
        try:
            async with asyncio.timeout(GONE_SECONDS):
                await self._errors()
        except TimeoutError:
            self.errors += b"it does not end"
        said = " ".join(readable(bytes(self.errors)).split())[-300:] or "it ended without a word"
        return f"nothing was run: the sandbox cannot be set up here ({said}). {HELP}"


HELP = (
    "Allow unprivileged user namespaces for bubblewrap (`sysctl kernel.unprivileged_userns_clone=1`, or its AppArmor profile), "
    "or set DEEPREPO_RUN_SANDBOX=docker with an image in `run.image`"
)


def archive(
    files: Mapping[str, str] | Mapping[str, bytes], *, below: str = PREFIX, time: int = 0, end_mark: bool = True
) -> bytes:
    """Return these files as an archive, below a folder of the sandbox; without its end mark, if more is to follow."""
    whole = io.BytesIO()
    with tarfile.TarFile(fileobj=whole, mode="w", format=tarfile.GNU_FORMAT) as made:
        for path, content in files.items():
            data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
            about = tarfile.TarInfo(f"{below}{path}")
            about.size, about.mode, about.mtime = len(data), 0o644, time
            made.addfile(about, io.BytesIO(data))
        end = made.offset
    return whole.getvalue() if end_mark else whole.getvalue()[:end]


def readable(data: bytes) -> str:
    """Return a stranger's output as text: no escape of a terminal, no character that cannot be seen."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return UNSEEN.sub("", ESCAPES.sub("", text))


def resident(pid: int) -> int:
    """Return the bytes that a process and all that it started hold in memory, what they share among them once."""
    total, found = 0, [pid]
    for one in found:
        with suppress(OSError, ValueError, IndexError):
            total += _held(Path(f"/proc/{one}"))
            for task in Path(f"/proc/{one}/task").iterdir():
                found += map(int, (task / "children").read_bytes().split())
    return total


def _held(process: Path) -> int:
    """The bytes that a process holds by itself, and its share of the memory that it has in common with others; files count for none."""
    status = _sizes(process / "status")
    shared = status.get(b"RssShmem:", 0)
    if shared:
        with suppress(OSError, ValueError):  # without the right to look, all that it shares is its own
            shared = min(_sizes(process / "smaps_rollup").get(b"Pss_Shmem:", shared), shared)
    return status.get(b"RssAnon:", 0) + shared


def _sizes(path: Path) -> dict[bytes, int]:
    """The rows of a file of the kernel that have a size in kB, in bytes."""
    rows = (row.split() for row in path.read_bytes().splitlines())
    return {row[0]: int(row[1]) << 10 for row in rows if len(row) == 3 and row[2] == b"kB"}  # noqa: PLR2004 - name, number, unit


@asynccontextmanager
async def _started(sandbox: Sandbox, run: Run, outer: probe.Outside, *, keep: bool) -> AsyncIterator[_Process]:
    """The sandbox with its script; it is ended with the block, whatever happens."""
    variables = {
        "PLACES": " ".join(path for _, path in outer.places if not set(path) & set(" \t\n*?[")),
        "PORT": str(outer.port),
        "PROCESSES": str(run.limits.processes),
    }
    text, environment = inside.script(box=BOX, work=WORK, keep=keep), sandbox.environment(run)
    name = f"deeprepo-run-{secrets.token_hex(8)}"
    with ExitStack() as opened:
        more: dict[str, Any] = {}
        pid_fd = -1
        if sandbox.kind == "bubblewrap":
            bodies = {
                path: body for path, body in bubblewrap.FILES.items() if not (run.network and path == "/etc/hosts")
            }
            given = {path: _holding(opened, body.encode()) for path, body in bodies.items()}
            refusing = seccomp.program()
            number = _holding(opened, refusing) if refusing is not None else None
            pid_fd, telling = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
            opened.callback(os.close, telling)
            words = bubblewrap.command(sandbox, run, given, number, telling)
            set_to = [f"{key}={value}" for key, value in (environment | variables).items()]
            argv = [*words, "/usr/bin/env", "-i", *set_to, "/bin/sh", "-c", text, "sh", run.command]
            more = {
                "env": {},
                "pass_fds": [telling, *given.values(), *([] if number is None else [number])],
                **_somebody(),
            }
        else:
            words = containers.command(sandbox, run, name, environment | variables)
            argv = [*words, "sh", "-c", text, "sh", run.command]
            more = {"env": dict(sandbox.client)}
        process = await _begun(argv, more, pid_fd)
    try:
        yield process
    finally:
        await process.end()
        if sandbox.kind != "bubblewrap":
            await _removed(containers.ending(sandbox, name), sandbox.client)


async def _begun(argv: list[str], more: Mapping[str, Any], pid_fd: int) -> _Process:
    """Start it; a cancellation meanwhile ends it."""
    pipe = asyncio.subprocess.PIPE
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *argv, stdin=pipe, stdout=pipe, stderr=pipe, cwd="/", start_new_session=True, **more
        )
    )
    try:
        return _Process(await asyncio.shield(starting), pid_fd)
    except asyncio.CancelledError:
        await _Process(await starting, pid_fd).end()
        raise
    except OSError as error:
        if pid_fd >= 0:
            os.close(pid_fd)
        raise SandboxRefused(f"nothing was run: {argv[0]} cannot be started ({error.strerror})") from error


async def _removed(command: list[str], client: Mapping[str, str]) -> None:
    """A container is gone."""
    null = asyncio.subprocess.DEVNULL
    last = await asyncio.create_subprocess_exec(*command, stdin=null, stdout=null, stderr=null, env=dict(client))
    await last.wait()


def _somebody() -> dict[str, Any]:
    """A user of its own for each run if this process is root: then the kernel counts its processes, and root owns none of them."""
    if os.geteuid() != 0:
        return {}
    number = 0x70000000 + secrets.randbelow(1 << 24)
    return {"user": number, "group": number, "extra_groups": []}


def _holding(stack: ExitStack, data: bytes) -> int:
    """A descriptor from which this can be read, closed with the block."""
    number = os.memfd_create("deeprepo", 0)
    stack.callback(os.close, number)
    os.write(number, data)
    os.lseek(number, 0, os.SEEK_SET)
    return number


async def _line(pipe: asyncio.StreamReader | None) -> str | None:
    """The next line of the script, None at the end."""
    raw = await pipe.readline() if pipe is not None else b""
    return raw.decode("utf-8", "replace").rstrip("\n") if raw else None
