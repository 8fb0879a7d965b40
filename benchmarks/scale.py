"""What 100, 10,000 and 1,000,000 pull requests a day need, by a model whose queue is held to a measured point.

    python -m benchmarks.scale [--quick]

Measured: PostgreSQL, 4 processes with 8 places each, 200 installations of uneven size, reviews of known length that come twice as fast for a
third of the time; and what one real review costs (`benchmarks.scale_review`). The simulation (`benchmarks.scale_queue`) gets the moments
at which these reviews were stored, their lengths, and how long a claim, a start and an end take; it must wait as long as the real queue.

The fair share of an installation is what it would have waited if the same places, at the same moments, had each gone to the installation
whose turn was longest ago; a share below a second counts as a second.

`--quick` measures half a minute, promises nothing, and takes the cost of a review from the last whole run.
"""

import argparse
import os
import random
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.chaos_town import database
from benchmarks.scale_load import Measured, played, workers
from benchmarks.scale_model import SIZES, Need, need, reached, waits
from benchmarks.scale_queue import Arrival, Queue, by_tenant, percentile, shares, simulate, traffic
from benchmarks.scale_review import RECORDED, measured, rows
from benchmarks.table import Row, report
from bot.jobs import JobSettings

USUAL = JobSettings(Path())  # the settings of a server that sets none
SEEDS = range(1, 6)
TIMES, APART = 3.0, 20.0  # of the fair share; per cent
MANY, FEW, FOURTH = (500, 40), (80, 10), 4  # deliveries at once, of so many installations
LEAST = 1.0  # seconds of a fair share: four looks at the queue


@dataclass(frozen=True, slots=True)
class Load:
    """What the real queue is given."""

    processes: int
    tenants: int
    alone: float  # seconds of a few reviews with places to spare
    seconds: float
    service: float  # seconds of a review, mean
    busy: float = 0.7  # of the places, by the mean of all the time
    burst: float = 2.0
    uneven: float = 0.8


WHOLE, QUICK = Load(4, 200, 20.0, 75.0, 5.0), Load(2, 40, 4.0, 6.0, 0.5)


