"""Run a server as a separate process: `python lone_server.py server` prints each job."""

import asyncio
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import waits
from serving import NOBODY, SECRET, key
from waits import Output, patience

ROOT = Path(__file__).parents[2]
PATH = os.pathsep.join(
    [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests/app")]
)  # a process that starts children does not search the script's folder


@dataclass
class Process:
    """A running server, its log, and the jobs that it has begun and done, one a line."""

    popen: "subprocess.Popen[str]"
    log: Output
    work: Output
    origin: str = ""

    def end(self, how: int = signal.SIGTERM) -> int:
        """Send a signal, and return the exit status."""
        self.popen.send_signal(how)
        return self.popen.wait(patience())


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
    env, pipe = kept | ours | {"PYTHONPATH": PATH}, subprocess.PIPE
    command = [sys.executable, str(Path(__file__)), kind]
    popen = subprocess.Popen(command, env=env, stdout=pipe, stderr=pipe, text=True, cwd=folder)
    with waits.ended(popen):
        assert popen.stdout
        assert popen.stderr
        server = Process(popen, Output(popen.stderr), Output(popen.stdout))
        server.origin = server.log.wait_for(r"listening.*?(http://[^\s\"]+)")[1]
        yield server


def main() -> None:
    """Run the server in this process."""
    from bot import app
    from bot.config.server import server_settings
    from bot.values import Job
    from bot.workflow.jobs import Apologise, Attempt, Work

    if "FILES" in os.environ:
        resource.setrlimit(resource.RLIMIT_NOFILE, (int(os.environ["FILES"]),) * 2)

    def note(word: str, ask: Job) -> None:
        sys.stdout.write(f"{word} {getattr(ask, 'head', '')}\n")
        sys.stdout.flush()

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
    web = sys.argv[1] == "server"
    asyncio.run(app.serve(settings if web else app.worker(settings), open_work, say, web=web))


if __name__ == "__main__":
    main()
