"""The product's own processes as the benches start them, `deeprepo serve` and `deeprepo worker`, and what the operating system knows of one."""

import asyncio
import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.deliveries import SECRET
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github import keys

HOME = Path(__file__).parents[1]
NOBODY = "http://127.0.0.1:9"
PATIENCE = float(os.environ.get("BENCH_PATIENCE", "240"))  # seconds; a night's run has more of them
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Process:
    """One of them. It has the same address after each start."""

    command: Sequence[str]
    env: Mapping[str, str]
    log: Path
    begin: int = 0  # of the log of the latest start
    origin: str = ""
    popen: "subprocess.Popen[bytes]" = field(init=False)

    async def start(self) -> None:
        """Start it and wait until it is ready. The loop is free meanwhile: a sandbox GitHub answers on it."""
        self.begin = self.log.stat().st_size if self.log.exists() else 0
        port = {"DEEPREPO_PORT": self.origin.rpartition(":")[2] or "0"}
        with self.log.open("ab") as out:
            self.popen = subprocess.Popen(self.command, cwd=HOME, env={**self.env, **port}, stdout=out, stderr=out)
        try:
            async with asyncio.timeout(PATIENCE):
                while not await asyncio.to_thread(self.ready):
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise SystemExit(f"the server is not ready:\n{self.said()[-3000:]}") from None

    def said(self) -> str:
        """Its log."""
        return self.log.read_bytes()[self.begin :].decode(errors="replace")

    def ready(self) -> bool:
        """Whether it takes deliveries and works on them."""
        if self.popen.poll() is not None:
            raise SystemExit(f"the server has ended:\n{self.said()[-3000:]}")
        found = re.search(r"listening +address=(\S+)", self.said())
        if found is None:
            return False
        self.origin = found[1]
        try:
            urllib.request.urlopen(f"{self.origin}/readyz", timeout=5).close()
        except OSError:
            return False
        return True

    def metrics(self) -> dict[str, float]:
        """What it counts."""
        with urllib.request.urlopen(f"{self.origin}/metrics", timeout=PATIENCE) as answer:
            rows = (line.rpartition(" ") for line in answer.read().decode().splitlines() if not line.startswith("#"))
            return {name: float(value) for name, _, value in rows}

    def jobs(self) -> dict[str, int]:
        """Its jobs by state."""
        states = ("waiting", "delayed", "running")
        found = self.metrics()
        return {state: int(found.get(f'deeprepo_jobs{{state="{state}"}}', 0)) for state in states}

    def load(self, *arguments: object) -> dict[str, Any]:
        """Send deliveries from a process of their own."""
        command = [sys.executable, "-m", "benchmarks.server_load", self.origin, *map(str, arguments)]
        done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=True)
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def cpu(self) -> float:
        """Seconds of computing so far."""
        fields = Path(f"/proc/{self.popen.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self) -> float:
        """MB of it and of all it started; what they share counts once."""
        return self.memory_beside() + _proportional(self.popen.pid) / 1024

    def memory_beside(self) -> float:
        """MB of all it started, counted so."""
        return sum(_proportional(pid) for pid in family(self.popen.pid)[1:]) / 1024

    def kill(self) -> None:
        """End it with kill -9."""
        self.popen.kill()
        self.popen.wait()


@dataclass(frozen=True, slots=True)
class Fleet:
    """The process that takes deliveries, and those that are killed: itself, or the workers beside it."""

    serve: Process
    victims: Sequence[Process]

    def told(self) -> str:
        """The ends of their logs."""
        return "\n".join(each.said()[-4000:] for each in {id(one): one for one in (self.serve, *self.victims)}.values())


@asynccontextmanager
async def server(
    folder: Path, gh: sandbox.GitHub | None = None, command: str = "serve", module: str = "bot", **variables: str
) -> AsyncIterator[Process]:
    """A process with these DEEPREPO_ variables, ready. Without a GitHub nobody answers it."""
    folder.mkdir(parents=True, exist_ok=True)
    usual = {
        "APP_ID": gh.app_id if gh else "12",
        "PRIVATE_KEY": gh.private_key if gh else keys.pair()[0],
        "GITHUB_API": gh.api if gh else NOBODY,
        "WEBHOOK_SECRET": SECRET,
        "DATA": str(folder / "data"),
        "DEBOUNCE": "600",
        "GRACE": "0",
        "WRITE_PAUSE": "0",
    }
    ours = {
        name if name.endswith("_API_KEY") else f"DEEPREPO_{name}": value for name, value in (usual | variables).items()
    }
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith("DEEPREPO_") and "API_KEY" not in name
    }
    process = Process([sys.executable, "-m", module, command], kept | ours, folder / "server.log")
    try:
        await process.start()
        yield process
    finally:
        process.kill()


@asynccontextmanager
async def fleet(folder: Path, gh: sandbox.GitHub, url: str, **variables: str) -> AsyncIterator[Fleet]:
    """One server with files; with a database one that only takes on, and two workers. GitHub's webhook points at it."""
    told = {
        "DATABASE_URL": url,
        "DEBOUNCE": "0",
        "CRASHES": "1000",
        **variables,
    }  # it is we who kill: no job is a suspect here
    async with AsyncExitStack() as held:
        serve = await held.enter_async_context(
            server(folder / "serve", gh, **told, **({"WORK": "false"} if url else {}))
        )
        workers = [
            await held.enter_async_context(server(folder / f"worker-{n}", gh, "worker", **told))
            for n in range(2 if url else 0)
        ]
        gh.listen(f"{serve.origin}/webhook")
        try:
            yield Fleet(serve, workers or [serve])
        finally:
            gh.listen(None)


def family(pid: int) -> list[int]:
    """A process and all that come from it."""
    found = [pid]
    for each in found:
        try:
            tasks = Path(f"/proc/{each}/task").iterdir()
            found += [int(child) for task in tasks for child in (task / "children").read_text().split()]
        except OSError:
            continue
    return found


def _proportional(pid: int) -> int:
    try:
        rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(row.split()[1]) for row in rows if row.startswith("Pss:")), 0)
