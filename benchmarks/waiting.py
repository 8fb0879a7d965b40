"""How long a review takes beside the model calls that must follow one another: the real command on real changes.

    python -m benchmarks.waiting --repos FOLDER [--changes 30] [--speed 5] [--seed 1] [--only NAME ...]

FOLDER: clones as for `benchmarks.clean`. Of each repository one change is reviewed, small, middle and large ones in turn. The provider
takes as long as a real one (`benchmarks.paced`). Each call counts from its request to the end of its reply, with a Retry-After before it.

The longest chain is the one of calls that cannot begin before another has ended, however a reviewer is built: a later turn of the same
dialogue, a second opinion on a finding, the question of a root; and a root's first turn, which is shown what the readers found (if one
call read the change before it, also the second opinions, which decide whether it begins). A second wave of readers does not count.

With `--speed 5` the models are five times faster. Every moment at which a call is under way then counts five times, every other one once: our
own time is never scaled down.

The machine may have other work. Our own time is therefore also counted as the seconds of computing while no call was under way, by the system's own
count, and the ratio is printed a second time with these in the place of the wall time beside the calls.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from compileall import compile_dir
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import bot
from benchmarks import loopback
from benchmarks.clean import clone
from benchmarks.server_process import family
from benchmarks.table import Row, environment, report

SIZES = (
    (1, 3, 15, 120),
    (3, 9, 100, 500),
    (10, 60, 400, 4_000),
)  # files at least and at most, changed lines at least and at most
LOOK = 0.02  # seconds between two looks at a process
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
    ours: float  # seconds of computing while no call was under way
    cpu: float  # and in all

    @property
    def ratio(self) -> float:
        """The wall time in longest chains."""
        return self.wall / self.chain

    @property
    def alone(self) -> float:
        """The same on a machine that has nothing else to do."""
        return (self.waiting + self.ours) / self.chain


class Watch:
    """A process with all that it starts: its seconds of computing at each moment, and what it printed."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: str) -> None:
        self.started, self.samples = time.monotonic(), [(time.monotonic(), 0.0)]
        with tempfile.TemporaryFile("w+") as out:
            process = subprocess.Popen(
                command, env=environment(env), cwd=cwd, stdout=out, stderr=subprocess.STDOUT, text=True
            )
            used: dict[int, float] = {}
            while process.poll() is None:
                used.update({pid: _computed(pid) for pid in family(process.pid)})
                self.samples.append((time.monotonic(), sum(used.values())))
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(LOOK)
            self.wall = time.monotonic() - self.started
            out.seek(0)
            self.out = out.read()

    def computed(self, spans: Sequence[tuple[float, float]]) -> float:
        """Seconds of computing outside of the spans."""
        rows = zip(self.samples, self.samples[1:], strict=False)
        return sum(
            after - before
            for (start, before), (end, after) in rows
            if not any(first <= (start + end) / 2 <= last for first, last in spans)
        )


def _computed(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    """Review every change; the exit code says whether the promise holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--only", action="append", help="OWNER+NAME of a clone (default: all of them, by name)")
    parser.add_argument("--changes", type=int, default=30)
    parser.add_argument("--speed", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    compile_dir(Path(bot.__file__).parent, quiet=1)
    timed = []
    for change in _changes(asked.repos, asked.only, asked.changes):
        done = _review(change, asked.speed, asked.seed)
        if done is not None:
            timed.append(done)
            print(
                f"{done.name:<34} {done.files:>3} files {done.lines:>5} lines  {done.strategy:<8} {done.calls:>3} calls  wall {done.wall:6.1f} s  "
                f"chain {done.chain:6.1f} s ({done.links})  x{done.ratio:.2f}  before {done.before:.1f}  after {done.after:.1f}  computing {done.ours:.2f} of {done.cpu:.2f}  alone x{done.alone:.2f}",
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
        Row(
            "  with our own time counted in seconds of computing",
            middle(one.alone for one in timed),
            RATIO,
            "x",
            f"load {os.getloadavg()[0]:.0f} at the end",
        ),
        Row("  the wall time, p90", ratios[len(ratios) * 9 // 10], None, "x"),
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
        Row(
            "computing while no call is under way, median",
            middle(one.ours for one in timed),
            None,
            "s",
            f"of {middle(one.cpu for one in timed):.2f} s in all",
        ),
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
            run = Watch(command, ours, scratch)
        if not found.exists():
            print(f"{change.name}: {run.out.strip().splitlines()[-1:]}", file=sys.stderr)
            return None
        rows = [json.loads(line) for line in log.read_text().splitlines()]
        return _timed(change, json.loads(found.read_text()), rows, run, speed) if rows else None


def _timed(
    change: Change, review: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], run: Watch, speed: float
) -> Timed:
    strategy = review["strategy"]["name"]
    spans = [(row["at"], row["at"] + row["seconds"] / speed) for row in rows]
    busy = covered(spans)
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
        before=rows[0]["at"] - run.started,
        after=max(0.0, run.started + run.wall - last),
        ours=run.computed(spans),
        cpu=run.samples[-1][1],
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
    with loopback.started("paced", str(log), "--speed", str(speed), "--seed", str(seed)) as (url,):
        yield url


if __name__ == "__main__":
    raise SystemExit(main())
