"""What one review costs the server's side: processor, memory, database, requests to GitHub, place in the daily caps.

    python -m benchmarks.scale_review

`deeprepo serve` on PostgreSQL reviews pull requests of four changed files in a sandbox GitHub, with models of realistic speed
(`benchmarks.paced`, five times faster). Counted are the differences that the operating system, the database and the sandbox saw.
"""

import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import psycopg

from benchmarks.chaos_pulls import SECRET as HOOK
from benchmarks.chaos_pulls import done, opening, town
from benchmarks.chaos_town import database
from benchmarks.paced import Model
from benchmarks.server import installed
from benchmarks.server_process import TICKS, family
from benchmarks.table import Row, report
from bot import storage
from bot.values import PullRef
from bot.values.daily import DailyCaps
from deeprepo_sandbox.github.things import SeenRequest
from deeprepo_sandbox.providers import Server
from deeprepo_sandbox.providers.thread import in_thread

REVIEWS, SPEED = 12, 5.0
STARTED, IDLE, SETTLED = 5.0, 10.0, 11.0  # seconds; an idle connection reports its counts after ten
PATIENCE = 300.0
CONTENT = ("/comments", "/reviews", "/check-runs", "/reactions", "/replies")  # what a POST there creates is content
RESERVED = (20_000, 200_000)  # reviews of a day
COUNTED = """
    SELECT xact_commit, tup_inserted + tup_updated + tup_deleted, pg_current_wal_lsn() - '0/0', pg_database_size(datname), pg_backend_pid(), numbackends
    FROM pg_stat_database WHERE datname = current_database()
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one review, unless it says otherwise."""

    processor: float  # seconds of all processes
    loop: float  # of these in the server's own process, which is one core at most
    memory: float  # MB while it runs
    base: float  # MB of a server that does nothing
    rows: float  # written
    log: float  # KB of the database's log
    stored: float  # KB that the database has grown by
    database: float  # seconds of computing of the database
    idle: float  # commits a second for a server that does nothing
    idle_database: float  # seconds of computing a second for it
    connections: float  # of a server to the database
    reads: float  # requests to GitHub that change nothing, queries of GraphQL among them
    writes: float  # that change something, tokens aside
    content: float  # of these, that create a comment, a review or a check run
    tokens: float  # that are made by the App itself
    reserve: float  # seconds to reserve its budget, for each 100,000 reviews of the day before


RECORDED = Cost(  # as docs/scale.md has it: 21 November 2026, 2 cores
    processor=2.52,
    loop=0.961,
    memory=45.1,
    base=107.0,
    rows=65.8,
    log=110.0,
    stored=95.3,
    database=0.272,
    idle=0.73,
    idle_database=0.001,
    connections=8.0,
    reads=16.8,
    writes=7.92,
    content=2.42,
    tokens=2.0,
    reserve=0.0864,
)


def measured() -> Cost:
    """Run the reviews and count."""
    with tempfile.TemporaryDirectory(prefix="scale-") as scratch, database("postgres") as url:
        found = asyncio.run(_reviewed(Path(scratch), url))
        return Cost(**found, reserve=asyncio.run(_reserved(url)))


async def _reviewed(folder: Path, url: str) -> dict[str, float]:
    with in_thread(Server(Model(SPEED).answer)) as models:
        given = {
            "BASE_URL": models.openai_url,
            "WORKER": "compatible/worker",
            "STRATEGY": "fanout",
            "WEBHOOK_SECRET": HOOK,
        }
        more = {"DEBOUNCE": "0", "DATABASE_URL": url, "REVIEWS": str(REVIEWS)}
        async with town(folder) as (gh, repo), installed(folder, gh, **given, **more) as process:
            await asyncio.sleep(STARTED)
            idle = [_counted(url)]
            await asyncio.sleep(IDLE)
            idle.append(_counted(url))
            base, before = process.memory(), (*_processor(process.popen.pid), *_counted(url))
            seen, started, most, running = len(gh.requests), time.monotonic(), 0.0, 1
            gh.listen(f"{process.origin}/webhook")
            for number in range(1, REVIEWS + 1):
                await opening(repo, number)
            async with asyncio.timeout(PATIENCE):
                while not all(done(gh, number) for number in range(1, REVIEWS + 1)):
                    count = (await asyncio.to_thread(process.jobs))["running"]
                    memory = await asyncio.to_thread(process.memory)
                    if memory > most:
                        most, running = memory, max(count, 1)
                    await asyncio.sleep(0.3)
            await asyncio.sleep(SETTLED)
            after, seconds = (*_processor(process.popen.pid), *_counted(url)), time.monotonic() - started
            requests = _kinds(gh.requests[seen:])
            gh.listen(None)
    rest = [(late - early) / IDLE for early, late in zip(*idle, strict=True)]
    total, loop, _, written, log, size, computed, _ = (late - early for early, late in zip(before, after, strict=True))
    each = {
        "processor": total,
        "loop": loop,
        "rows": written - rest[1] * seconds,
        "log": (log - rest[2] * seconds) / 1024,
        "stored": size / 1024,
        "database": computed,  # what it does for the idle server beside is small, and included
        **requests,
    }
    return {name: value / REVIEWS for name, value in each.items()} | {
        "memory": (most - base) / running,
        "base": base,
        "idle": rest[0],
        "idle_database": rest[4],
        "connections": before[-1],
    }


