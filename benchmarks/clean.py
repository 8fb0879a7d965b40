"""Ordinary commits with a model that finds nothing: how many reviews are clean, and what is open in the others.

    python -m benchmarks.clean --repos FOLDER [--repo NAME ...] [--commits 30] [--offline] [--verbose]

FOLDER: clones (bare or not) as NAME, NAME.git, OWNER+NAME or OWNER+NAME/repo. Of each the newest non-merge commits are reviewed, each
as the range from its parent. The model is a server on loopback that answers every structured request validly with no finding, so a
review that is not clean was left open by the product itself. `--offline`: the same without a model.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks import places
from benchmarks.table import Row, report
from bot import wiring
from bot.errors import DeepRepoError
from bot.outputs import facts
from bot.values import Review, ReviewRequest, tokens
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply, Server

REPOS = ("pallets+flask", "fastify+fastify", "gin-gonic+gin", "google+gson", "BurntSushi+ripgrep", "vuejs+core")
LEAST_CLEAN = 0.90  # of the reviews without a finding
OUT_TOKENS = 300  # of an answer
USD_IN, USD_OUT = 0.25e-6, 2e-6  # dollars a token of a small model, so that the costs of two runs can be compared


@dataclass(frozen=True, slots=True)
class Result:
    """One commit reviewed."""

    repo: str
    commit: str
    title: str
    conclusion: str
    verdict: str
    strategy: str
    findings: tuple[str, ...] = ()
    open: tuple[str, ...] = ()  # "kind path:line reason"
    kinds: tuple[str, ...] = ()
    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    seconds: float = 0.0
    notes: tuple[str, ...] = field(default=())


def main() -> int:
    """Review every commit; the exit code says whether the promise holds."""
    asked = _arguments()
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        os.environ.pop(variable, None)
    results: list[Result] = []
    with doubles.in_thread(Server(_honest)) as server:
        os.environ["DEEPREPO_BASE_URL"] = server.openai_url
        for name in asked.repo or REPOS:
            repo = clone(asked.repos, name)
            if repo is None:
                print(f"no clone of {name} in {asked.repos}", file=sys.stderr)
                continue
            for commit, title in commits(repo, asked.commits, asked.skip):
                before = server.count
                result = _review(repo, name, commit, title, offline=asked.offline)
                sent = sum(tokens(json.dumps(body)) for body in server.requests[before:])
                result = replace(result, tokens=sent, usd=sent * USD_IN + result.calls * OUT_TOKENS * USD_OUT)
                results.append(result)
                print(f"{result.conclusion:<10} {result.seconds:5.1f} s  {name} {commit[:10]} {title[:60]}", flush=True)
                if asked.verbose:
                    print(f"           {result.verdict}")
                for line in (*result.findings, *result.open) if asked.verbose else ():
                    print(f"           {line[:200]}")
    if not results:
        return 2
    print()
    rows = list(_rows(results, offline=asked.offline))
    return report("clean-offline" if asked.offline else "clean", rows, {"commits": [asdict(one) for one in results]})


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=places.clones, default=places.REPOS)
    parser.add_argument("--repo", action="append", help="OWNER+NAME (default: six repositories of six languages)")
    parser.add_argument("--commits", type=int, default=30)
    parser.add_argument("--skip", type=int, default=0, help="leave out so many of the newest commits")
    parser.add_argument("--offline", action="store_true", help="no model")
    parser.add_argument("--verbose", action="store_true", help="print what is open, and the findings")
    return parser.parse_args()


def clone(folder: Path, name: str) -> Path | None:
    """The clone of a repository in a folder, under any of the names that clones have."""
    short = name.rpartition("+")[2]
    found = (folder / name / "repo", folder / name, folder / f"{short}.git", folder / short)
    return next((path for path in found if (path / "HEAD").exists() or (path / ".git").exists()), None)


def commits(repo: Path, count: int, skip: int) -> list[tuple[str, str]]:
    """The newest commits with one parent, newest first."""
    command = [
        "git",
        "-C",
        str(repo),
        "log",
        "--no-merges",
        "--min-parents=1",
        f"-{count}",
        f"--skip={skip}",
        "--format=%H %s",
    ]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [(line[:40], line[41:]) for line in out.splitlines()]


def _honest(body: Mapping[str, Any]) -> Reply:
    """A model that has read what it was shown and found nothing wrong."""
    if body.get("tools") and "execute_python" in json.dumps(body["tools"]):
        return doubles.code("set_answer('Read; nothing found.')")
    return Reply(data={"answer": "Read; nothing found.", "findings": []})


def _review(repo: Path, name: str, commit: str, title: str, *, offline: bool) -> Result:
    flags: dict[str, Any] = {"strategy": "offline" if offline else "auto"}
    flags |= {} if offline else {"root": "compatible/root", "worker": "compatible/worker"}
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="deeprepo-clean-") as scratch:
        request = ReviewRequest(str(repo), base=f"{commit}^", head=commit)
        try:
            review = asyncio.run(wiring.local_review(request, flags, scratch))
        except DeepRepoError as error:
            return Result(name, commit, title, "failed", str(error), "", seconds=time.perf_counter() - started)
    return _result(review, name, commit, title)


def _result(review: Review, name: str, commit: str, title: str) -> Result:
    left = [(row, f"{row.path}:{row.line}" if row.line else row.path) for row in review.coverage.open]
    return Result(
        name,
        commit,
        title,
        facts.conclusion(review),
        facts.summary(review).verdict,
        review.strategy.name,
        tuple(f"{one.finding.path}:{one.finding.start} {one.finding.title}" for one in review.reported),
        tuple(f"{row.kind} {at} {row.reason}" for row, at in left),
        tuple(row.kind for row, _ in left),
        review.cost.calls,
        seconds=review.seconds,
        notes=review.notes,
    )


def _rows(results: list[Result], *, offline: bool) -> list[Row]:
    rows: list[Row] = []
    for name in dict.fromkeys(one.repo for one in results):
        mine = [one for one in results if one.repo == name]
        counts = Counter(one.conclusion for one in mine)
        why = Counter(kind for one in mine if one.conclusion == "incomplete" for kind in set(one.kinds))
        said = ", ".join(f"{kind} {number}" for kind, number in why.most_common()) or "nothing"
        print(
            f"{name}: {len(mine)} commits, {counts['clean']} clean, {counts['findings']} with findings, {counts['incomplete']} open "
            f"({said}), {counts['failed']} failed; {sum(one.calls for one in mine):,} calls, {sum(one.tokens for one in mine):,} tokens, "
            f"${sum(one.usd for one in mine):.2f}"
        )
    quiet = [one for one in results if one.conclusion not in ("findings", "failed")]
    clean = sum(one.conclusion == "clean" for one in quiet)
    share = clean / len(quiet) if quiet else 1.0
    least = None if offline else 100 * LEAST_CLEAN
    beside = f"{clean} of {len(quiet)}"
    rows.append(Row("clean, of the reviews without a finding", 100 * share, least, "%", beside, least=True))
    unsaid = sum(one.conclusion == "incomplete" and not one.open and not one.notes for one in quiet)
    rows.append(Row("open reviews that do not say what is open", unsaid, 0))
    lost = sum(one.conclusion == "failed" and "unable to read" in one.verdict for one in results)
    rows.append(
        Row(
            "reviews that failed",
            sum(one.conclusion == "failed" for one in results) - lost,
            0,
            beside=f"{lost} not in the clone",
        )
    )
    return rows


if __name__ == "__main__":
    sys.exit(main())