def main() -> int:
    """Measure, simulate, compute; the exit code says whether the promises hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    load = QUICK if quick else WHOLE
    light, busy = _played(load)
    queue = _queue(load, light, busy)
    found = _compared(light, busy, queue, load) + _crowd(*(FEW if quick else MANY))
    if quick:
        found = [replace(row, limit=None) for row in found]
    cost = RECORDED if quick else measured()
    needs = [need(size, cost) for size in SIZES]
    details = {
        "queue": asdict(queue),
        "cost": asdict(cost),
        "sizes": [asdict(each) for each in needs],
        "reviews": [asdict(each) | {"wait": wait} for each, wait in zip(busy.arrivals, busy.waits, strict=True)],
    }
    status = report("scale", found + rows(cost), details)
    print(
        f"\n{_table(needs, [waits(each, queue) for each in needs])}\n\nPull requests a day at which each limit is reached:"
    )
    for pulls, limit in reached(cost):
        print(f"{pulls:>12,}  {limit.what}. What raises it: {limit.remedy}")
    return status


def _played(load: Load) -> tuple[Measured, Measured]:
    """A few reviews with places to spare, then the load."""
    places = load.processes * USUAL.at_once
    few = traffic(load.tenants, load.alone, places / 8, 0.3, uneven=load.uneven, seed=5)
    rate = load.busy * places / load.service
    many = traffic(load.tenants, load.seconds, rate, load.service, uneven=load.uneven, burst=load.burst)
    with database("postgres") as url, workers(url, load.processes) as logs:
        return played(url, logs, few), played(url, logs, many, first=len(few) + 1)


def _crowd(deliveries: int, installations: int) -> list[Row]:
    """A review each of many pull requests, all at once, to two processes: who begins when."""
    reviews = [Arrival(0.0, number * installations // deliveries, 1.0) for number in range(deliveries)]
    random.Random(1).shuffle(reviews)  # noqa: S311 - an order
    with database("postgres") as url, workers(url, 2) as logs:
        found = played(url, logs, reviews)
    begins = sorted((each.at + wait, each.tenant) for each, wait in zip(found.arrivals, found.waits, strict=True))
    seen, last_first, first_fourth = Counter[int](), 0, 0
    for place, (_, tenant) in enumerate(begins, 1):
        seen[tenant] += 1
        last_first = place if seen[tenant] == 1 else last_first
        first_fourth = first_fourth or (place if seen[tenant] == FOURTH else 0)
    beside = f"{deliveries} deliveries at once, {installations} installations, 2 processes"
    return [
        Row("last installation's first review, place in the order", last_first, first_fourth - 1, "", beside),
        Row("  earliest fourth review of any", first_fourth, None, ""),
    ]


def _queue(load: Load, light: Measured, busy: Measured) -> Queue:
    """The simulated queue. What reviews waited with places to spare is the time until one begins."""
    bare = Queue(load.processes, USUAL.at_once, lead=light.lead, tail=light.tail)
    explained = statistics.fmean(statistics.median(simulate(light.arrivals, bare, seed=seed)) for seed in SEEDS)
    rest = max(0.0, statistics.median(light.waits) - explained)
    return replace(bare, lead=busy.lead + rest, tail=busy.tail)


def _compared(light: Measured, busy: Measured, queue: Queue, load: Load) -> list[Row]:
    """The measured point beside the simulated one, and beside the fair share."""
    simulated = [simulate(busy.arrivals, queue, "line", seed) for seed in SEEDS]
    half, late = (statistics.fmean(percentile(waits, which) for waits in simulated) for which in (50, 95))
    times = _times(busy.arrivals, busy.waits)
    at_random = [_times(busy.arrivals, simulate(busy.arrivals, queue, "random", seed)) for seed in SEEDS]
    worst, above = statistics.fmean(each[-1] for each in at_random), statistics.fmean(map(_above, at_random))
    measured_late = percentile(busy.waits, 95)
    slow = f"{1000 * queue.lead:.0f} ms from a free place to the begin"
    return [
        Row(
            "waiting for a place, p95, measured",
            measured_late,
            None,
            "s",
            f"{len(busy.waits)} reviews, {load.processes} processes",
        ),
        Row("  simulated", late, None, "s", f"median {half:.1f} s, measured {percentile(busy.waits, 50):.1f} s"),
        Row("  the two apart", 100 * abs(late / measured_late - 1), APART, "%", slow),
        Row(
            "longest wait at p95 of an installation, in fair shares",
            times[-1],
            TIMES,
            "x",
            f"{len(times)} installations; in random order, simulated: {worst:.1f}",
        ),
        Row("  installations above three", _above(times), 0, "", f"in random order, simulated: {above:.0f}"),
        Row(
            "waiting with places to spare, p95",
            percentile(light.waits, 95),
            None,
            "s",
            f"load {os.getloadavg()[0]:.0f} at the end",
        ),
    ]


def _times(arrivals: Sequence[Arrival], waits: Sequence[float]) -> list[float]:
    """Each installation's wait at p95 beside its fair share, ascending."""
    fair = by_tenant(arrivals, [max(LEAST, share) for share in shares(arrivals, waits)])
    return sorted(
        percentile(mine, 95) / percentile(fair[tenant], 95) for tenant, mine in by_tenant(arrivals, waits).items()
    )


def _above(times: Sequence[float]) -> int:
    return sum(each > TIMES for each in times)


def _table(needs: Sequence[Need], waiting: Sequence[float]) -> str:
    """The sizes as a table in Markdown."""
    lines: list[tuple[str, Callable[[Need], str]]] = [
        ("installations; share of the largest", lambda one: f"{one.installations:,}; {100 * one.share:.0f} %"),
        ("reviews a second in the busiest hour", lambda one: _short(one.rate)),
        ("places; processes of 8 places", lambda one: f"{one.places:,}; {one.processes:,}"),
        ("machines for reviews, 8 cores and 32 GB", lambda one: f"{one.machines:,}"),
        ("rows written to the database a second, mean", lambda one: _short(one.rows)),
        (
            "commits a second to look for work; cores of the database",
            lambda one: f"{_short(one.polls)}; {_short(one.database)}",
        ),
        ("database after 30 days", lambda one: f"{_short(one.stored)} GB"),
        ("GitHub: requests of the largest installation an hour (5,000)", lambda one: _short(one.requests)),
        ("GitHub: content that it creates an hour (500)", lambda one: _short(one.content)),
        ("git a day", lambda one: f"{_short(one.git)} GB"),
        ("models a day", lambda one: f"${_short(one.dollars)}"),
    ]
    head = ["pull requests a day", *(f"{one.pulls:,}" for one in needs)]
    body = [[name, *map(shown, needs)] for name, shown in lines]
    body.insert(3, ["waiting for a place, p95, simulated", *(f"{wait:.1f} s" for wait in waiting)])
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *body])


def _short(value: float) -> str:
    """Two digits."""
    return f"{float(f'{value:.2g}'):,g}"


if __name__ == "__main__":
    sys.exit(main())
