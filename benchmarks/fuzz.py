"""Fuzz the placement of findings and the parsing of webhook bodies.

    python -m benchmarks.fuzz [--placements 100000] [--bodies 10000] [--first 0] [--store sqlite|postgres]

The bodies go to a `deeprepo serve` of their own, each with a genuine signature. None may end in a fault of the server; among them are whole
deliveries, which must be taken on. Afterwards the server is killed and started again over what it has stored. FIRST: the number of the
first body, for other bodies than those of the run before.
"""

import argparse
import asyncio
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from benchmarks import placing
from benchmarks.around import database
from benchmarks.deliveries import Delivery, damaged, push
from benchmarks.server_process import server
from benchmarks.table import Row, report

CLIENTS = 8
WHOLE = 50  # every so many bodies a whole delivery
PATIENCE = 10.0  # seconds: GitHub does not wait longer for an answer
GROWTH = 150.0  # MB
SHOWN = 20


@dataclass
class Tally:
    """What the answers were."""

    answers: Counter[int] = field(default_factory=Counter)  # by status; 0: none came
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)  # whole deliveries that were not taken on


def main() -> int:
    """Run both; the exit code says whether nothing was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--placements", type=int, default=100_000)
    parser.add_argument("--bodies", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--store", choices=["sqlite", "postgres"], action="append")
    asked = parser.parse_args()
    rows = placing.generated(asked.placements) if asked.placements else []
    for store in (asked.store or ("sqlite", "postgres")) if asked.bodies else ():
        with tempfile.TemporaryDirectory(prefix="fuzz-") as scratch, database(store) as url:
            rows += asyncio.run(_webhook(store, url, Path(scratch), range(asked.first, asked.first + asked.bodies)))
    print(f"load average {os.getloadavg()[0]:.1f}")
    return report("fuzz", rows)


async def _webhook(store: str, url: str, folder: Path, numbers: range) -> list[Row]:
    tally, again = Tally(), Tally()
    async with server(folder, DATABASE_URL=url) as process:
        async with httpx2.AsyncClient(base_url=process.origin, timeout=6 * PATIENCE) as http:
            await _sent(http, range(-CLIENTS, 0), Tally())  # what is loaded at the first delivery
            before = process.memory()
            await _sent(http, numbers, tally)
        grown, alive = process.memory() - before, process.ready()
        traces = re.findall(r"^.*\nTraceback [\s\S]*?\n(?=\S).*$", process.said(), re.MULTILINE)
    async with server(folder, DATABASE_URL=url) as process, httpx2.AsyncClient(base_url=process.origin) as http:
        await _whole(http, [number for number in numbers if number % WHOLE == 0], "known", again)
    for line in [*tally.wrong, *tally.refused, *again.refused, *traces][:SHOWN]:
        print(line)
    ordered = sorted(tally.seconds)
    late = f"p99 {ordered[len(ordered) * 99 // 100] * 1e3:.0f} ms"
    spread = ", ".join(f"{status}: {times}" for status, times in sorted(tally.answers.items()))
    whole = "  whole deliveries among them that were not taken on"
    return [
        Row(f"webhook, {store}: damaged bodies", len(numbers), len(numbers), least=True, beside=spread),
        Row("  status 500 and above, or no answer", len(tally.wrong), 0),
        Row(whole, len(tally.refused), 0, beside=f"of {len(numbers) // WHOLE}"),
        Row("  of these not known to the next process", len(again.refused), 0, beside="after kill -9"),
        Row("  slowest answer", ordered[-1], PATIENCE, "s", late),
        Row("  tracebacks in the log", len(traces), 0),
        Row("  growth of the server", grown, GROWTH, "MB"),
        Row("  not ready afterwards", not alive, 0),
    ]


async def _sent(http: httpx2.AsyncClient, numbers: range, tally: Tally) -> None:
    """Send them, a few at a time."""
    waiting = iter(numbers)

    async def client() -> None:
        for number in waiting:
            started = time.perf_counter()
            status, answer = await _posted(http, damaged(number), f"fuzz-{number}")
            tally.seconds.append(time.perf_counter() - started)
            tally.answers[status] += 1
            if not 0 < status < 500:
                tally.wrong.append(f"body {number}: {status} {answer[:200]}")
            if number % WHOLE == 0:
                await _whole(http, [number], "queued", tally)

    await asyncio.gather(*(client() for _ in range(CLIENTS)))


async def _whole(http: httpx2.AsyncClient, numbers: Sequence[int], outcome: str, tally: Tally) -> None:
    """Send whole deliveries, which must come to this outcome."""
    for number in numbers:
        status, answer = await _posted(http, push(1_000_000 + number), f"whole-{number}")
        if status != 202 or f'"{outcome}"' not in answer:
            tally.refused.append(f"whole delivery {number}, not {outcome}: {status} {answer[:200]}")


async def _posted(http: httpx2.AsyncClient, delivery: Delivery, guid: str) -> tuple[int, str]:
    """Send one: the status and the answer, 0 if the server gave none."""
    try:
        answer = await http.post("/webhook", content=delivery.raw, headers=delivery.headers(guid))
    except httpx2.HTTPError as error:
        return 0, repr(error)
    return answer.status_code, answer.text


if __name__ == "__main__":
    sys.exit(main())
