"""Fuzzing with its result in figures: places of made-up findings, and webhook bodies that GitHub would never send.

    python -m benchmarks.fuzz [--placements 100000] [--bodies 10000] [--first 0] [--store sqlite|postgres]

The bodies go to a `deeprepo serve` of their own, each with a genuine signature. Every answer is compared with the status that is
right for the body; among them whole deliveries, which must still be taken on. Afterwards the server is killed and started again over
what it has stored. FIRST: the number of the first body, for other bodies than those of the run before.
"""

import argparse
import asyncio
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import bodies, placing
from benchmarks.bodies import Body
from benchmarks.chaos_town import database
from benchmarks.server_load import SECRET
from benchmarks.server_process import Process, server
from benchmarks.table import Row, report

CLIENTS = 8
SOUND = 50  # every so many bodies a whole delivery
PATIENCE = 10.0  # seconds: GitHub does not wait longer for an answer
GROWTH = 150.0  # MB
ANSWER = 2_000  # bytes of an answer
SHOWN = 20


@dataclass
class Tally:
    """What the answers were."""

    answers: Counter[int] = field(default_factory=Counter)
    seconds: list[tuple[float, str]] = field(default_factory=list)  # and which body it was
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
            rows += _webhook(store, url, Path(scratch), range(asked.first, asked.first + asked.bodies))
    print(f"load average {os.getloadavg()[0]:.1f}")
    return report("fuzz", rows)


def _webhook(store: str, url: str, folder: Path, numbers: range) -> list[Row]:
    tally = Tally()
    with server(folder, DATABASE_URL=url) as process:
        asyncio.run(_sent(process, range(-CLIENTS, 0), Tally()))  # what is loaded at the first delivery
        before = process.memory()
        asyncio.run(_sent(process, numbers, tally))
        grown, alive = process.memory() - before, process.ready()
        traces = re.findall(r"^.*\nTraceback [\s\S]*?\n(?=\S).*$", process.said(), re.MULTILINE)
        process.kill()
    whole = [number for number in numbers if number % SOUND == 0]
    with server(folder, DATABASE_URL=url) as process:
        again = Tally()
        asyncio.run(_whole(process, whole, "known", again))
    for line in [*tally.wrong, *tally.refused, *again.refused, *traces][:SHOWN]:
        print(line)
    ordered = sorted(tally.seconds)
    slowest, late = ordered[-1], ordered[len(ordered) * 99 // 100][0]
    spread = ", ".join(f"{status}: {times}" for status, times in sorted(tally.answers.items()))
    return [
        Row(f"webhook, {store}: damaged bodies", len(numbers), len(numbers), least=True, beside=spread),
        Row("  another status than the right one", len(tally.wrong), 0),
        Row(
            "  status 500 and above, or no answer",
            sum(n for status, n in tally.answers.items() if not 0 < status < 500),
            0,
        ),
        Row(
            "  whole deliveries among them that were not taken on",
            len(tally.refused),
            0,
            beside=f"of {len(numbers) // SOUND}",
        ),
        Row("  of these not known to the next process", len(again.refused), 0, beside="after kill -9"),
        Row("  slowest answer", slowest[0], PATIENCE, "s", f"{slowest[1]}; p99 {late * 1e3:.0f} ms"),
        Row("  tracebacks in the log", len(traces), 0),
        Row("  growth of the server", grown, GROWTH, "MB"),
        Row("  not ready afterwards", not alive, 0),
    ]


async def _sent(process: Process, numbers: range, tally: Tally) -> None:
    """Send them, a few at a time."""
    waiting = iter(numbers)

    async def client() -> None:
        for number in waiting:
            await _one(process, bodies.body(number), number, tally)
            if number % SOUND == 0:
                await _whole(process, [number], "queued", tally)

    await asyncio.gather(*(client() for _ in range(CLIENTS)))


async def _whole(process: Process, numbers: Sequence[int], outcome: str, tally: Tally) -> None:
    """Send whole deliveries, which must come to this outcome."""
    for number in numbers:
        status, answer = await _posted(process, bodies.sound(number), f"sound-{number}")
        if status != 202 or f'"{outcome}"'.encode() not in answer:
            tally.refused.append(f"whole delivery {number}, not {outcome}: {status} {answer[:200]!r}")


async def _one(process: Process, body: Body, number: int, tally: Tally) -> None:
    started = time.perf_counter()
    status, answer = await _posted(process, body, f"fuzz-{number}")
    tally.seconds.append((time.perf_counter() - started, f"body {number}, {body.damage}"))
    tally.answers[status] += 1
    if status not in body.right or len(answer) > ANSWER:
        right = " or ".join(map(str, sorted(body.right)))
        tally.wrong.append(f"body {number} ({body.event}, {body.damage}): {status}, not {right}: {answer[:200]!r}")


async def _posted(process: Process, body: Body, guid: str) -> tuple[int, bytes]:
    """Send one; the status and the answer, 0 if the server gave none.

    The bytes of a body that is too long are not sent: its length is refused, and bytes that nobody reads end the connection before
    the answer is read.
    """
    host, _, port = process.origin.removeprefix("http://").partition(":")
    try:
        async with asyncio.timeout(6 * PATIENCE):  # what is late is answered all the same
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(_head({**body.head(SECRET, guid), "content-length": str(len(body.raw))}))
            writer.write(body.raw if len(body.raw) <= bodies.MOST else b"")
            whole = await reader.read()
            writer.close()
    except (OSError, TimeoutError):
        return 0, b""
    head, _, answer = whole.partition(b"\r\n\r\n")
    return int(head.split()[1]) if head else 0, answer


def _head(headers: Mapping[str, str]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST /webhook HTTP/1.1\r\nhost: fuzz\r\nconnection: close\r\n{lines}\r\n".encode()


if __name__ == "__main__":
    sys.exit(main())
