"""The common form: rows with a promise, printed as a table, written as JSON, judged by one exit code."""

import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. `limit` is what we promise: at most (or, with `least`, at least) this much; None: only shown."""

    what: str
    ours: float
    limit: float | None = None
    unit: str = ""
    beside: str = ""  # the peer or the floor, in words with its figure
    least: bool = False

    @property
    def kept(self) -> bool:
        """Whether the promise holds."""
        if self.limit is None:
            return True
        return self.ours >= self.limit if self.least else self.ours <= self.limit


@dataclass(frozen=True, slots=True)
class Run:
    """A finished process: seconds, peak memory in MB, exit status, output."""

    wall: float
    cpu: float
    peak_mb: float
    status: int
    out: str = field(repr=False, default="")


def report(name: str, rows: Sequence[Row], details: Mapping[str, Any] | None = None) -> int:
    """Print the table, write results/NAME.json, return the exit code."""
    widths = [max(len(row.what) for row in rows), 12, 14]
    print(f"{'':<{widths[0]}}  {'ours':>{widths[1]}}  {'promised':>{widths[2]}}  beside")
    for row in rows:
        sign = ">=" if row.least else "<="
        promise = "" if row.limit is None else f"{sign} {_number(row.limit)} {row.unit}".strip()
        mark = "" if row.kept else "  FALLS SHORT"
        print(
            f"{row.what:<{widths[0]}}  {f'{_number(row.ours)} {row.unit}':>{widths[1]}}  {promise:>{widths[2]}}  {row.beside}{mark}"
        )
    RESULTS.mkdir(exist_ok=True)
    machine = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"
    kept = all(row.kept for row in rows)
    document = {
        "bench": name,
        "machine": machine,
        "kept": kept,
        "rows": [asdict(row) for row in rows],
        **(details or {}),
    }
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(document, indent=1) + "\n")
    print(f"\n{machine}; {path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}")
    return 0 if kept else 1


def _number(value: float) -> str:
    """Four digits; a thousand and more in full."""
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def measured(command: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None) -> Run:
    """Run a command once; times and memory are the operating system's own for that process and its children."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command, env=environment(env), cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    out = process.stdout.read() if process.stdout else ""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - started
    return Run(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, process.returncode, out)


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of what is measured. It may keep what Python has compiled, as an installation does: that takes 0.25 s of each run."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    kept = {"DEEPREPO_CACHE": "off", **kept}  # an earlier run would answer for this one
    return {**kept, **(more or {})}


def interleaved(commands: Mapping[str, Callable[[], Run]], rounds: int) -> dict[str, Run]:
    """The median run (by wall time) of each command, A B A B, after one round that is not counted."""
    for command in commands.values():
        command()
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            runs[name].append(command())
    middle = {}
    for name, found in runs.items():
        failed = next((run for run in found if run.status not in (0, 1)), None)
        if failed is not None:
            raise SystemExit(f"{name} left with {failed.status}:\n{failed.out[-2000:]}")
        wall = statistics.median_low(run.wall for run in found)
        middle[name] = next(run for run in found if run.wall == wall)
    return middle
