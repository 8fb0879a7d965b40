"""How long a review takes beside the model calls that must follow one another: the real command on real changes.

    python -m benchmarks.waiting --repos FOLDER [--changes 30] [--speed 5] [--seed 1] [--only NAME ...]

FOLDER: clones as for `benchmarks.clean`. Of each repository one change is reviewed, small, middle and large ones in turn. The provider
takes as long as a real one (`benchmarks.paced`). Each call counts from its request to the end of its reply, with a Retry-After before it.

The longest chain is the one of calls that cannot begin before another has ended, however a reviewer is built: a later turn of the same
dialogue, a second opinion on a finding, the question of a root; and a root's first turn, which is shown what the readers found (if one
call read the change before it, also the second opinions, which decide whether it begins). A second wave of readers does not count.

With `--speed 5` the models are five times faster. Every moment at which a call is under way then counts five times, every other one once: our
own time is never scaled down.
"""

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.clean import clone
from benchmarks.table import Row, Run, measured, report

SIZES = (
    (1, 3, 15, 120),
    (3, 9, 100, 500),
    (10, 60, 400, 4_000),
)  # files at least and at most, changed lines at least and at most
LOOKED_AT = 600  # commits of a repository
RATIO = 1.15


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one repository."""

    repo: Path
    name: str
    commit: str
    files: int
    lines: int


@dataclass(frozen=True, slots=True)
class Timed:
    """One review. Times are seconds of the real speed."""

    name: str
    files: int
    lines: int
    strategy: str
    calls: int
    wall: float
    chain: float
    links: int  # calls of the chain
    waiting: float  # seconds at which at least one call was under way
    before: float  # seconds until the first call
    after: float  # seconds after the last one
    cpu: float

    @property
    def ratio(self) -> float:
        """The wall time in longest chains."""
        return self.wall / self.chain


def main() -> int:
    """Review every change; the exit code says whether the promise holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--only", action="append", help="OWNER+NAME of a clone (default: all of them, by name)")
    parser.add_argument("--changes", type=int, default=30)
    parser.add_argument("--speed", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    timed = []
    for change in _changes(asked.repos, asked.only, asked.changes):
        done = _review(change, asked.speed, asked.seed)
        if done is not None:
            timed.append(done)
            print(
                f"{done.name:<34} {done.files:>3} files {done.lines:>5} lines  {done.strategy:<8} {done.calls:>3} calls  wall {done.wall:6.1f} s  "
                f"chain {done.chain:6.1f} s ({done.links})  x{done.ratio:.2f}  before {done.before:.1f}  after {done.after:.1f}  cpu {done.cpu:.1f}",
                flush=True,
            )
    if not timed:
        print(f"no change to review in {asked.repos}: name a folder of clones with --repos", file=sys.stderr)
        return 2
    return report("time", _rows(timed, asked.speed), {"changes": [asdict(one) for one in timed]})


def _rows(timed: Sequence[Timed], speed: float) -> list[Row]:
    ratios = sorted(one.ratio for one in timed)
    middle = statistics.median
    paced = (
        "models at their real speed"
        if speed == 1
        else f"models {speed:g} times faster, their time counted {speed:g} times"
    )
    rows = [
        Row(
            "wall time, in longest chains of calls: median",
            middle(ratios),
            RATIO,
            "x",
            f"{len(timed)} changes; {paced}",
        ),
        Row("  the same, p90", ratios[len(ratios) * 9 // 10], None, "x"),
        Row("wall time, median", middle(one.wall for one in timed), None, "s"),
        Row(
            "longest chain, median",
            middle(one.chain for one in timed),
            None,
            "s",
            f"{middle(one.links for one in timed):g} calls",
        ),
        Row(
            "share of the wall time that is waiting for models",
            100 * sum(one.waiting for one in timed) / sum(one.wall for one in timed),
            None,
            "%",
        ),
        Row("before the first call, median", middle(one.before for one in timed), None, "s"),
        Row("after the last call, median", middle(one.after for one in timed), None, "s"),
        Row("computing of our own, median", middle(one.cpu for one in timed), None, "s"),
    ]
    for name in sorted({one.strategy for one in timed}):
        mine = [one for one in timed if one.strategy == name]
        rows.append(Row(f"  {name}: median", middle(one.ratio for one in mine), None, "x", f"{len(mine)} changes"))
    return rows


def _changes(folder: Path, only: Sequence[str] | None, most: int) -> Iterator[Change]:
    """One change of each repository, of a size that takes turns."""
    names = only or sorted(path.name for path in folder.iterdir() if path.is_dir())
    found = 0
    for name in names:
        repo = clone(folder, name)
        if repo is None or found >= most:
            continue
        change = _sized(repo, name, SIZES[found % len(SIZES)])
        if change is not None:
            found += 1
            yield change


def _sized(repo: Path, name: str, size: tuple[int, int, int, int]) -> Change | None:
    """The newest commit of this size."""
    least_files, most_files, least, most = size
    command = [
        "git",
        "-C",
        str(repo),
        "log",
        "--no-merges",
        "--min-parents=1",
        f"-{LOOKED_AT}",
        "--shortstat",
        "--format=%H",
    ]
    out = subprocess.run(command, check=False, capture_output=True, text=True).stdout.split()
    commit, numbers = "", list[int]()
    for word in [*out, "0" * 40]:
        if len(word) == 40:
            if len(numbers) > 1 and least_files <= numbers[0] <= most_files and least <= sum(numbers[1:]) <= most:
                return Change(repo, name, commit, numbers[0], sum(numbers[1:]))
            commit, numbers = word, []
        elif word.isdigit():
            numbers.append(int(word))
    return None


def _review(change: Change, speed: float, seed: int) -> Timed | None:
    """The command on one change; None if it could not read it (a clone may lack a blob)."""
    with tempfile.TemporaryDirectory(prefix="time-") as scratch:
        log, found = Path(scratch, "log"), Path(scratch, "review.json")
        command = [
            sys.executable,
            "-m",
            "bot",
            "review",
            f"{change.commit}^..{change.commit}",
            "--repo",
            str(change.repo),
        ]
        command += [
            "--root",
            "openai/gpt-5.4",
            "--worker",
            "openai/gpt-5.4-mini",
            "--format",
            "json",
            "--output",
            str(found),
        ]
        with _provider(log, speed, seed) as url:
            ours = {"DEEPREPO_BASE_URL": url, "OPENAI_API_KEY": "of-the-bench", "DEEPREPO_CONCURRENCY": "64"}
            started = time.monotonic()
            run = measured(command, ours, cwd=scratch)
        if not found.exists():
            print(f"{change.name}: {run.out.strip().splitlines()[-1:]}", file=sys.stderr)
            return None
        rows = [json.loads(line) for line in log.read_text().splitlines()]
        return _timed(change, json.loads(found.read_text()), rows, run, started, speed) if rows else None


def _timed(
    change: Change, review: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], run: Run, started: float, speed: float
) -> Timed:
    strategy = review["strategy"]["name"]
    busy = covered([(row["at"], row["at"] + row["seconds"] / speed) for row in rows])
    chain, links = longest(rows, strategy)
    last = max(row["at"] + row["seconds"] / speed for row in rows)
    return Timed(
        name=change.name,
        files=change.files,
        lines=change.lines,
        strategy=strategy,
        calls=len(rows),
        wall=run.wall - busy + busy * speed,
        chain=chain,
        links=links,
        waiting=busy * speed,
        before=rows[0]["at"] - started,
        after=max(0.0, started + run.wall - last),
        cpu=run.cpu,
    )


def covered(spans: Sequence[tuple[float, float]]) -> float:
    """The seconds that at least one of the spans covers."""
    total, until = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, until))
        until = max(until, end)
    return total


