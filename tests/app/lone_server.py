"""Run a server as a separate process: `python lone_server.py FILE server` logs each job in FILE."""

import asyncio
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import waits
from serving import NOBODY, SECRET, key
from waits import patience

ROOT = Path(__file__).parents[2]
PATH = os.pathsep.join(
    [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests/app")]
)  # a process that starts children does not search the script's folder


@dataclass
class Process:
    """A running server and its log."""

    popen: "subprocess.Popen[bytes]"
    log: Path
    begin: int  # where its part of the log starts
    origin: str = field(default="")

    def said(self) -> str:
        """Return its log so far."""
        return self.log.read_bytes()[self.begin :].decode()

    def wait_for(self, pattern: str) -> "re.Match[str]":
        """Wait until the log matches this pattern."""
        deadline = time.monotonic() + patience()
        while not (found := re.search(pattern, self.said())):
            assert self.popen.poll() is None, self.said()
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.02)
        return found

    def end(self, how: int = signal.SIGTERM) -> int:
        """Send a signal, and return the exit status."""
        self.popen.send_signal(how)
        return self.popen.wait(patience())


def wait_until(true: Callable[[], bool]) -> None:
    """Wait until a condition is true."""
    deadline = time.monotonic() + patience()
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@contextmanager
def process(folder: Path, kind: str = "server", **variables: str) -> Iterator[Process]:
    """Start a server (or a "worker") with these DEEPREPO_ variables; "" removes one."""
    folder.mkdir(parents=True, exist_ok=True)
    usual = {
        "APP_ID": "12",
        "PRIVATE_KEY": key(),
        "WEBHOOK_SECRET": SECRET,
        "DATA": str(folder / "data"),
        "GITHUB_API": NOBODY,
        "PORT": "0",
        "GRACE": "0",
    }
    ours = {f"DEEPREPO_{name}": value for name, value in (usual | variables).items() if value}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DEEPREPO_")}
    log = folder / "log"
    command = [sys.executable, str(Path(__file__)), str(folder / "work"), kind]
    begin = log.stat().st_size if log.exists() else 0
    with log.open("ab") as out:
        popen = subprocess.Popen(command, env=kept | ours | {"PYTHONPATH": PATH}, stdout=out, stderr=out, cwd=folder)
    server = Process(popen, log, begin)
    with waits.ended(popen):
        server.origin = server.wait_for(r"listening.*?(http://[^\s\"]+)")[1]
        yield server


def main() -> None:
    """Run the server in this process."""
    from bot import app
    from bot.config.server import server_settings
    from bot.values import Job
    from bot.workflow.jobs import Apologise, Attempt, Work

    book = Path(sys.argv[1])
    if "FILES" in os.environ:
        resource.setrlimit(resource.RLIMIT_NOFILE, (int(os.environ["FILES"]),) * 2)

    def note(word: str, ask: Job) -> None:
        with book.open("a") as file:
            file.write(f"{word} {getattr(ask, 'head', '')}\n")

    def open_work(*_: object) -> tuple[Work, Apologise]:
        async def work(ask: Job, job: Attempt) -> None:
            note("begun", ask)
            if "SLOW" in os.environ:
                await asyncio.Event().wait()
            note("done", ask)

        async def apologise(ask: Job, why: str) -> None:
            note(f"sorry: {why}", ask)

        return work, apologise

    def say(text: str) -> None:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    settings = server_settings()
    web = sys.argv[2] == "server"
    asyncio.run(app.serve(settings if web else app.worker(settings), open_work, say, web=web))


if __name__ == "__main__":
    main()
