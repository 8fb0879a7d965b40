"""A whole review with a model that answers at once: prompt tokens, coverage, own time and memory, on two real changes.

    python -m benchmarks.review --repo CLONE [--rounds 5] [--peers FOLDER]

CLONE: a clone (bare or not) of The-PR-Agent/pr-agent; it holds the changes that peers were measured on. Every token counts,
those of the answer's schema too, as if nothing were cached. FOLDER: an environment with tiktoken and litellm, for the count.
"""

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.table import Row, Run, interleaved, measured, report
from benchmarks.tokens import counted

PYTHON = [sys.executable, "-m", "bot"]
SMALL = ("90a3537a^", "90a3537a")
LARGE = ("fe9b6473e4db15bc1f120b8aedcbd522110b3e43", "90a3537a")  # 200 first-parent steps


@dataclass(frozen=True, slots=True)
class Promise:
    """One change, and what we promise for it."""

    title: str
    change: tuple[str, str]
    tokens: int
    seconds: float
    megabytes: float
    beside: str
    beside_time: str
    whole: bool = False  # every unit must be read, and the figures of time are of one run


PROMISES = (
    Promise(
        "7 files, +314/-13",
        SMALL,
        31_500,
        1.0,
        120,
        "pr-agent 31,553 (the changed files only); OCR 41,081-110,609 (published)",
        "pr-agent 4.4-5.8 s, 285 MB; OCR 0.4-1.0 s, 64-71 MB (published)",
    ),
    Promise(
        "281 files, +29,749/-5,807",
        LARGE,
        450_000,
        15.0,
        300,
        "pr-agent 30,944 (3 of 281 files); OCR 5,127,158 (published)",
        "pr-agent 9.0 s, 333 MB; OCR 18.0 s, 143 MB (published)",
        whole=True,
    ),
)


def main() -> int:
    """Review both changes; the exit code says whether the promises hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", type=Path)
    asked = parser.parse_args()
    pythons = [asked.peers / "bin" / "python"] if asked.peers and (asked.peers / "bin" / "python").exists() else []
    rows: list[Row] = []
    details: dict[str, Any] = {}
    for promise in PROMISES:
        with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
            found, rounds = Path(scratch, "review.json"), 1 if promise.whole else asked.rounds
            run, prompts = _reviewed(promise, asked.repo, found, rounds)
            details[promise.title], more = _rows(promise, run, prompts, json.loads(found.read_text()), pythons)
            rows += more
    return report("review", rows, {"details": details})


def _reviewed(promise: Promise, repo: Path, found: Path, rounds: int) -> tuple[Run, list[Mapping[str, Any]]]:
    """The median run of the command, and what one run sent."""
    base, head = promise.change
    command = [*PYTHON, "review", f"{base}..{head}", "--repo", str(repo), "--format", "json", "--output", str(found)]
    command += ["--strategy", "fanout", "--worker", "compatible/worker"]
    log = found.with_name("prompts")
    with _server(log) as url:

        def once() -> Run:
            log.write_text("")
            return measured(command, {"DEEPREPO_BASE_URL": url})

        run = interleaved({"ours": once}, rounds)["ours"]
    return run, [json.loads(line) for line in log.read_text().splitlines()]


def _rows(
    promise: Promise,
    run: Run,
    prompts: Sequence[Mapping[str, Any]],
    review: Mapping[str, Any],
    pythons: Sequence[Path],
) -> tuple[dict[str, Any], list[Row]]:
    texts = [text for prompt in prompts for text in (*prompt["texts"], prompt["schemas"])]
    counts, how = counted(texts, pythons)
    schemas = sum(counted([prompt["schemas"] for prompt in prompts], pythons)[0])
    readings = review["coverage"]["readings"]
    units = [row for row in readings if row["kind"] == "unit"]
    dependents = [row for row in readings if row["kind"] == "dependent"]
    unread = [f"{row['path']}:{row['name']}" for row in units if row["state"] == "unread"]
    looked = sum(row["state"] == "reviewed" for row in dependents)
    rows = [
        Row(f"{promise.title}: prompt tokens", sum(counts), promise.tokens, beside=promise.beside),
        Row("  of these, the answer's schema", schemas, beside=f"counted with {how}"),
        Row("  prompts", len(prompts)),
        Row("  dependents whose lines a worker saw", looked, beside=f"of {len(dependents)} found"),
        Row("  units that nobody read", len(unread), 0, beside=f"of {len(units)}"),
        Row("  own time", run.wall, promise.seconds, "s", promise.beside_time),
        Row("  of the processors", run.cpu, unit="s"),
        Row("  peak memory", run.peak_mb, promise.megabytes, "MB"),
    ]
    details = {"unread": unread, "skipped": review["coverage"].get("skipped_files"), "tokens": how}
    return details, rows


@contextlib.contextmanager
def _server(log: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "benchmarks.counted", str(log)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield (process.stdout.readline() if process.stdout else "").strip()
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    raise SystemExit(main())
