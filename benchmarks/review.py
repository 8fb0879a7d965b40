"""Compare whole reviews with those of other tools: prompt tokens, time and memory. The model answers immediately and finds nothing.

    python -m benchmarks.review --repo CLONE [--rounds 5] [--peers FOLDER] [--small]

CLONE: a clone (bare or not) of The-PR-Agent/pr-agent, with two real changes. FOLDER: made by `make bench NAME=peers`; a peer that is not
in it is left out. Every token counts, those of the answer's schema and of tools too, as if nothing were cached. The figures are the
least of each reviewer: a model that finds something, or that uses its tools, is asked more. `--small`: the smaller change alone.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import beside, places
from benchmarks.beside import COMMANDS, DEFAULT, Place
from benchmarks.table import Row, Run, interleaved, report

SMALL = ("90a3537a^", "90a3537a")
LARGE = ("fe9b6473e4db15bc1f120b8aedcbd522110b3e43", "90a3537a")  # 200 first-parent steps


@dataclass(frozen=True, slots=True)
class Promise:
    """One change, and what we promise for it. `peers`: the runs of theirs that are measured beside ours, all if empty."""

    title: str
    change: tuple[str, str]
    tokens: int
    seconds: float
    megabytes: float
    peers: tuple[str, ...] = ()
    once: bool = False  # the figures of time are of one run
    root: bool = False  # as it is reviewed where a root's model is configured too, at effort medium


PROMISES = (
    Promise("7 files, +314/-13", SMALL, 31_500, 1.0, 120),
    Promise(
        "281 files, +29,749/-5,807",
        LARGE,
        450_000,
        15.0,
        300,
        peers=("pr-agent review", "OCR low"),
        once=True,
        root=True,
    ),
)


@dataclass(frozen=True, slots=True)
class Sent:
    """What one review sent: calls, tokens, and of how many changed files the model saw the change."""

    calls: int
    tokens: int
    files: int
    of: int


def main() -> int:
    """Review both changes; the exit code says whether the promises hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=places.clones, default=places.PR_AGENT, help="a clone of The-PR-Agent/pr-agent")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", type=Path, default=Path(places.PEERS))
    parser.add_argument("--small", action="store_true")
    asked = parser.parse_args()
    peers = asked.peers.resolve() if asked.peers and asked.peers.is_dir() else None
    if peers is None:
        print("no peers are installed: `make bench NAME=peers` installs them", file=sys.stderr)
    rows: list[Row] = []
    details: dict[str, Any] = {}
    for promise in PROMISES[:1] if asked.small else PROMISES:
        with (
            tempfile.TemporaryDirectory(prefix="bench-") as scratch,
            beside.place(asked.repo, promise.change, Path(scratch)) as at,
        ):
            details[promise.title], more = _reviewed(promise, at, peers, 1 if promise.once else asked.rounds)
            rows += more
    print(f"load average {os.getloadavg()[0]:.1f}")
    return report("review", rows, {"details": details})


def _reviewed(promise: Promise, at: Place, peers: Path | None, rounds: int) -> tuple[dict[str, Any], list[Row]]:
    """OwnAccount and theirs in turns; then what each of them sent."""
    output = at.scratch / "review.json"
    sent: dict[str, Sent] = {}
    schemas: list[int] = []
    counted_with = ""

    def noted(name: str, run: Callable[[], Run]) -> Callable[[], Run]:
        def once() -> Run:
            nonlocal counted_with
            done = run()
            if name not in sent:  # the round that is not timed
                prompts = at.prompts()
                count, counted_with = beside.tokens(prompts, peers)
                sent[name] = Sent(len(prompts), count, *beside.seen(at, prompts))
                if name == "ours":
                    schemas.append(
                        beside.tokens([{"texts": [], "schemas": one["schemas"]} for one in prompts], peers)[0]
                    )
            return done

        return once

    commands = {"ours": beside.ours(at, output, root=promise.root), **beside.peers(at, peers, promise.peers)}
    runs = interleaved({name: noted(name, run) for name, run in commands.items()}, rounds)
    silent = [name for name, what in sent.items() if not what.calls]
    if silent:
        raise SystemExit(f"{', '.join(silent)} asked the model nothing:\n{runs[silent[0]].out[-2000:]}")
    review = json.loads(output.read_text())
    units = [row for row in review["coverage"]["readings"] if row["kind"] == "unit"]
    unread = [f"{row['path']}:{row['name']}" for row in units if row["state"] == "unread"]
    mine, theirs = runs["ours"], {name: run for name, run in runs.items() if name != "ours"}
    tokens = {name: float(what.tokens) for name, what in sent.items() if name != "ours"}
    calls = ", ".join(f"{name} {what.calls}" for name, what in sent.items() if name != "ours")
    files = ", ".join(f"{name} {what.files}" for name, what in sent.items() if name != "ours")
    opened = [tokens[f"pr-agent {word}"] for word in COMMANDS if f"pr-agent {word}" in tokens]
    if len(opened) == len(COMMANDS):
        tokens["pr-agent, all three"] = sum(opened)
    computing = {name: run.cpu for name, run in theirs.items()}
    seconds = {name: run.wall for name, run in theirs.items()}
    memory = {name: run.peak_mb for name, run in theirs.items()}
    rows = [
        Row(
            f"{promise.title}: prompt tokens",
            sent["ours"].tokens,
            promise.tokens,
            beside=beside.ratios(sent["ours"].tokens, tokens),
        ),
        Row("  of these, the answer's schema", sum(schemas), beside=f"counted with {counted_with}"),
        Row("  prompts", sent["ours"].calls, beside=calls),
        Row("  files whose change the model saw", sent["ours"].files, beside=f"of {sent['ours'].of}; {files}"),
        Row("  units that nobody read", len(unread), 0, beside=f"of {len(units)}"),
        Row("  own time", mine.wall, promise.seconds, "s", beside.ratios(mine.wall, seconds, ".2f", " s")),
        Row("  of the processors", mine.cpu, unit="s", beside=beside.ratios(mine.cpu, computing, ".2f", " s")),
        Row("  peak memory", mine.peak_mb, promise.megabytes, "MB", beside.ratios(mine.peak_mb, memory, ".0f", " MB")),
    ]
    if DEFAULT in seconds:
        rows.insert(7, Row(f"  the same, as a share of {DEFAULT}'s", mine.wall / seconds[DEFAULT], 1.0))
    details = {"unread": unread, "skipped": review["coverage"].get("skipped_files"), "tokens": counted_with}
    return details, rows


if __name__ == "__main__":
    raise SystemExit(main())
