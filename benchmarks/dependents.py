"""Dependents of real commits: against each language's own tool, and how long they take.

    python -m benchmarks.dependents --repos FOLDER [--scratch FOLDER] [--tools FOLDER] [--commits 40] [--only scrapy ...] [--skip-time]

--repos: a clone (bare or not) of each repository, as NAME, OWNER/NAME, OWNER+NAME or OWNER+NAME/repo. --tools: what
`make bench-truth` installs (grimp, TypeScript); go, a JDK and gcc are taken from PATH. A tool or a clone that is absent leaves its
rows unmeasured, which the table states.

Score: the files that each of the last commits changed (1 to 60 of the language that still exist) are asked about in HEAD's tree;
pairs (changed file, file that imports it) are pooled per language. A pair that the tool did not list counts as right only if the
source reports it in words that a rule without our code finds (`truth_plain`); the figure without this rule is beside it.
Go's truth names packages: a changed test file has no importers, and files of the same package count only where they import it.
"""

import argparse
import asyncio
import os
import posixpath
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.dependents_time import commits, git, git_folder, rows_of_time
from benchmarks.table import Row, report
from benchmarks.truth import SUBJECTS, Subject, Truth, told, tree_of
from benchmarks.truth_plain import plainly
from bot import dependents
from bot.checkout import Checkout
from bot.languages import LANGUAGES
from bot.values import ChangedFile, PullRequest

RECALL, PRECISION = 0.99, 0.95
SHOWN = 40  # false pairs of each sort


@dataclass(slots=True)
class Score:
    """Pairs, counted."""

    right: int = 0
    told: int = 0  # not listed by the tool, plainly in the source
    false: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """Of what the tool lists, the share that we find."""
        return self.right / max(1, self.right + len(self.missed))

    @property
    def precision(self) -> float:
        """Of what we say, the share that is right."""
        return (self.right + self.told) / max(1, self.right + self.told + len(self.false))

    @property
    def strict(self) -> float:
        """Of what we say, the share that the tool lists."""
        return self.right / max(1, self.right + self.told + len(self.false))

    def add(self, other: "Score") -> None:
        """Pool."""
        self.right, self.told = self.right + other.right, self.told + other.told
        self.false += other.false
        self.missed += other.missed


def main() -> int:
    """Score and time; the exit code says whether the promises hold."""
    asked = _arguments()
    asked.scratch.mkdir(parents=True, exist_ok=True)
    absent: list[str] = []
    rows = list(_scored(asked, absent))
    if not asked.skip_time:
        rows += rows_of_time(asked.repos, asked.scratch, asked.commits, absent)
    if not rows:
        print("nothing could be measured: " + "; ".join(absent), file=sys.stderr)
        return 2
    for line in absent:
        print(f"not measured: {line}")
    load = os.getloadavg()[0]
    print(f"load average {load:.1f} on {os.cpu_count()} cores\n")
    return report("dependents", rows, {"absent": absent, "load": load})


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--scratch", type=Path, default=Path(".cache/dependents"))
    parser.add_argument("--tools", type=Path, default=Path(".cache/truth"))
    parser.add_argument("--commits", type=int, default=40)
    parser.add_argument("--skip", type=int, default=0, help="leave out the newest commits: those that we tuned on")
    parser.add_argument("--only", nargs="*", default=[], help="names of repositories")
    parser.add_argument("--skip-time", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="print false and missed pairs")
    return parser.parse_args()


def _scored(asked: argparse.Namespace, absent: list[str]) -> Iterator[Row]:
    pooled: dict[str, Score] = {}
    for subject in SUBJECTS:
        if asked.only and subject.name not in asked.only:
            continue
        clone = git_folder(asked.repos, subject.clone)
        if clone is None:
            absent.append(f"{subject.name}: no clone")
            continue
        head = git(clone, "rev-parse", "HEAD").strip()
        truth = told(subject, clone, head, asked.scratch, asked.tools)
        if truth.absent:
            absent.append(f"{subject.name}: {truth.absent}")
            continue
        score, count = _score(subject, clone, head, truth, asked)
        pooled.setdefault(subject.language, Score()).add(score)
        print(
            f"{subject.name}: {count} commits, {score.right} pairs right, {score.told} plainly in the source, "
            f"{len(score.false)} false, {len(score.missed)} missed; recall {score.recall:.3f}, "
            f"precision {score.precision:.3f} ({score.strict:.3f} by the tool alone)",
            flush=True,
        )
        for sort, pairs in (("false", score.false), ("missed", score.missed)):
            for pair in sorted(set(pairs))[:SHOWN] if asked.verbose else ():
                print(f"   {sort} {pair}")
    for language, score in pooled.items():
        yield Row(f"{language}: recall", score.recall, RECALL, beside=f"{len(score.missed)} missed", least=True)
        beside = f"{score.strict:.3f} by the tool alone; {len(score.false)} false"
        yield Row(f"{language}: precision", score.precision, PRECISION, beside=beside, least=True)


def _score(subject: Subject, clone: Path, head: str, truth: Truth, asked: argparse.Namespace) -> tuple[Score, int]:
    score, tree = Score(), tree_of(subject, head, asked.scratch)
    asides: dict[tuple[str, str], str] = {}
    chosen = list(commits(clone, subject.suffixes, subject.prefix))[asked.skip : asked.skip + asked.commits]
    for _, files in chosen:
        found = asyncio.run(_direct(clone, head, files))
        for file in files:
            go = file.endswith(".go")
            if file.endswith("_test.go"):
                continue
            want = truth.edges.get(f"{posixpath.dirname(file) or '.'}/" if go else file, set())
            got = {path for path in found.get(file, ()) if _counts(path, subject, truth)}
            got = {path for path in got if not go or path in want or _apart(path, file)}
            score.right += len(got & want)
            score.missed += [f"{file} <- {path}" for path in want - got if path.startswith(subject.prefix)]
            for path in got - want:
                if (file, path) not in asides:
                    asides[file, path] = plainly(subject, tree, path, file)
                score.told += bool(asides[file, path])
                score.false += [] if asides[file, path] else [f"{file} <- {path}"]
    for why, count in Counter(filter(None, asides.values())).items():
        print(f"{subject.name}: {count} different pairs counted as right: {why}")
    return score, len(chosen)


def _apart(one: str, other: str) -> bool:
    return posixpath.dirname(one) != posixpath.dirname(other)


def _counts(path: str, subject: Subject, truth: Truth) -> bool:
    inside = path.startswith(subject.prefix) and path.endswith(subject.suffixes)
    return inside and (truth.known is None or path in truth.known)


async def _direct(clone: Path, head: str, files: Sequence[str]) -> dict[str, set[str]]:
    """Changed file -> the files that import it directly, through the product's own door."""
    pull = PullRequest("", "", head, head, "", "", str(clone))
    async with Checkout(pull) as tree:
        result = await dependents.find(tree, [ChangedFile(path, path, "modified") for path in files], LANGUAGES)
    found: dict[str, set[str]] = {}
    for row in result.files:
        if row.via is None:
            found.setdefault(row.target, set()).add(row.path)
    return found


if __name__ == "__main__":
    raise SystemExit(main())
