"""How long the dependents of real commits take, and how much memory: each repository in a process of its own."""

import argparse
import asyncio
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.offline import clone_of
from benchmarks.table import Row
from bot import dependents, diff
from bot.analyzers import contracts
from bot.checkout import Checkout
from bot.dependents.roles import changes_role
from bot.languages import LANGUAGES
from bot.values import PullRequest

LAST = 600  # commits looked at
LARGE, MIDDLE = 136, 28  # changed files
COPIES = 4
ONLY_FILES = dependents.SearchLimits(
    symbols=0, parsed_files=0, sites=0
)  # who imports the changed files, without call sites


@dataclass(frozen=True, slots=True)
class Timed:
    """One commit."""

    commit: str
    files: int  # changed
    direct: float  # seconds: who imports the changed files
    direct_cpu: float  # CPU seconds of it, ours and git's
    whole: float  # seconds: symbols, dependents, call sites, contract checks
    cpu: float  # of our own process, for `whole`
    git: float  # CPU seconds of git's processes, for `whole`
    references: int


def git(clone: Path, *arguments: str, env: Mapping[str, str] | None = None) -> str:
    """The output of git in a clone."""
    return subprocess.run(
        ["git", "-C", str(clone), *arguments],
        capture_output=True,
        text=True,
        check=True,
        errors="replace",
        env={**os.environ, **(env or {})},
    ).stdout


def git_folder(repos: Path, name: str) -> Path | None:
    """The folder that git keeps for a clone, with a work tree or without; None where there is no clone."""
    clone = clone_of(repos, name)
    return clone and Path(git(clone, "rev-parse", "--absolute-git-dir").strip())


def commits(clone: Path, suffixes: tuple[str, ...], prefix: str = "") -> Iterator[tuple[str, list[str]]]:
    """The newest commits with 1 to 60 files of these suffixes that still exist, as (commit, those files)."""
    present = set(git(clone, "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0"))
    log = git(clone, "log", "--no-merges", f"-{LAST}", "--name-only", "--format=@%H", "HEAD")
    for block in log.split("@")[1:]:
        commit, *names = block.split("\n")
        files = [name for name in names if name.endswith(suffixes) and name.startswith(prefix) and name in present]
        if 0 < len(files) <= 60:
            yield commit, files


def rows_of_time(repos: Path, scratch: Path, count: int, absent: list[str]) -> list[Row]:
    """The promises about time and memory."""
    rows: list[Row] = []
    for name, suffixes in (
        ("saleor/saleor", (".py",)),
        ("typescript-eslint/typescript-eslint", (".ts", ".tsx", ".mts")),
    ):
        clone = git_folder(repos, name)
        if clone is None:
            absent.append(f"times of {name}: no clone")
            continue
        chosen = [commit for commit, _ in commits(clone, suffixes)][:count]
        timed, peak = _measure(clone, [(f"{commit}^", commit) for commit in chosen])
        title = name.partition("/")[0]
        rows += _percentiles(title, timed)
        rows.append(Row(f"{title}: peak memory", peak, 150, "MB"))
        if title == "saleor":
            rows += _large(clone, scratch)
    return rows


def _percentiles(title: str, timed: Sequence[Timed]) -> Iterator[Row]:
    for what, values, used, limits in (
        ("dependents", [row.direct for row in timed], [row.direct_cpu for row in timed], (0.3, 0.8)),
        (
            "symbols, dependents, sites, checks",
            [row.whole for row in timed],
            [row.cpu + row.git for row in timed],
            (0.8, 2.0),
        ),
    ):
        ordered, cpu = sorted(values), sorted(used)
        for part, limit in zip((0.5, 0.9), limits, strict=True):
            at = min(len(ordered) - 1, int(len(ordered) * part))
            beside = f"{len(ordered)} commits, {cpu[at]:.2f} CPU seconds"
            yield Row(f"{title}: {what}, p{part * 100:.0f}", ordered[at], limit, "s", beside)