def longest(rows: Sequence[Mapping[str, Any]], strategy: str) -> tuple[float, int]:
    """Seconds and calls of the longest chain of requests that could not begin before another had its reply."""
    seconds: dict[str, float] = defaultdict(float)
    after: dict[str, set[str]] = {}
    for row in rows:
        seconds[row["mark"]] += row["seconds"]
        after.setdefault(row["mark"], set()).update(row["after"])
    first = next((row for row in rows if row["role"] == "root"), None)
    if first is not None:
        waited = {"reader", "verify"} if strategy == "cascade" else {"reader"}
        before = {row["mark"] for row in rows if row["at"] < first["at"] and row["role"] in waited}
        after[first["mark"]] |= before - {first["mark"]}
    ends: dict[str, tuple[float, int]] = {}
    for mark, own in seconds.items():  # in the order of their arrival: what a request repeats has come before it
        known = [ends[other] for other in after[mark] if other in ends]
        before_it, links = max(known, default=(0.0, 0))
        ends[mark] = (before_it + own, links + 1)
    return max(ends.values())


@contextlib.contextmanager
def _provider(log: Path, speed: float, seed: int) -> Iterator[str]:
    command = [sys.executable, "-m", "benchmarks.paced", str(log), "--speed", str(speed), "--seed", str(seed)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield (process.stdout.readline() if process.stdout else "").strip()
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    raise SystemExit(main())
