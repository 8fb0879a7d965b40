"""kill -9 at random moments of the whole product: signed webhooks of the sandbox GitHub, real servers, reviews by models, comments.

SQLite with one `deeprepo serve`; PostgreSQL with one `deeprepo serve` that only takes on and two `deeprepo worker`, of which
either is killed. What GitHub could not deliver while a server was down, the server asks for again at its start. Afterwards each
pull request has one summary, each of its findings once, and a check run that is ended; each remark of a person that was made in
between has one answer. Another repository uses the changed package, and the server looks at such repositories.
"""

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import chaos_paid
from benchmarks.chaos_pulls import SECRET, done, names_consumer, opening, remarking, said, town, unanswered
from benchmarks.chaos_town import DELAY, PATIENCE, database, free_port, models
from benchmarks.table import Row
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github import Fault

READING = {
    "DEEPREPO_STRATEGY": "fanout",
    "DEEPREPO_WORKER": "compatible/reader",
    "DEEPREPO_WRITE_PAUSE": "0.05",
}


@dataclass
class Servers:
    """The product's processes: the one that takes deliveries, and those that are killed."""

    folder: Path
    env: dict[str, str]
    workers: int
    ports: dict[str, int] = field(default_factory=dict)
    running: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    kills: int = 0

    @property
    def victims(self) -> list[str]:
        """Who is killed."""
        return [f"worker-{n}" for n in range(self.workers)] or ["serve"]

    @property
    def origin(self) -> str:
        """Where the server that takes deliveries is."""
        return f"http://127.0.0.1:{self.ports['serve']}"

    async def start(self, name: str) -> float:
        """Start one and wait until it is ready; seconds."""
        port = self.ports.setdefault(name, free_port())
        own = {"DEEPREPO_PORT": str(port), "DEEPREPO_DATA": str(self.folder / name)}
        own |= {"DEEPREPO_WORK": "false"} if name == "serve" and self.workers else {}
        log = (self.folder / f"{name}.log").open("ab")
        words = [sys.executable, "-m", "bot", name.partition("-")[0]]
        started = time.monotonic()
        self.running[name] = subprocess.Popen(words, env={**os.environ, **self.env, **own}, stdout=log, stderr=log)
        deadline = started + PATIENCE
        while not await asyncio.to_thread(_answers, port):  # GitHub answers meanwhile, on this loop
            if self.running[name].poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"{name} does not answer:\n{self.told()}")
            await asyncio.sleep(0.02)
        return time.monotonic() - started

    def kill(self, name: str) -> None:
        """End one at once."""
        self.running[name].kill()
        self.running[name].wait()
        self.kills += 1

    def end(self) -> None:
        """End them all."""
        for process in self.running.values():
            process.kill()
            process.wait()

    def told(self) -> str:
        """The ends of their logs."""
        return "\n".join(log.read_text(errors="replace")[-4000:] for log in self.folder.glob("*.log"))


async def until(true: Callable[[], bool], what: str, patience: float) -> None:
    """Wait until something is so; what never comes ends the run."""
    try:
        async with asyncio.timeout(patience):
            while not true():
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise SystemExit(f"it did not come to this: {what}") from None


