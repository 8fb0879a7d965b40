"""Count what a review without caches computes before its first request, and what an estimate computes.

    python -m benchmarks.counters --repos FOLDER

FOLDER: clones as OWNER+NAME. Each change is read in a process of its own. Counts are promises; seconds are shown beside them.
"""

import argparse
import asyncio
import contextlib
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.table import Row, report
from bot.checkout import Checkout, git
from bot.review.strategies.estimate import DryRun
from bot.secrets.masking import Masks
from bot.values import TypedChange
from bot.wiring import local
from bot.wiring.review import local_review
from deeprepo.impact import parsing
from deeprepo.rlm.values import Completion, Prompt

FLAGS = {"worker": "compatible/worker", "root": "compatible/root"}
MEGABYTE = 1_000_000
# Change -> mode -> the most git grep processes, files read, MB looked through for secrets, MB parsed.
MOST = {
    ("NodeBB+NodeBB", "24e7cf4a"): {"estimate": (60, 400, 12.0, 3.0), "offline": (40, 400, 4.0, 3.0)},
    ("excalidraw+excalidraw", "dd8296af"): {"estimate": (160, 700, 60.0, 8.0), "offline": (60, 700, 15.0, 8.0)},
    ("traefik+traefik", "6e4f3973"): {"estimate": (30, 200, 20.0, 4.0), "offline": (30, 200, 5.0, 4.0)},
}


def main() -> int:
    """Count, and judge the counts."""
    asked = _arguments()
    if asked.one:
        print(json.dumps(asyncio.run(_counted(asked.repos / asked.one[0], asked.one[1], asked.one[2]))))
        return 0
    rows: list[Row] = []
    for (name, commit), modes in MOST.items():
        if not (asked.repos / name).exists():
            print(f"no clone of {name}")
            continue
        for mode, limits in modes.items():
            rows += _rows(f"{name.partition('+')[2]}, {mode}", _in_process(asked.repos, name, commit, mode), limits)
    return report("counters", rows) if rows else 1


def _rows(what: str, counts: dict[str, float], limits: Sequence[float]) -> list[Row]:
    units = ("git grep processes", "files read", "MB looked through for secrets", "MB parsed")
    keys = ("greps", "reads", "masked", "parsed")
    rows = [Row(f"{what}: {unit}", counts[key], most) for unit, key, most in zip(units, keys, limits, strict=True)]
    first = [Row(f"{what}: processor until the first request", counts["first"], unit="s")] if "first" in counts else []
    return [*rows, *first, Row(f"{what}: processor", counts["cpu"], unit="s")]


def _in_process(repos: Path, name: str, commit: str, mode: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.counters", "--repos", str(repos), "--one", name, commit, mode]
    env = {**os.environ, "DEEPREPO_CACHE": "off"}  # an earlier run would answer for this one
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    counts: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return counts


async def _counted(clone: Path, commit: str, mode: str) -> dict[str, float]:
    """The counts of one run. It is made in this process, whose parts are wrapped for that."""
    counts: Counter[str] = Counter()
    moments: dict[str, float] = {}
    _count(counts, moments)
    request = TypedChange(str(clone), "range", f"{commit}^", commit)
    start = _processor()
    with tempfile.TemporaryDirectory() as scratch, contextlib.redirect_stdout(io.StringIO()):
        if mode == "estimate":
            await local.estimate_costs(request, FLAGS, scratch, lambda _: None)
        else:
            await local_review(request, {"effort": "none"}, scratch)
    return {
        **{key: float(counts[key]) for key in ("greps", "reads")},
        **{key: counts[key] / MEGABYTE for key in ("masked", "parsed")},
        "cpu": _processor() - start,
        **({"first": moments["first"] - start} if moments else {}),
    }


def _count(counts: Counter[str], moments: dict[str, float]) -> None:
    search, blobs, learn, parse, complete = (
        git.search, Checkout._read, Masks.learn, parsing.in_time, DryRun.complete,  # noqa: SLF001
    )  # fmt: skip

    async def searched(*arguments: str, **rest: Any) -> Any:  # noqa: ANN401 - as git.search has it
        counts["greps"] += arguments[0] == "grep"
        return await search(*arguments, **rest)

    async def read(self: Checkout, oids: Sequence[str]) -> list[bytes | None]:
        counts["reads"] += len(oids)
        return await blobs(self, oids)

    def learned(self: Masks, text: str, path: str = "") -> None:
        counts["masked"] += len(text)
        learn(self, text, path)

    def parsed(language: Any, source: bytes) -> Any:  # noqa: ANN401 - as tree_sitter has it
        counts["parsed"] += len(source)
        return parse(language, source)

    async def completed(self: DryRun, prompt: Prompt) -> Completion:
        moments.setdefault("first", _processor())
        return await complete(self, prompt)

    git.search, parsing.in_time = searched, parsed
    Checkout._read, Masks.learn, DryRun.complete = read, learned, completed  # type: ignore[method-assign]  # noqa: SLF001


def _processor() -> float:
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--one", nargs=3, metavar=("NAME", "COMMIT", "MODE"), help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
