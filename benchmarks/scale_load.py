"""The real queue under load: PostgreSQL, processes that work, reviews of known length, stored at known moments."""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import psycopg

from benchmarks.scale_queue import Arrival
from bot import jobs, storage
from bot.ports import Job
from bot.values import Ask, PullRef, ReviewAsk

HOME = Path(__file__).parents[1]
PATIENCE, LOOK = 600.0, 0.2  # seconds: until a run is given up, between two looks
Moments = tuple[float, float]  # begin and end
ROWS = """
    SELECT workflow_uuid, started_at_epoch_ms / 1000.0, completed_at / 1000.0
    FROM dbos.workflow_status WHERE completed_at IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """What became of each review, in the order in which they were stored. Moments are seconds since the first of them."""

    arrivals: tuple[Arrival, ...]  # when it was stored
    waits: tuple[float, ...]  # from then until it began
    lead: float  # seconds from a claim to the beginning, mean
    tail: float  # from the end to the row that says so, mean


@contextmanager
def workers(url: str, count: int) -> Iterator[list[Path]]:
    """Processes that work; where each writes what it does."""
    with tempfile.TemporaryDirectory(prefix="scale-") as scratch:
        logs = [Path(scratch) / f"log-{number}" for number in range(count)]
        processes = [
            subprocess.Popen(
                [sys.executable, "-m", "benchmarks.scale_worker", f"{scratch}/data-{number}", url, str(log)],
                cwd=HOME,
                stdout=subprocess.PIPE,
            )
            for number, log in enumerate(logs)
        ]
        try:
            for process in processes:
                assert process.stdout is not None
                if not process.stdout.readline():
                    raise SystemExit("a worker has ended before it was ready: its error is above")
            yield logs
        finally:
            for process in processes:
                process.kill()
                process.wait()
                assert process.stdout is not None
                process.stdout.close()


def played(url: str, logs: Sequence[Path], arrivals: Sequence[Arrival], first: int = 1) -> Measured:
    """Store the reviews at their moments, wait until all are done, and read what was written down. `first`: the first free number."""
    stored = asyncio.run(_submitted(url, arrivals, first))
    deadline = time.monotonic() + PATIENCE
    done = _all(partial(_done, logs, first), len(arrivals), "were carried out", deadline)
    rows = _all(
        partial(_rows, url, first), len(arrivals), "ended in the database", deadline
    )  # a moment after their lines in the log
    order = sorted(range(len(arrivals)), key=stored.__getitem__)
    began = [done[first + number][0] for number in order]
    return Measured(
        tuple(replace(arrivals[number], at=stored[number] - stored[order[0]]) for number in order),
        tuple(begin - stored[number] for number, begin in zip(order, began, strict=True)),
        statistics.fmean(done[number][0] - rows[number][0] for number in done),
        statistics.fmean(rows[number][1] - done[number][1] for number in done),
    )


async def _submitted(url: str, arrivals: Sequence[Arrival], first: int) -> list[float]:
    """Hand the reviews in, as a process that only serves does; when each was stored."""
    stored = [0.0] * len(arrivals)

    async def nothing(ask: Ask, job: Job) -> None:
        """A process that only serves carries nothing out."""

    async def one(number: int, due: float) -> None:
        await asyncio.sleep(max(0.0, due - time.time()))
        arrival = arrivals[number]
        pull = PullRef(1000 + arrival.tenant, 1000 + arrival.tenant, "owner", "name", first + number)
        await board.submit(ReviewAsk(pull, "opened", head=f"{arrival.seconds:.4f}"), f"guid-{first + number}")
        stored[number] = time.time()

    with tempfile.TemporaryDirectory() as folder:
        settings = jobs.JobSettings(Path(folder), url)
        async with (
            storage.open_store(url) as store,
            jobs.running(settings, nothing, store=store, work_here=False) as board,
        ):
            begin = time.time() + 0.5
            await asyncio.gather(*(one(number, begin + each.at) for number, each in enumerate(arrivals)))
    return stored


def _all(look: Callable[[], dict[int, Moments]], most: int, what: str, deadline: float) -> dict[int, Moments]:
    """What is seen once all reviews are in it: other processes write it, and tell nobody."""
    while len(found := look()) < most:
        if time.monotonic() > deadline:
            raise SystemExit(f"only {len(found)} of {most} reviews {what} in {PATIENCE:.0f} s")
        time.sleep(LOOK)
    return found


def _done(logs: Sequence[Path], first: int) -> dict[int, Moments]:
    """Begin and end of the reviews from a number on. A line that is being written counts the next time."""
    lines = [
        line.split()
        for log in logs
        if log.exists()
        for line in log.read_text().splitlines(keepends=True)
        if line.endswith("\n")
    ]
    return {int(number): (float(begin), float(end)) for number, begin, end in lines if int(number) >= first}


def _rows(url: str, first: int) -> dict[int, Moments]:
    """When each review from a number on was claimed and when its row was ended, by the database."""
    with psycopg.connect(url) as connection:
        rows = [
            (int(name.partition("#")[2].partition("~")[0]), start, end) for name, start, end in connection.execute(ROWS)
        ]
    return {number: (float(start), float(end)) for number, start, end in rows if number >= first}