async def rows(store: str, asked: argparse.Namespace) -> list[Row]:
    """What the pull requests, the remarks and the journals came to on one kind of database."""
    started, chance = time.monotonic(), random.Random(asked.seed)  # noqa: S311 - moments, no secrets
    with tempfile.TemporaryDirectory(prefix="chaos-") as scratch, database(store) as url, models() as (paid, seen):
        folder = Path(scratch)
        async with town(folder) as (gh, repo), fleet(folder, gh, url, paid, READING) as servers:
            await gh.install()
            await until(lambda: any("till.git" in one.path for one in gh.requests), "the consumer is read", PATIENCE)
            await storm(servers, gh, repo, asked, chance, seen.total)
            numbers = list(range(1, asked.pulls + 1))
            try:
                await until(lambda: all(done(gh, n) for n in numbers), "every pull request is reviewed", PATIENCE)
            except SystemExit:
                print(servers.told(), [n for n in numbers if not done(gh, n)])
                raise
            await until(lambda: not any(unanswered(gh, n) for n in numbers), "every remark is answered", PATIENCE)
            await gh.settle()
            silent = sum(unanswered(gh, n) for n in numbers)
            remarks = sum(one.user.type == "User" for n in numbers for one in gh.pull(n).comments)
            twice = sum(count > 1 for n in numbers for count in said(gh, n).values())
            lost = sum(not done(gh, n) for n in numbers)
            beyond, beside = gh.violations, sum(names_consumer(gh, n) for n in numbers)
        again, calls = await chaos_paid.again(folder, url)
    seconds = time.monotonic() - started
    return [
        Row(
            f"{store}: kill -9",
            servers.kills,
            asked.kills,
            least=True,
            beside=f"{asked.pulls} pull requests, {seconds:.0f} s",
        ),
        Row("  pull requests without their review", lost, 0),
        Row("  pull requests whose review names a line of a consumer", beside, 1, least=True),
        Row("  remarks without their answer", silent, 0, beside=f"of {remarks}"),
        Row("  comments posted twice", twice, 0),
        Row("  finished model calls paid again", again, 0, beside=f"of {calls}; requests that came: {seen.total()}"),
        Row("  in flight at a kill, sent again", seen.total() - len(seen)),
        Row("  answers and requests against GitHub's description", len(beyond), 0),
    ]


async def storm(
    servers: Servers,
    gh: sandbox.GitHub,
    repo: sandbox.Repo,
    asked: argparse.Namespace,
    chance: random.Random,
    calls: Callable[[], int],
) -> None:
    """Open pull requests and kill in turns, most often while models are asked or comments are posted."""
    opened = 0
    for turn in range(asked.kills):
        while opened < asked.pulls * (turn + 1) // asked.kills:
            opened += 1
            await opening(repo, opened)
            await remarking(gh, repo, chance.randint(1, opened))
        if chance.random() < 0.3:  # and an answer of GitHub's is lost now and then
            gh.fail("POST", r"/(reviews|comments|check-runs)$", Fault(status=502, after=True))
        wanted = calls() + chance.randint(1, 6)
        deadline = time.monotonic() + chance.choice((0.5, 1.5, 4.0))
        while calls() < wanted and time.monotonic() < deadline:
            await asyncio.sleep(0.02)
        # while models are asked, or while what they said is being posted
        await asyncio.sleep(chance.choice((chance.uniform(0, DELAY), chance.uniform(DELAY, 3 * DELAY))))
        victim = chance.choice(servers.victims)
        servers.kill(victim)
        if chance.random() < 0.5:  # half of the time GitHub meets a server that is down
            await asyncio.sleep(chance.uniform(0, 0.3))
        await servers.start(victim)


@asynccontextmanager
async def fleet(
    folder: Path, gh: sandbox.GitHub, url: str, paid: str, variables: Mapping[str, str]
) -> AsyncIterator[Servers]:
    """The servers, ready, with GitHub's webhook pointing at them."""
    env = {
        "DEEPREPO_APP_ID": gh.app_id,
        "DEEPREPO_PRIVATE_KEY": gh.private_key,
        "DEEPREPO_WEBHOOK_SECRET": SECRET,
        "DEEPREPO_GITHUB_API": gh.api,
        "DEEPREPO_DATABASE_URL": url,
        "DEEPREPO_BASE_URL": paid,
        "DEEPREPO_DEBOUNCE": "0",
        "DEEPREPO_CONSUMERS": "owner",
        "DEEPREPO_CONSUMERS_SHOWN": "lines",
        "DEEPREPO_CRASHES": "1000",  # it is we who kill: a job that is met again and again is no suspect here
        "PYTHONPATH": str(Path(__file__).parents[1]),
        **variables,
    }
    servers = Servers(folder, env, 2 if url else 0)
    try:
        for name in ("serve", *(f"worker-{n}" for n in range(servers.workers))):
            await servers.start(name)
        gh.listen(f"{servers.origin}/webhook")
        yield servers
    finally:
        gh.listen(None)
        servers.end()


def _answers(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5).close()
    except OSError:
        return False
    return True
