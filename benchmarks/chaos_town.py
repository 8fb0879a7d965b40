"""What stands around servers that are killed: the place they post to, the models they pay, the processes themselves."""

import hashlib
import json
import os
import shlex
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from deeprepo_sandbox.providers import Reply, Server
from deeprepo_sandbox.providers.thread import in_thread

PATIENCE = float(os.environ.get("CHAOS_PATIENCE", "240"))  # seconds; a night's run has more of them
DELAY = 0.5  # seconds of a model's reply
LOST = 7  # each so many posts are answered with 502 after they were written
REPLY = {"answer": "It is so.", "quotes": [], "withdraw": [], "look_ups": []}  # to a remark
MODULES, LINES = 8, 250  # each large enough for a prompt of its own
HOME = Path(__file__).parents[1]


def until(done: Callable[[], bool], what: str, patience: float | None = None) -> None:
    """Wait until something is so; what never comes ends the run, or with a patience of its own is done without."""
    started = time.monotonic()
    while not done():
        if time.monotonic() - started > (patience or PATIENCE):
            if patience is None:
                raise SystemExit(f"it did not come to this: {what}")
            return
        time.sleep(0.01)


@contextmanager
def posts() -> Iterator[tuple[str, Counter[int]]]:
    """Where reviews are posted: the address, and how often each was. Some answers are lost after the post was written."""
    written: Counter[int] = Counter()
    lock = threading.Lock()

    class Town(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(200, written[self._number()])

        def do_POST(self) -> None:
            with lock:
                written[self._number()] += 1
                lost = written.total() % LOST == 0
            self._answer(502 if lost else 201, written[self._number()])

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            pass

        def _number(self) -> int:
            return int(self.path.strip("/"))

        def _answer(self, status: int, number: int) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(str(number))))
            self.end_headers()
            self.wfile.write(str(number).encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Town)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", written
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def models() -> Iterator[tuple[str, Counter[str]]]:
    """A model server: its address, and how often each request came."""
    seen: Counter[str] = Counter()

    def answer(body: Mapping[str, Any]) -> Reply:
        seen[hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()] += 1
        if "response_format" not in body:
            return Reply("Read.", delay=DELAY)
        name = body["response_format"].get("json_schema", {}).get("name")
        return Reply(data=REPLY if name == "reply" else None, delay=DELAY)

    with in_thread(Server(answer)) as server:
        yield server.openai_url, seen


@dataclass
class Fleet:
    """Processes that carry out the same jobs. `command` may name {port}, {folder}, {url}, {town} and {log}."""

    command: str
    scratch: Path
    size: int
    given: Mapping[str, str]
    env: Mapping[str, str]
    ports: list[int] = field(default_factory=list)
    processes: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    kills: int = 0

    def start(self) -> None:
        """Start them all and wait until they take deliveries."""
        self.ports = [free_port() for _ in range(self.size)]
        self.processes = [self._started(index) for index in range(self.size)]
        for index in range(self.size):
            until(lambda index=index: self.ready(index), "a server is ready")

    def ready(self, index: int) -> bool:
        """Whether one answers."""
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{self.ports[index]}/readyz", timeout=5).close()
        except (OSError, urllib.error.URLError):
            return False
        return True

    def kill(self, index: int) -> None:
        """End one at once, as a power cut would."""
        self.processes[index].kill()
        self.processes[index].wait()
        self.kills += 1

    def restart(self, index: int) -> float:
        """Start it again; the moment at which it was started."""
        moment = time.time()
        self.processes[index] = self._started(index)
        return moment

    def end(self) -> None:
        """End them all."""
        for process in self.processes:
            process.kill()
            process.wait()

    def told(self, most: int = 5000) -> str:
        """The ends of what they wrote to their logs."""
        logs = [self.scratch / f"server-{index}.log" for index in range(self.size)]
        return "\n".join(log.read_text(errors="replace")[-most:] for log in logs)

    def _started(self, index: int) -> "subprocess.Popen[bytes]":
        folder = self.scratch / f"data-{index}"
        words = shlex.split(self.command)
        filled = [word.format(port=self.ports[index], folder=folder, **self.given) for word in words]
        log = (self.scratch / f"server-{index}.log").open("ab")
        return subprocess.Popen(filled, cwd=HOME, env={**os.environ, **self.env}, stdout=log, stderr=log)


def deliver(port: int, number: int) -> bool:
    """Deliver one; whether it was answered as stored."""
    try:
        request = urllib.request.Request(f"http://127.0.0.1:{port}/{number}", method="POST")
        with urllib.request.urlopen(request, timeout=10) as answer:
            return bool(answer.status == 202)
    except (OSError, urllib.error.URLError):
        return False


def repository(folder: Path) -> None:
    """Some modules whose change turns a sign."""
    (folder / "package").mkdir(parents=True)

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid")
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    for branch, sign in (("main", "+"), ("feature", "-")):
        git("checkout", "-q", "-B", branch)
        for number in range(MODULES):
            body = "\n".join(f"    total = total {sign} value * {line}" for line in range(LINES))
            text = f"def step_{number}(value):\n    total = 0\n{body}\n    return total\n"
            (folder / "package" / f"m{number}.py").write_text(text)
        git("add", "-A")
        git("commit", "-qm", branch)


def moments(log: Path) -> list[tuple[float, str, int, int, int]]:
    """What the servers wrote down: moment, what, number, attempt, process."""
    rows = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
    return [(float(row[0]), row[1], int(row[2]), int(row[3]), int(row[4])) for row in rows if len(row) == 5]


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


PYTHON = shlex.quote(sys.executable)
