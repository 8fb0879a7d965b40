"""Measure start-up, CPU time and memory of a review without its model calls.

    python -m benchmarks.start [--repo CLONE] [--rounds 5] [--peers FOLDER]

CLONE: a clone of The-PR-Agent/pr-agent; its commit 90a3537a (7 files, +314/-13) is the change that is reviewed. Without it a change of
the same size over 200 made-up files is used. FOLDER: made by `make bench NAME=peers`; the peers in it do the same in the same run. A type checker among them looks at the whole tree.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import beside, places
from benchmarks.around import committed
from benchmarks.beside import BASE, HEAD, Place, ratios
from benchmarks.peers import OCR, OURS, PR_AGENT, size
from benchmarks.table import Row, interleaved, measured, report

COMMIT = "90a3537a"
HELP_OF_PIP = 0.8
HELP_SECONDS, OWN_SECONDS, OWN_MB = 0.25, 1.5, 150
PYTHON = [sys.executable, "-m", "bot"]
PIP = [sys.executable, "-m", "pip", "--version"]
STAGED = 2  # files of a commit that the hook looks at


def main() -> int:
    """Run every measurement; the exit code says whether the promises hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", type=Path, default=Path(places.PEERS))
    asked = parser.parse_args()
    peers = asked.peers.resolve() if asked.peers and asked.peers.is_dir() else None
    if peers is None:
        print("no peers are installed: `make bench NAME=peers` installs them", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        repo = asked.repo or _made_up(Path(scratch, "repo"))
        change = (f"{COMMIT}^", COMMIT) if asked.repo else ("main", "feature")
        with beside.place(repo, change, Path(scratch)) as at:
            rows = [*_installed(peers), *_start(asked.rounds, peers), *_own(at, asked.rounds, peers)]
            rows += _hook(at, asked.rounds)
    print(f"load average {os.getloadavg()[0]:.1f}")
    return report("start", rows)


def _installed(peers: Path | None) -> Iterator[Row]:
    """What an installation from the registry adds to an empty environment."""
    found = {name: size(peers / name) for name in (OURS, PR_AGENT.name, OCR.name)} if peers else {}
    kept = {name: figures for name, figures in found.items() if figures[1]}
    if OURS not in kept:
        return
    megabytes, packages = kept.pop(OURS)
    yield Row(
        "installed", megabytes, unit="MB", beside=ratios(megabytes, {n: f[0] for n, f in kept.items()}, ".0f", " MB")
    )
    yield Row("  packages", packages, beside=", ".join(f"{name} {figures[1]}" for name, figures in kept.items()))


def _start(rounds: int, peers: Path | None) -> Iterator[Row]:
    ours = {
        "help": lambda: measured([*PYTHON, "--help"]),
        "bare": lambda: measured([sys.executable, "-c", "pass"]),
        "pip": lambda: measured(PIP),
    }
    runs = interleaved({**ours, **beside.starts(peers)}, rounds)
    mine, bare, pip = runs.pop("help"), runs.pop("bare"), runs.pop("pip")
    seconds = ratios(mine.wall, {name: run.wall for name, run in runs.items()}, ".2f", " s")
    yield Row(
        "deeprepo --help",
        mine.wall,
        HELP_SECONDS,
        "s",
        "; ".join(filter(None, (f"bare Python {bare.wall:.3f} s", seconds))),
    )
    memory = ratios(mine.peak_mb, {name: run.peak_mb for name, run in runs.items()}, ".0f", " MB")
    computing = ratios(mine.cpu, {name: run.cpu for name, run in runs.items()}, ".2f", " s")
    yield Row("  of the processors", mine.cpu, unit="s", beside=computing)
    yield Row("  as a share of `pip --version`'s", mine.cpu / pip.cpu, HELP_OF_PIP, beside=f"{pip.cpu:.2f} s")
    yield Row("  its peak memory", mine.peak_mb, unit="MB", beside=memory)


def _own(at: Place, rounds: int, peers: Path | None) -> Iterator[Row]:
    """Whole reviews by the command line, with a model that answers at once, and without one."""
    output = at.scratch / "review.json"
    review = [*PYTHON, "review", f"{BASE}..{HEAD}", "--repo", str(at.clone)]
    review += ["--format", "json", "--output", str(output)]
    with beside.double(at.scratch / "own.log") as (_, anthropic):
        env = {"DEEPREPO_BASE_URL": anthropic, "ANTHROPIC_API_KEY": "none"}
        runs = interleaved(
            {
                "openai": beside.ours(at, output),
                "anthropic": lambda: measured([*review, "--strategy", "parts", "--worker", "anthropic/worker"], env),
                "offline": lambda: measured([*review, "--strategy", "offline"]),
                **beside.type_checker(at, peers),
                **beside.peers(at, peers, ("pr-agent review", beside.DEFAULT)),
            },
            rounds,
        )
    checker = {name: run for name, run in runs.items() if name == "ty check"}
    mine, theirs = runs["openai"], {name: run for name, run in runs.items() if " " in name and name not in checker}
    seconds = ratios(mine.wall, {name: run.wall for name, run in theirs.items()}, ".2f", " s")
    memory = ratios(mine.peak_mb, {name: run.peak_mb for name, run in theirs.items()}, ".0f", " MB")
    yield Row("7 files, +300, parts, 0 ms model (OpenAI dialect)", mine.wall, OWN_SECONDS, "s", seconds)
    if beside.DEFAULT in theirs:
        yield Row(f"  the same, as a share of {beside.DEFAULT}'s", mine.wall / theirs[beside.DEFAULT].wall)
    computing = ratios(mine.cpu, {name: run.cpu for name, run in theirs.items()}, ".2f", " s")
    yield Row("  of the processors", mine.cpu, unit="s", beside=computing)
    yield Row("  its peak memory", mine.peak_mb, OWN_MB, "MB", memory)
    yield Row("the same, Anthropic dialect", runs["anthropic"].wall, unit="s")
    yield Row("  its peak memory", runs["anthropic"].peak_mb, unit="MB")
    yield Row("the same, offline", runs["offline"].wall, OWN_SECONDS, "s")
    computing = ratios(runs["offline"].cpu, {name: run.cpu for name, run in checker.items()}, ".2f", " s")
    yield Row("  of the processors", runs["offline"].cpu, unit="s", beside=computing)
    yield Row("  its peak memory", runs["offline"].peak_mb, OWN_MB, "MB")


def _hook(at: Place, rounds: int) -> Iterator[Row]:
    """What a person waits for who commits two files: the hook's own command, with what it keeps between two runs."""
    for path in sorted(at.clone.rglob("*.py"))[:STAGED]:
        path.write_text(
            f"{path.read_text(encoding='utf-8')}\n\ndef added(value):\n    return value\n", encoding="utf-8"
        )
    subprocess.run(["git", "add", "--update"], cwd=at.clone, check=True)
    kept = {"DEEPREPO_CACHE": "", "HOME": str(at.scratch / "home")}
    command = [*PYTHON, "review", "--staged", "--effort", "none", "--fail-on", "high", "--repo", str(at.clone)]
    runs = interleaved({"hook": lambda: measured(command, kept), "pip": lambda: measured(PIP)}, rounds)
    share = runs["hook"].cpu / runs["pip"].cpu
    yield Row("the hook on two staged files, second run", runs["hook"].wall, unit="s")
    yield Row("  as a share of `pip --version`'s processor", share, beside=f"{runs['pip'].cpu:.2f} s")


def _made_up(folder: Path) -> Path:
    """200 modules that import each other; the change adds 45 lines to each of seven."""

    def module(number: int, functions: int) -> str:
        lines = [f"from package.m{(number + 1) % 200} import f0 as other\n"]
        lines += [
            f"\ndef f{n}(value):\n    if value:\n        return other(value) + {n}\n    return None\n\n"
            for n in range(functions)
        ]
        return "".join(lines)

    sizes = {"main": (200, 5), "feature": (7, 13)}
    files = {
        branch: {f"package/m{number}.py": module(number, functions) for number in range(modules)}
        for branch, (modules, functions) in sizes.items()
    }
    return committed(folder, files)


if __name__ == "__main__":
    raise SystemExit(main())
