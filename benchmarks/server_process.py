"""`deeprepo serve` as the benches start it, and what the operating system knows about it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.server_load import SECRET

HOME = Path(__file__).parents[1]
NOBODY = "http://127.0.0.1:9"
PATIENCE = 120.0
TICKS = os.sysconf("SC_CLK_TCK")


def key() -> str:
    """A private key."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    made = rsa.generate_private_key(65537, 2048)
    form = serialization.PrivateFormat.TraditionalOpenSSL
    return made.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


def until(true: Callable[[], object], what: str) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > deadline:
            raise SystemExit(f"it did not come to this: {what}")
        time.sleep(0.02)


@dataclass
class Process:
    """A running server."""

    popen: "subprocess.Popen[bytes]"
    log: Path
    begin: int
    origin: str = field(default="")

    def said(self) -> str:
        """Its log."""
        return self.log.read_bytes()[self.begin :].decode()

    def _address(self) -> bool:
        if self.popen.poll() is not None:
            raise SystemExit(f"the server has ended:\n{self.said()[-3000:]}")
        found = re.search(r"listening +address=(\S+)", self.said())
        self.origin = found[1] if found else ""
        return bool(found)

    def ready(self) -> bool:
        """Whether it takes deliveries and works on them."""
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
        self.popen.send_signal(signal.SIGKILL)
        self.popen.wait()


@contextmanager
def server(folder: Path, module: str = "bot", **variables: str) -> Iterator[Process]:
    """A server with these DEEPREPO_ variables, ready."""
    usual = {
        "APP_ID": "12",
        "WEBHOOK_SECRET": SECRET,
        "DATA": str(folder / "data"),
        "GITHUB_API": NOBODY,
        "PORT": "0",
        "DEBOUNCE": "600",
        "GRACE": "0",
        "WRITE_PAUSE": "0",
    }
    ours = {f"DEEPREPO_{name}": value for name, value in (usual | variables).items()}
    if "DEEPREPO_PRIVATE_KEY" not in ours:
        stored = folder / "key.pem"
        if not stored.exists():
            stored.write_text(key())
        ours["DEEPREPO_PRIVATE_KEY_FILE"] = str(stored)
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith("DEEPREPO_") and "API_KEY" not in name
    }
    log = folder / "server.log"
    begin = log.stat().st_size if log.exists() else 0
    with log.open("ab") as out:
        popen = subprocess.Popen(
            [sys.executable, "-m", module, "serve"], cwd=HOME, env=kept | ours, stdout=out, stderr=out
        )
    found = Process(popen, log, begin)
    try:
        until(found._address, "the server listens")  # noqa: SLF001 - its own
        until(found.ready, "the server is ready")
        yield found
    finally:
        found.kill()


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