def _processor(first: int) -> tuple[float, float]:
    """Seconds of computing: of a process and all that it has started, those that have ended included; of itself alone."""
    total = own = 0.0
    for pid in family(first):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15])) / TICKS
        own = own or sum(map(int, fields[11:13])) / TICKS
    return total, own


def _counted(url: str) -> tuple[float, ...]:
    """Of the database so far: commits, rows written, bytes of its log, bytes that it takes, seconds of computing, connections of others."""
    with psycopg.connect(url) as connection:
        row = connection.execute(COUNTED).fetchone()
        assert row is not None
        *counts, backend, connections = map(float, row)
        status = Path(f"/proc/{backend:.0f}/status").read_text()
        parent = next(line.split()[1] for line in status.splitlines() if line.startswith("PPid:"))
        return (*counts, _processor(int(parent))[0], connections - 1)


def _kinds(requests: Sequence[SeenRequest]) -> dict[str, float]:
    """How many of each kind; those of git count for no limit of the API."""
    found: Counter[str] = Counter(reads=0, writes=0, content=0, tokens=0)
    for one in requests:
        if ".git/" in one.path:
            continue
        if "/app/" in one.path or one.path.endswith("/access_tokens"):
            found["tokens"] += 1
        elif one.method == "GET" or one.path.endswith("/graphql"):
            found["reads"] += 1
        else:
            found["writes"] += 1
            found["content"] += one.method == "POST" and any(part in one.path for part in CONTENT)
    return dict(found)


async def _reserved(url: str) -> float:
    """Seconds more to reserve a review's budget, for each 100,000 reviews of the day."""
    moment, caps = time.time(), DailyCaps(repository=1e9, installation=1e9, server=1e9)
    spent = []
    async with storage.open_store(url) as store:
        for count in RESERVED:
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute("DELETE FROM spending")
                connection.execute(
                    "INSERT INTO spending (journal, holder, installation, repository, fork, begun, usd)"
                    " SELECT 'review~' || n, 'a', mod(n, 500), mod(n, 5000), false, %s - n / 10.0, 0.1 FROM generate_series(1, %s) n",
                    (moment, count),
                )
                connection.execute("VACUUM ANALYZE spending")
            spent.append(
                await _fastest(
                    lambda number: store.spending.reserve(
                        PullRef(1, 1, "o", "n", number), f"j{number}", 0.1, caps, moment
                    )
                )
            )
    return max(0.0, spent[1] - spent[0]) / (RESERVED[1] - RESERVED[0]) * 100_000


async def _fastest(do: Callable[[int], object]) -> float:
    """The middle of seven times."""
    times = []
    for number in range(7):
        started = time.perf_counter()
        await do(number)
        times.append(time.perf_counter() - started)
    return sorted(times)[3]


def rows(cost: Cost) -> list[Row]:
    """As a table."""
    return [
        Row(
            "computing of one review, all processes", cost.processor, None, "s", f"{REVIEWS} reviews of 4 changed files"
        ),
        Row("  of it in the server's own process", cost.loop, None, "s"),
        Row("memory of a running review", cost.memory, None, "MB"),
        Row("memory of a server that does nothing", cost.base, None, "MB"),
        Row("database: rows that a review writes", cost.rows, None, ""),
        Row("  log that they make", cost.log, None, "KB"),
        Row("  that it grows by", cost.stored, None, "KB"),
        Row(
            "  its computing for one review",
            cost.database,
            None,
            "s",
            "with what it does for the idle server meanwhile",
        ),
        Row("  commits for an idle server", cost.idle, None, "/s"),
        Row("  its computing for an idle server", 100 * cost.idle_database, None, "%", "of one core"),
        Row("  connections of a server", cost.connections, None, ""),
        Row("requests to GitHub that read", cost.reads, None, ""),
        Row("  that write", cost.writes, None, "", f"{cost.content:.1f} of them create content"),
        Row("  for tokens, as the App", cost.tokens, None, ""),
        Row("reserving a budget, for each 100,000 reviews of the day", 1000 * cost.reserve, None, "ms"),
    ]


if __name__ == "__main__":
    cost = measured()
    sys.exit(report("scale_review", rows(cost), {"cost": asdict(cost)}))
