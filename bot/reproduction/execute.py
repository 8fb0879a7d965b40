"""Run one command in a container: probe the container, pass in the tree, apply the limits, and remove it.

After the probe has succeeded, the tree is passed through a pipe. It only exists in the container's memory. If
this process is killed, the container ends soon after its time limit.
"""

import asyncio
import io
import re
import secrets
import tarfile
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import BinaryIO

from bot.reproduction import container
from bot.reproduction.container import SandboxRefused
from bot.values.reproduction import ExitReason, Sandbox, SandboxOutcome, SandboxRun

POLL_SECONDS = 0.05  # seconds between two checks of a run's output and time
SETUP_SECONDS = 60.0  # time limit for the probe, and for unpacking
KILLED = 137  # exit status of a container that exceeded its memory
CHUNK = 1 << 16
MOST_ROWS = 1_000  # rows in the probe's report
HEAD_CHARS, TAIL_CHARS = 8_000, 24_000  # characters that are kept from the start and the end of an output
PREFIX = "work/"
ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[PX^_][^\x1b\n]*(?:\x1b\\)?|.)?", re.DOTALL
)
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
HELP = "Check that this user may run containers, and that the image in `run.image` was pulled"


async def execute(sandbox: Sandbox, run: SandboxRun, keep: BinaryIO | None = None) -> SandboxOutcome:
    """Run a command. If it exits with 0, an archive of the files that it leaves is written to `keep`.

    Raises SandboxRefused if the sandbox cannot be started, or if the probe can reach anything outside. In
    both cases, no code from the repository has run.
    """
    async with _started(sandbox, run, keep=keep is not None) as process:
        running = _Running(process, run, keep)
        report = await running.report()
        if found := container.reachable(report, sandbox, run):
            sentence = f"from inside {sandbox.name}, the probe reaches {'; '.join(found)}"
            raise SandboxRefused(f"nothing was run: {sentence}")
        return await running.outcome(report)


@dataclass(slots=True)
class _Running:
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
        hidden = [path for path in container.places().values() if not set(path) & set(" \t\n*?[")]
        if self.process.stdin is not None:
            self.process.stdin.write(" ".join(hidden).encode() + b"\n")
        try:
            async with asyncio.timeout(SETUP_SECONDS):
                while (row := await _line(self.process)) != container.REPORTED:
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
                ready = await _line(self.process) == container.READY
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
        status = await _end(self.process)
        if self.ending == "exit" and status == KILLED:
            self.ending = "memory"
        text = readable(bytes(self.errors if self.ending == "setup" else self.printed))
        if len(text) > HEAD_CHARS + TAIL_CHARS:
            text = f"{text[:HEAD_CHARS]}\n[...]\n{text[-TAIL_CHARS:]}"
        return SandboxOutcome(self.ending, status, text, seconds, report)

    async def _watch(self, reading: "asyncio.Future[list[None]]", until: float) -> None:
        while not (await asyncio.wait([reading], timeout=POLL_SECONDS))[0]:
            if time.monotonic() > until:
                self.ending = "seconds"
            elif len(self.printed) > self.run.limits.output:
                self.ending = "output"
            if self.ending != "exit":
                self.process.kill()
                reading.cancel()
                return

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
    """Return an archive of these files with new timestamps, so that builds notice them."""
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


@asynccontextmanager
async def _started(sandbox: Sandbox, run: SandboxRun, *, keep: bool) -> AsyncIterator[Process]:
    """Start a container with its script, and remove it when the block ends."""
    name = f"deeprepo-run-{secrets.token_hex(8)}"
    variables = sandbox.environment(run.folder) | {"PROCESSES": str(run.limits.processes)}
    arguments = container.arguments(sandbox, run, variables, name)
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *arguments, "-c", container.script(keep=keep), "sh", run.command, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd="/",
            start_new_session=True, env=dict(sandbox.client),
        )
    )  # fmt: skip
    try:
        process = await asyncio.shield(starting)
    except asyncio.CancelledError:
        await _remove(sandbox, name, await starting)
        raise
    except OSError as error:
        raise SandboxRefused(f"nothing was run: {arguments[0]} cannot be started ({error.strerror})") from error
    try:
        yield process
    finally:
        await _remove(sandbox, name, process)


async def _remove(sandbox: Sandbox, name: str, process: Process) -> None:
    await _end(process)
    removing = await asyncio.create_subprocess_exec(
        sandbox.program, "rm", "--force", name, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, env=dict(sandbox.client)
    )
    await removing.wait()


async def _end(process: Process) -> int:
    """End the container's client, and return its exit status."""
    if process.returncode is None:
        process.kill()
    if process.stdin is not None:
        process.stdin.close()
    return await process.wait()


async def _line(process: Process) -> str | None:
    raw = await process.stdout.readline() if process.stdout is not None else b""
    return raw.decode("utf-8", "replace").rstrip("\n") if raw else None
