"""Compare the engine with other engines against one scripted server. Prints medians of interleaved runs.

    python -m benchmarks.engine [--peers FOLDER] [--rounds 3]

FOLDER: the peers, made by `make bench NAME=peers`; what is not in it is shown as not installed.
"""

import argparse
import asyncio
import contextlib
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import loopback, places, timing
from benchmarks.ours import OwnAccount
from benchmarks.peer import ABSENT, ENGINES
from benchmarks.peers import Peer
from benchmarks.table import Row, measured, report
from benchmarks.timing import BATCHES, CALLS, WORKER_MS

BATCH_SECONDS, EMPTY_CPU, IMPORT = 0.30, 0.003, 0.150
ENGINE = "import bot.review.agent.loop, bot.review.workers, bot.review.strategies"
FOUL_TIMEOUT = "1.0"  # seconds until a call that is never answered is given up
Figures = Mapping[str, Sequence[float]]


def main() -> int:
    """Run every measurement; the exit code says whether our promises hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", type=Path, default=Path(places.PEERS))
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    seen = {"ours": _compared(None, asked.peers), **{peer.name: _compared(peer, asked.peers) for peer in ENGINES}}
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for _ in range(asked.rounds):
        for name, run in seen.items():
            for figure, values in run().items():
                found[name][figure] += values
    rows = [*_beside(found), *_faults(asked.rounds), *_import(asked.rounds)]
    return report("engine", rows, {"figures": found})


def _compared(peer: Peer | None, peers: Path) -> Callable[[], Figures]:
    """A step that measures one engine once, ours if `peer` is None, in a fresh process, and counts what its workers were asked."""

    def run() -> Figures:
        python = peer.python(peers) if peer else Path(sys.executable)
        if not python.exists():
            return {}
        with played(WORKER_MS, ENGINES[peer] if peer else OwnAccount) as (url, log, scratch):
            words = ["benchmarks.peer", peer.name, url] if peer else ["benchmarks.ours", "compare", url, scratch]
            done = measured([str(python), "-m", *words])
            workers = _workers(log)
        if peer and done.status == ABSENT:
            return {}
        figures = timing.heard(done.out)
        if figures is None:
            raise SystemExit(f"{peer.name if peer else 'ours'} left with {done.status}:\n{done.out[-3000:]}")
        return {**figures, "sent": [workers - timing.ROUNDS * CALLS]}

    return run


def _beside(found: Mapping[str, Figures]) -> Iterator[Row]:
    """One row per figure: ours, and the peers in words."""

    def others(figure: str, scale: float, form: str) -> str:
        return ", ".join(
            f"{peer.name} {median(found[peer.name][figure]) * scale:{form}}"
            if found[peer.name].get(figure)
            else f"{peer.name} not installed"
            for peer in ENGINES
        )

    def ours(figure: str) -> float:
        return median(found["ours"][figure])

    floor = _floor()
    yield Row(
        f"{CALLS} worker calls of {WORKER_MS} ms from one block",
        ours("batch"),
        BATCH_SECONDS,
        "s",
        others("batch", 1, ".2f"),
    )
    yield Row("  raw sockets, the floor here", floor, unit="s")
    yield Row("  of the processors", ours("batch_cpu"), unit="s", beside=others("batch_cpu", 1, ".3f"))
    sent = list(found["ours"]["sent"])
    yield Row(
        f"  requests for {CALLS} calls in {BATCHES} batches, most", max(sent), CALLS, beside=others("sent", 1, ".0f")
    )
    yield replace(Row("  the same, fewest", min(sent), CALLS), least=True)
    yield Row(
        "an empty root turn, of the processors",
        ours("empty_cpu") * 1e3,
        EMPTY_CPU * 1e3,
        "ms",
        others("empty_cpu", 1e3, ".1f"),
    )
    yield Row("  on the wall", ours("empty") * 1e3, unit="ms", beside=others("empty", 1e3, ".1f"))
    yield Row("a run of one turn", ours("one_turn") * 1e3, unit="ms", beside=others("one_turn", 1e3, ".0f"))


def _faults(rounds: int) -> Iterator[Row]:
    """Four batches with 429s, faults of the server, closed connections and calls without an answer."""
    worst, failed, arrived = 0, 0, 0
    for _ in range(rounds):
        with played(20, OwnAccount, "foul") as (url, log, scratch):
            figures = _ours("four", url, scratch, FOUL_TIMEOUT)
            arrived = _workers(log)
        worst = max(worst, abs(arrived - figures["calls"]))
        failed = max(failed, figures["failed"])
    what = f"{BATCHES} x {CALLS // BATCHES} calls in foul weather: requests the journal misses"
    yield Row(what, worst, 0, beside=f"{arrived} requests, {failed} of them failed and were sent again")


def _import(rounds: int) -> Iterator[Row]:
    """Interleaved with a bare start, which is taken off. Seconds of the processor: an import waits for nothing."""
    takes = []
    for _ in range(max(5, rounds)):
        bare, whole = measured([sys.executable, "-c", "pass"]), measured([sys.executable, "-c", ENGINE])
        takes.append((whole.cpu - bare.cpu) * 1e3)
    yield Row("import of the engine", median(takes), IMPORT * 1e3, "ms", "without the start of Python")


def _ours(task: str, *arguments: str) -> Any:  # noqa: ANN401 - figures
    done = measured([sys.executable, "-m", "benchmarks.ours", task, *arguments])
    if done.status:
        raise SystemExit(f"{task} left with {done.status}:\n{done.out[-3000:]}")
    return timing.heard(done.out)


@contextlib.contextmanager
def played(delay_ms: int, engine: type[timing.Engine], weather: str = "") -> Iterator[tuple[str, Path, str]]:
    """A server that plays an engine's roots: its address, its log, and a scratch folder."""
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        scripts, log = Path(scratch, "scripts.json"), Path(scratch, "log")
        scripts.write_text(json.dumps(timing.scripts(engine)))
        with loopback.started("played", str(log), str(delay_ms), str(scripts), weather) as (url, _):
            yield url, log, scratch


def _workers(log: Path) -> int:
    """How many requests for a worker came."""
    return log.read_text().split().count("worker")


def _floor() -> float:
    """The calls of one batch over bare sockets: the time that no engine can beat here."""
    with played(WORKER_MS, OwnAccount) as (url, *_):
        port = int(url.rpartition(":")[2].partition("/")[0])
        return median(asyncio.run(_bare(port)) for _ in range(3))


async def _bare(port: int) -> float:
    body = b'{"model": "worker", "messages": [{"role": "user", "content": "x"}]}'
    head = b"POST /v1/chat/completions HTTP/1.1\r\nauthorization: Bearer x\r\ncontent-length: %d\r\n\r\n" % len(body)

    async def call() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head + body)
        await reader.readuntil(b"\r\n\r\n")
        writer.close()

    started = time.perf_counter()
    await asyncio.gather(*(call() for _ in range(CALLS)))
    return time.perf_counter() - started


if __name__ == "__main__":
    raise SystemExit(main())
