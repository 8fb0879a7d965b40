"""Running another's linter over contents that are in no work tree: its own process and folder, an empty environment, our configuration."""

import asyncio
import sysconfig
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.errors import DeepRepoError
from bot.machine import extras
from bot.machine import files as own
from bot.machine.concurrency import end_process, start_process

SECONDS = 30.0  # of one run
MOST_BYTES = 16 << 20  # of what it prints
CHUNK = 1 << 20
MOST_SAID = 1 << 20  # bytes that are kept of its standard error
SCHEMES = (
    "",
    f"{'nt' if sysconfig.get_platform().startswith('win') else 'posix'}_user",
)  # this environment, then the user's own


def program(name: str) -> str | None:
    """The path of a linter that was installed as a package, in this environment or for the user; None if it is not installed.

    PATH is not searched: it may lead into the reviewed repository, as `node_modules/.bin` does.
    """
    for scheme in SCHEMES:
        folder = sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        path = Path(folder, name)
        if path.is_file():
            return str(path)
    return None


async def run(name: str, arguments: Sequence[str], files: Mapping[str, bytes]) -> tuple[int, bytes, str]:
    """The exit status, the output and the log of a linter in a folder that holds these files.

    Raises DeepRepoError if it is not there, takes too long, prints too much or is ended by a signal.
    """
    path = program(name)
    if path is None:
        raise DeepRepoError(f"{name} is not installed: {extras.install('lint')}")
    with tempfile.TemporaryDirectory(prefix="deeprepo-lint-") as folder:
        own.fill(Path(folder), files)
        return await _output(name, [path, *arguments], folder)


async def _output(name: str, command: Sequence[str], folder: str) -> tuple[int, bytes, str]:
    out = bytearray()
    try:
        async with asyncio.timeout(SECONDS), running(name, command, folder) as process:
            async for chunk in process:
                out += chunk
                if len(out) > MOST_BYTES:
                    raise DeepRepoError(f"{name} reported more than {MOST_BYTES >> 20} MiB: no report of it was used")
    except TimeoutError:
        raise DeepRepoError(f"{name} took longer than {SECONDS:g} s and was ended") from None
    if process.status < 0:
        raise DeepRepoError(f"{name} was ended by signal {-process.status}")
    return process.status, bytes(out), process.stderr.decode("utf-8", "replace")


@dataclass(slots=True)
class Running:
    """A linter's process: its standard output in chunks, then its exit status and the beginning of what it wrote to standard error."""

    process: asyncio.subprocess.Process
    stderr: bytes = b""

    @property
    def status(self) -> int:
        """The exit status, negative for a signal; known once the output has ended."""
        return self.process.returncode or 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while self.process.stdout is not None and (chunk := await self.process.stdout.read(CHUNK)):
            yield chunk
        await self.process.wait()

    async def listen(self) -> None:
        """Read standard error to its end, so that the linter does not wait for a reader."""
        while self.process.stderr is not None and (chunk := await self.process.stderr.read(CHUNK)):
            self.stderr = (self.stderr + chunk)[:MOST_SAID]


@asynccontextmanager
async def running(name: str, command: Sequence[str], folder: str) -> AsyncIterator[Running]:
    """A linter that works in a folder, with an empty environment and no input. It is ended with the block."""
    process = await start_process(*command, cwd=folder, env={})
    if process.stdin is None:
        raise DeepRepoError(f"{name} has no pipes")
    process.stdin.close()
    run = Running(process)
    listening = asyncio.ensure_future(run.listen())
    try:
        yield run
    finally:
        await end_process(process, process.stdout)
        await listening