def _large(clone: Path, scratch: Path) -> Iterator[Row]:
    """The largest kinds of change: many files, and a tree that was copied."""
    large, middle = _of_size(clone, LARGE), _of_size(clone, MIDDLE)
    timed, _ = _measure(clone, [(f"{large[0]}^", large[0]), (f"{middle[0]}^", middle[0])])
    yield Row(
        f"a change of {large[1]} files", timed[0].whole, 5.0, "s", f"{timed[0].cpu + timed[0].git:.2f} CPU seconds"
    )
    objects = (scratch / "copied-objects").resolve()  # git runs in the clone
    shutil.rmtree(objects, ignore_errors=True)
    objects.mkdir()
    pair = tuple(_copied(clone, revision, f"{middle[0]}^", objects) for revision in (f"{middle[0]}^", middle[0]))
    count = git(
        clone, "ls-tree", "-r", "--name-only", pair[1], env={"GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects)}
    ).count("\n")
    again, peak = _measure(clone, [pair], objects)
    beside = f"{again[0].cpu + again[0].git:.2f} CPU seconds"
    yield Row(f"a change of {middle[1]} files in a tree of {count:,}", again[0].whole, 3.0, "s", beside)
    yield Row(
        f"the same in the tree without its {COPIES} copies",
        timed[1].whole,
        None,
        "s",
        f"{timed[1].cpu + timed[1].git:.2f} CPU seconds",
    )
    yield Row("the tree copied: times as long", again[0].whole / timed[1].whole)
    yield Row("the tree copied: peak memory", peak, 150, "MB")


def _of_size(clone: Path, size: int) -> tuple[str, int]:
    """The commit whose number of changed files is nearest to a size."""
    log = git(clone, "log", "--no-merges", f"-{LAST}", "--name-only", "--format=@%H", "HEAD")
    sizes = [
        (block.split("\n")[0], sum(name.endswith(".py") for name in block.split("\n"))) for block in log.split("@")[1:]
    ]
    return min(sizes, key=lambda row: (abs(row[1] - size), row[0]))


def _copied(clone: Path, revision: str, unchanged: str, objects: Path) -> str:
    """A tree that holds the tree of a revision, and beside it copies of one that do not change."""
    env = {
        "GIT_INDEX_FILE": str(objects / "index"),
        "GIT_OBJECT_DIRECTORY": str(objects),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(clone / "objects"),
        "GIT_DIR": str(clone),
        "GIT_WORK_TREE": str(objects),  # a prefix needs one, and a clone may be bare
    }
    git(clone, "read-tree", revision, env=env)
    for number in range(COPIES):
        git(clone, "read-tree", f"--prefix=copy{number}/", unchanged, env=env)
    return git(clone, "write-tree", env=env).strip()


def _measure(clone: Path, pairs: Sequence[tuple[str, ...]], objects: Path | None = None) -> tuple[list[Timed], float]:
    """Every pair in one process; the peak is that process's own."""
    command = [sys.executable, "-m", "benchmarks.dependents_time", str(clone)]
    done = subprocess.run(
        [*command, *(["--objects", str(objects)] if objects else [])],
        input="\n".join(f"{base} {head}" for base, head in pairs),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [Timed(**row) for row in rows[:-1]], rows[-1]


def _child() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("clone")
    parser.add_argument("--objects")
    asked = parser.parse_args()
    for line in sys.stdin.read().splitlines():
        revisions = line.split()  # of trees that were made for this their ids
        base, head = revisions if asked.objects else git(Path(asked.clone), "rev-parse", *revisions).split()
        print(
            json.dumps(
                asdict(asyncio.run(_timed(PullRequest("", "", base, head, "", "", asked.clone, asked.objects))))
            ),
            flush=True,
        )
    print(_peak_mb())


async def _timed(pull: PullRequest) -> Timed:
    async with Checkout(pull) as tree:
        files = diff.read(await tree.change(changes_role))
    began = sum(used())
    started = time.perf_counter()
    async with Checkout(pull) as tree:
        await dependents.find(tree, files, LANGUAGES, ONLY_FILES)
    direct = time.perf_counter() - started
    own, kids = used()
    started = time.perf_counter()
    async with Checkout(pull) as tree:
        found = await dependents.find(tree, files, LANGUAGES)
        await contracts.check(tree, files, found)
    whole = time.perf_counter() - started
    now, after = used()
    return Timed(
        pull.head, len(files), direct, own + kids - began, whole, now - own, after - kids, len(found.references)
    )


def _peak_mb() -> float:
    """This program's own peak. `ru_maxrss` would be the parent's where that was larger: a child inherits it over exec."""
    status = Path("/proc/self/status")
    if not status.exists():  # not Linux
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return next(int(line.split()[1]) / 1024 for line in status.read_text().splitlines() if line.startswith("VmHWM"))


def used() -> tuple[float, float]:
    """CPU seconds so far: of this process, and of those that it started and waited for."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return both[0].ru_utime + both[0].ru_stime, both[1].ru_utime + both[1].ru_stime


if __name__ == "__main__":
    _child()
