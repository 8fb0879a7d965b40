"""Put the whole server under load: response times, lost jobs and resource usage.

    python -m benchmarks.server [--seconds 30] [--store sqlite|postgres] [--part alone|burst|begun|beside|storm]

`deeprepo serve` is a process of its own; it reviews real changes of a sandbox GitHub with models that take their time. The
load comes from a third process. Deliveries are real ones in size; each is stored durably before it is answered.
"""

import argparse
import asyncio
import sqlite3
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy.engine import make_url

from benchmarks.around import database
from benchmarks.deliveries import SECRET
from benchmarks.server_process import PATIENCE, server
from benchmarks.table import Row, report
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.providers import Reply, Server
from deeprepo_sandbox.providers.thread import in_thread

MODULES, LINES = 8, 250  # each large enough for a prompt of its own
STORES = ("sqlite", "postgres")
BESIDE = {"sqlite": 250.0, "postgres": 400.0}  # ms, p99 of an answer beside 8 reviews
REVIEWS, RATE, BURST, ACKS = 8, 50, 500, 300
SETTLE, IDLE = 11.0, 30.0  # seconds; PostgreSQL reports the counts of an idle connection after ten
OPENED = 41  # the first of them right after the start
PUSHES, GAP = 6, 0.2


def main() -> int:
    """Run all parts, or those that are named; the exit code says whether the promise holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30.0, help="duration of the load during running reviews")
    parser.add_argument("--store", choices=STORES, action="append")
    parser.add_argument(
        "--part",
        choices=PARTS,
        action="append",
        help="part to run; `beside` runs 8 reviews in parallel and measures their memory",
    )
    asked = parser.parse_args()
    rows: list[Row] = []
    for store in asked.store or STORES:
        with tempfile.TemporaryDirectory(prefix="server-") as scratch, _databases(store) as made:
            home = Path(scratch)
            for part in asked.part or PARTS:
                rows += asyncio.run(PARTS[part](store, home / part, made(), asked.seconds))
    return report("server", rows)


async def _alone(store: str, folder: Path, database: Mapping[str, str], _: float) -> list[Row]:
    """A server with nothing to do, then one client, one delivery after the other."""
    async with server(folder, None, **database) as process:
        time.sleep(SETTLE)
        before, written, started = process.cpu(), _written(folder, database), time.monotonic()
        time.sleep(IDLE)
        seconds = time.monotonic() - started
        share, written = 100 * (process.cpu() - before) / seconds, _written(folder, database) - written
        idle = process.memory()
        process.load("one", 20)
        found = process.load("one", ACKS, 21)
        middle, worst = _percentile(found, 50), _percentile(found, 99)
        return [
            Row(f"{store}: idle, of one core", share, 3.0, "%"),
            Row("  idle, writes", written, 0, beside=f"in {seconds:.0f} s"),
            Row("  idle, memory", idle, 150.0, "MB"),
            Row("  stored and answered, one client, p50", middle, 10.0, "ms"),
            Row("  the same, p99", worst, 50.0, "ms", beside=f"{ACKS} deliveries"),
        ]


async def _burst(_store: str, folder: Path, database: Mapping[str, str], _: float) -> list[Row]:
    """500 at once, then kill -9, then a new process: all of them are there."""
    async with server(folder, None, **database) as process:
        found = process.load("burst", BURST)
        process.kill()
    async with server(folder, None, **database):
        kept = _reviews(folder, database)
    refused = BURST - found["statuses"].get("202", 0)
    return [
        Row(f"  burst of {BURST}, not answered with 202", refused, 0, beside=f"{BURST / found['wall']:.0f}/s"),
        Row("  lost after kill -9", BURST - kept, 0),
    ]


def _reviews(folder: Path, database: Mapping[str, str]) -> int:
    """How many reviews are stored; a delivery also has a job that shows at once that one is due."""
    table = "dbos.workflow_status" if database else "workflow_status"
    states = "('ENQUEUED', 'DELAYED', 'PENDING')"
    query = f"SELECT count(*) FROM {table} WHERE workflow_uuid LIKE 'review~%' AND status IN {states}"  # noqa: S608 - names of our own
    if not database:
        with closing(sqlite3.connect(folder / "data" / "jobs.db")) as file:
            return int(file.execute(query).fetchone()[0])
    import psycopg

    with psycopg.connect(database["DATABASE_URL"]) as connection:
        row = connection.execute(query).fetchone()
        return int(row[0]) if row else 0


def _written(folder: Path, database: Mapping[str, str]) -> int:
    """What was written so far: rows of a PostgreSQL database as it counts them; of SQLite files, the commits in their logs."""
    if not database:
        return sum(_logged(path.read_bytes()) for path in (folder / "data").glob("*.db-wal"))
    import psycopg

    with psycopg.connect(database["DATABASE_URL"]) as connection:
        query = (
            "SELECT tup_inserted + tup_updated + tup_deleted FROM pg_stat_database WHERE datname = current_database()"
        )
        row = connection.execute(query).fetchone()
        return int(row[0]) if row else 0


def _logged(log: bytes) -> int:
    """The commits in a write-ahead log: frames of its present salt that name the size of the database (sqlite.org/fileformat2.html)."""
    page, salt = int.from_bytes(log[8:12], "big"), log[16:24]
    frames = (log[at : at + 24] for at in range(32, len(log) - 23, 24 + page))
    return sum(frame[8:16] == salt and frame[4:8] != bytes(4) for frame in frames)


async def _begun(_store: str, folder: Path, database: Mapping[str, str], _: float) -> list[Row]:
    """From a delivery to the check run that says "in progress", one pull request after the other."""
    async with _town(folder) as (gh, repo), server(folder, gh, **database) as process:
        gh.listen(f"{process.origin}/webhook")
        seconds = []
        for number in range(OPENED):
            await repo.commit(f"feature-{number}", _changed(number))
            started = time.monotonic()
            pull = await repo.open_pull(f"feature-{number}", title=f"Change {number}")
            async with asyncio.timeout(PATIENCE):
                while not gh.pull(pull).checks:
                    await asyncio.sleep(0.005)
            seconds.append(time.monotonic() - started)
            await _completed(gh, [pull])
    first, *others = seconds  # while the first is begun, the server still loads what its children share
    found = {"seconds": others}
    return [
        Row("  webhook to review begun, p95", _percentile(found, 95) / 1000, 1.2, "s", beside=_spread(found)),
        Row("  the same of the first one, as the server starts", first, unit="s"),
    ]


async def _beside(store: str, folder: Path, database: Mapping[str, str], seconds: float) -> list[Row]:
    """50 deliveries a second, from the moment at which 8 reviews begin."""
    delay = seconds / 3

    def answer(body: Mapping[str, Any]) -> Reply:
        return Reply("Read.", delay=delay) if "response_format" not in body else Reply(data=None, delay=delay)

    with in_thread(Server(answer)) as models:
        given = {"BASE_URL": models.openai_url, "WORKER": "compatible/worker"}
        async with _town(folder) as (gh, repo), server(folder, gh, **database, **given) as process:
            gh.listen(f"{process.origin}/webhook")
            for number in range(REVIEWS):
                await repo.commit(f"feature-{number}", _changed(number))
            pulls = [await repo.open_pull(f"feature-{n}", title=f"Change {n}") for n in range(REVIEWS)]
            load = asyncio.create_task(asyncio.to_thread(process.load, "rate", RATE, seconds))
            running, memory = [], []
            while not load.done():
                running.append((await asyncio.to_thread(process.jobs))["running"])
                memory.append(await asyncio.to_thread(process.memory_beside))
                await asyncio.sleep(0.5)
            found = await load
            await _completed(gh, pulls)
            count = sum(found["statuses"].values())
            wrong = [line for line in gh.violations if line]
        calls = models.count
    return [
        Row(f"  {RATE}/s beside reviews, p99", _percentile(found, 99), BESIDE[store], "ms", beside=_spread(found)),
        Row("  not answered with 202", count - found["statuses"].get("202", 0), 0, beside=f"of {count}"),
        Row("  reviews running at once, at most", max(running), REVIEWS, least=True, beside=f"{calls} model calls"),
        Row("  memory of them beside the server, at most", max(memory), 300.0, "MB"),
        Row("  requests that GitHub would not take", len(wrong), 0, beside="; ".join(wrong)[:80]),
    ]


async def _storm(_store: str, folder: Path, database: Mapping[str, str], _: float) -> list[Row]:
    """Six pushes in 1.2 seconds, each delivered twice, one more time when all is over: one review, of the last head."""
    async with _town(folder) as (gh, repo), server(folder, gh, DEBOUNCE="2", **database) as process:
        await repo.commit("feature-0", _changed(0))
        with gh.holding() as opened:
            number = await repo.open_pull("feature-0", title="A change")
        opened.clear()
        gh.listen(f"{process.origin}/webhook")
        with gh.holding() as held:
            for push in range(PUSHES):
                await repo.push("feature-0", _changed(push + 1))
                for _ in range(2):
                    await gh.deliver(held[-1])
                await asyncio.sleep(GAP)
        await _completed(gh, [number])
        for late in held:
            await gh.deliver(late)
        done = process.metrics()
        pull = gh.pull(number)
        reviews = sum(value for name, value in done.items() if name.startswith("deeprepo_reviews_total"))
        last = sum(check.status == "completed" for check in pull.checks)
        left = sum(process.jobs().values())
    return [
        Row(
            "  push storm: reviews",
            reviews,
            1,
            beside=f"{PUSHES} pushes in {PUSHES * GAP:.1f} s, each delivered three times",
        ),
        Row("  of the last head", last, 1, least=True),
        Row("  jobs left", left, 0),
    ]


@asynccontextmanager
async def _town(folder: Path) -> AsyncIterator[tuple[sandbox.GitHub, sandbox.Repo]]:
    """A sandbox GitHub with one repository."""
    files = {path: text.replace("total - value", "total + value") for path, text in _changed(-1).items()}
    async with sandbox.github(folder / "github", webhook=None, secret=SECRET) as gh:
        yield gh, await gh.repository("acme", "shop", files=files)


def _changed(number: int) -> dict[str, str]:
    """A change of its own in each module: enough for a prompt for each."""
    body = [f"    total = total - value * {line * (number + 2)}" for line in range(LINES)]
    return {
        f"package/m{module}.py": "\n".join(
            [f"def step_{module}(value):", "    total = 0", *body, "    return total", ""]
        )
        for module in range(MODULES)
    }


async def _completed(gh: sandbox.GitHub, numbers: Sequence[int]) -> None:
    """Wait until each pull request has a completed check run on its head."""
    async with asyncio.timeout(PATIENCE):
        for number in numbers:
            while not any(check.status == "completed" for check in gh.pull(number).checks):
                await asyncio.sleep(0.1)


def _percentile(found: Mapping[str, Any], which: int) -> float:
    """In milliseconds."""
    ordered = sorted(found["seconds"])
    return 1000 * ordered[min(len(ordered) - 1, len(ordered) * which // 100)]


def _spread(found: Mapping[str, Any]) -> str:
    return f"p50 {_percentile(found, 50):.0f}, p90 {_percentile(found, 90):.0f}, most {_percentile(found, 100):.0f} ms"


@contextmanager
def _databases(store: str) -> Iterator[Callable[[], dict[str, str]]]:
    """Makes a database: its variable, none where a file does."""
    with database(store) as url:
        numbers = iter(range(100))

        def made() -> dict[str, str]:
            import psycopg

            name = f"bench{next(numbers)}"
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {name}")
            return {"DATABASE_URL": make_url(url).set(database=name).render_as_string(hide_password=False)}

        yield made if url else dict


Part = Callable[[str, Path, Mapping[str, str], float], Coroutine[Any, Any, list[Row]]]
PARTS: Mapping[str, Part] = {"alone": _alone, "burst": _burst, "begun": _begun, "beside": _beside, "storm": _storm}


if __name__ == "__main__":
    sys.exit(main())
