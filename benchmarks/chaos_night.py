"""kill -9 of servers for as long as it takes, in lots; interrupted at any moment, the same command goes on.

    python -m benchmarks.chaos_night [--kills 1000] [--state .cache/chaos.json]

A lot is one run of `benchmarks.chaos_app` (the whole product) or `benchmarks.chaos_server` (its jobs) on SQLite or PostgreSQL,
in turns, each with a seed of its own. STATE holds the lots that came to their end, with the commit they ran on; a lot that was
interrupted is run again. Times are shown and not judged: over a night a machine has other work too.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.table import RESULTS, Row, report

HOME = Path(__file__).parents[1]
KINDS = (("chaos_app", "sqlite"), ("chaos_app", "postgres"), ("chaos_server", "sqlite"), ("chaos_server", "postgres"))
KILLS = 20  # of a lot
PATIENCE = 3600.0  # seconds for one lot
WAITS = {"CHAOS_PATIENCE": "1800"}  # seconds for one step of it: other work makes it slow, and its times are not judged
INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Lot:
    """One run that came to its end. `seed` is its number too; a `broken` one gave no figures, and its log is kept."""

    bench: str
    store: str
    seed: int
    commit: str
    seconds: float
    rows: Sequence[dict[str, Any]]
    broken: str = ""

    @property
    def kills(self) -> int:
        """How often a server was killed."""
        return int(self.rows[0]["ours"]) if self.rows else 0

    @property
    def faults(self) -> int:
        """Figures that break a promise; times are left out."""
        return bool(self.broken) + sum(not row.kept for row in map(_untimed, self.rows))


def main() -> int:
    """Go on until there are enough kills; the exit code says whether every promise held in all lots."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1_000)
    parser.add_argument("--state", type=Path, default=HOME / ".cache" / "chaos.json")
    asked = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):  # started in the background, a process is deaf to the first
        signal.signal(number, signal.default_int_handler)
    lots = _stored(asked.state)
    print(_total(lots, asked.kills), flush=True)
    while sum(lot.kills for lot in lots) < asked.kills:
        try:
            lots.append(_run(len(lots) + 1, min(KILLS, asked.kills - sum(lot.kills for lot in lots)), asked.state))
        except KeyboardInterrupt:
            print(f"interrupted; {asked.state} has what is done, and the same command goes on")
            return INTERRUPTED
        _store(asked.state, lots)
        print(_total(lots, asked.kills), flush=True)
        if len(lots) >= len(KINDS) and all(lot.broken for lot in lots[-len(KINDS) :]):
            raise SystemExit(f"no lot comes to its end: {lots[-1].broken} has the last one's log")
    return report("chaos_night", _rows(lots), {"lots": [asdict(lot) for lot in lots]})


def _run(number: int, kills: int, state: Path) -> Lot:
    """One lot. Raises KeyboardInterrupt once its servers have ended too."""
    bench, store = KINDS[(number - 1) % len(KINDS)]
    command = [
        sys.executable,
        "-m",
        f"benchmarks.{bench}",
        "--store",
        store,
        "--seed",
        str(number),
        "--kills",
        str(kills),
    ]
    found = RESULTS / f"{bench}.json"
    found.unlink(missing_ok=True)
    log = state.with_name(f"chaos-{number}.log")
    log.parent.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=HOME, env={**os.environ, **WAITS}, stdout=out, stderr=out, start_new_session=True
        )
        try:
            process.wait(PATIENCE)
        except (KeyboardInterrupt, subprocess.TimeoutExpired) as end:
            process.send_signal(signal.SIGINT)  # it ends its servers and its database
            process.wait()
            if isinstance(end, KeyboardInterrupt):
                raise
    rows = json.loads(found.read_text())["rows"] if found.exists() else []
    lot = Lot(bench, store, number, _commit(), time.monotonic() - started, rows, "" if rows else str(log))
    if not lot.faults:
        log.unlink()
    return lot


def _rows(lots: Sequence[Lot]) -> list[Row]:
    """The figures of all lots: counts are added up, of times the longest is shown."""
    made = []
    for bench, store in KINDS:
        ended = [lot for lot in lots if (lot.bench, lot.store) == (bench, store) and lot.rows]
        names = list(dict.fromkeys(row["what"] for lot in ended for row in lot.rows))
        for name in names:
            column = [_untimed(row) for lot in ended for row in lot.rows if row["what"] == name]
            counts = [int(number[1]) for row in column if (number := re.match(r"of (\d+)", row.beside))]
            beside = f"of {sum(counts)}" if counts else ""
            if name == names[0]:
                beside = f"{bench}, {len(ended)} lots, {sum(lot.seconds for lot in ended) / 60:.0f} min"
            timed = column[0].unit == "s"
            ours = max(row.ours for row in column) if timed else sum(row.ours for row in column)
            limit = None if column[0].limit is None else sum(row.limit or 0 for row in column)
            made.append(replace(column[0], ours=ours, limit=limit, beside=beside))
    broken = [lot.broken for lot in lots if lot.broken]
    return [*made, Row("lots that did not come to their end", len(broken), 0, beside=" ".join(broken))]


def _untimed(row: dict[str, Any]) -> Row:
    found = Row(**row)
    return replace(found, limit=None) if found.unit == "s" else found


def _total(lots: Sequence[Lot], kills: int) -> str:
    commits = ", ".join(dict.fromkeys(lot.commit for lot in lots))
    faulty = " ".join(f"{lot.bench}/{lot.store}/{lot.seed}" for lot in lots if lot.faults)
    total = f"{sum(lot.kills for lot in lots)} of {kills} kills in {len(lots)} lots, {sum(lot.seconds for lot in lots) / 60:.0f} min"
    return f"{total}; broken promises: {sum(lot.faults for lot in lots)} {faulty}{f'; commit {commits}' if commits else ''}"


def _stored(state: Path) -> list[Lot]:
    return [Lot(**lot) for lot in json.loads(state.read_text())] if state.exists() else []


def _store(state: Path, lots: Sequence[Lot]) -> None:
    """Whole or not at all: the power may go out too."""
    fresh = state.with_suffix(".new")
    fresh.write_text(json.dumps([asdict(lot) for lot in lots], indent=1) + "\n")
    fresh.replace(state)


def _commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=HOME, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "unknown"


if __name__ == "__main__":
    raise SystemExit(main())
