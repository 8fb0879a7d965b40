"""`deeprepo estimate` beside what reviews of the same change then send: with readers that ask nothing, and with readers that ask and find as recorded ones do.

    python -m benchmarks.estimated --repo CLONE [--repos FOLDER] [--cases FOLDER] [--only ID ...] [--peers FOLDER] [--steps N ...]

CLONE: of The-PR-Agent/pr-agent. With FOLDER of clones the large pairs among the cases are added, those for which there is a clone.
Every token of a prompt counts, as if nothing were cached; the answer's schema too.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import beside, labels, places
from benchmarks.table import Row, measured, report
from deeprepo_evals import public
from deeprepo_evals.reviews import build, case_files
from deeprepo_evals.reviews.cases import LARGE

HEAD = "90a3537a"
STEPS = {1: "7 files", 12: "42 files", 200: "281 files"}  # first-parent steps before it
WITHIN = 0.15
MODELS = ["--worker", "compatible/worker", "--root", "compatible/root"]


@dataclass(frozen=True, slots=True)
class Compared:
    """One change: the estimate, and what was sent by a reader that asks nothing and by one that asks."""

    change: str
    strategy: str
    least: int
    silent: int
    likely: int
    asking: int
    calls: tuple[int, ...]  # estimated; sent by both

    def rows(self) -> Iterator[Row]:
        """The change in the table."""
        yield self._row("reading alone", self.least, self.silent)
        yield self._row("with questions and opinions", self.likely, self.asking)

    def _row(self, what: str, estimated: int, sent: int) -> Row:
        off = estimated / sent - 1
        beside = f"{estimated:,} estimated, {sent:,} sent by {self.strategy}"
        return Row(f"estimate of {self.change}, {what}: off by", abs(off), WITHIN, beside=f"{beside}, {off:+.0%}")


def compared(change: str, repo: Path, ends: tuple[str, str], peers: Path | None) -> Compared:
    """Estimate one change and review it twice."""
    (silent, calls), _ = _reviewed(change, repo, ends, peers, "counted")
    (asking, more_calls), estimate = _reviewed(change, repo, ends, peers, "asking")
    name = estimate["strategy"]["name"]
    row = next(row for row in estimate["strategies"] if row["strategy"] == name)
    every_call = (row["calls"], calls, more_calls)
    return Compared(change, name, row["weighed"]["input"], silent, row["usage"]["input"], asking, every_call)


def _reviewed(
    change: str, repo: Path, ends: tuple[str, str], peers: Path | None, model: str
) -> tuple[tuple[int, int], dict[str, Any]]:
    """Tokens and calls of one review by this double, and what the estimate says of the change."""
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as scratch,
        beside.place(repo, ends, Path(scratch), model=model) as at,
    ):
        done = beside.ours(at, at.scratch / "review.json", root=True)()
        prompts = at.prompts()
        if done.status not in (0, 1) or not prompts:
            raise SystemExit(f"{change}: the review left with {done.status}:\n{done.out[-2000:]}")
        words = ["estimate", f"{beside.BASE}..{beside.HEAD}", "--repo", str(at.clone), "--format", "json", "--quiet"]
        said = measured([*beside.OURS, *words, *MODELS]).out if model == "asking" else "{}"
        return (beside.tokens(prompts, peers)[0], len(prompts)), json.loads(said[said.index("{") :])


def of_clone(clone: Path, peers: Path | None, steps: Sequence[int] = tuple(STEPS)) -> list[Compared]:
    """The changes of pr-agent's clone."""
    return [compared(STEPS.get(step, f"{step} steps"), clone, (f"{HEAD}~{step}", HEAD), peers) for step in steps]


def of_pairs(cases: Path, repos: Path, peers: Path | None, only: Sequence[str] = ()) -> list[Compared]:
    """The large pairs for which there is a clone, in the variant that breaks."""
    found = [case for case in case_files.read(cases, (LARGE,), only) if case.variant == "bad"]
    clones = build.clones(found, repos)
    done: list[Compared] = []
    for case in found:
        if case.id in clones:
            with tempfile.TemporaryDirectory(prefix="bench-") as folder:
                built = asyncio.run(build.build(case, clones[case.id], Path(folder)))
                done.append(compared(case.id.removesuffix("/bad"), built, ("base", "head"), peers))
                print(f"{asdict(done[-1])}", flush=True)
    return done


def mean_rows(found: Sequence[Compared]) -> Iterator[Row]:
    """Several changes in the table, by their means: an estimate is one."""
    if found:
        mean = {
            name: round(statistics.fmean(getattr(one, name) for one in found))
            for name in ("least", "silent", "likely", "asking")
        }
        calls = tuple(round(statistics.fmean(one.calls[at] for one in found)) for at in range(3))
        yield from Compared(f"{len(found)} large pairs, mean", "rlm", **mean, calls=calls).rows()


def main() -> int:
    """The exit code says whether the estimates are within what is promised."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path)
    parser.add_argument("--repos", type=Path)
    parser.add_argument("--cases", type=Path, default=public.CASES)
    parser.add_argument("--only", action="append", help="ids of pairs")
    parser.add_argument("--peers", type=Path, default=Path(places.PEERS))
    parser.add_argument("--steps", type=int, nargs="+", default=tuple(STEPS))
    asked = parser.parse_args()
    by_itself = of_clone(asked.repo, asked.peers, asked.steps) if asked.repo else []
    pairs = of_pairs(asked.cases, asked.repos, asked.peers, asked.only or ()) if asked.repos else []
    rows = [row for one in by_itself for row in one.rows()]
    every = [asdict(one) for one in (*by_itself, *pairs)]
    return report("estimated", [*rows, *mean_rows(pairs)], {"details": every})


if __name__ == "__main__":
    raise SystemExit(labels.ended(main))
