"""What the benches over cases and twins share: their arguments, and where cases are built."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from bot.errors import UsageError
from deeprepo_evals import public
from deeprepo_evals.reviews import build, run, score, table
from deeprepo_evals.reviews.cases import Case
from deeprepo_evals.reviews.matching import Place
from deeprepo_evals.reviews.outcome import MeasuredReview
from deeprepo_evals.reviews.reviewer import Reviewer
from deeprepo_evals.reviews.run import Plan


def parser(description: str | None) -> argparse.ArgumentParser:
    """The arguments of the benches over cases and twins."""
    told = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    told.add_argument("--cases", type=Path, default=public.CASES, help="default: the cases of this project")
    told.add_argument(
        "--repos", type=Path, default=public.REPOS, help="folder with a clone of each repository (see `make fetch`)"
    )
    told.add_argument("--only", action="append", help="case ID; prints no table. Repeatable")
    told.add_argument("--keep", type=Path, help="folder in which built repositories are kept and reused")
    return told


def ended(bench: Callable[[], int]) -> int:
    """The exit code of a bench: 2, with the sentence, if it lacks what it needs."""
    try:
        return bench()
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2


@contextmanager
def folder(keep: Path | None) -> Iterator[Path]:
    """Where repositories are built: kept, or thrown away afterwards."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="cases-") as scratch:
        yield Path(scratch)


def measured(
    asked: argparse.Namespace, found: Sequence[Case], reviewers: Sequence[Reviewer]
) -> tuple[tuple[MeasuredReview, ...], list[dict[str, object]]]:
    """Every case for which there is a clone, reviewed by each of them with an oracle in the model's place; and the figures, which are printed."""
    with folder(asked.keep) as built_in:
        plan = Plan(tuple(found), build.clones(found, asked.repos), tuple(reviewers), oracle=True, keep=built_in)
        done = asyncio.run(run.carry_out(plan, lambda _: None))
    for sentence in (*done.absent, *done.unbuilt_cases, *done.open):
        print(f"not measured: {sentence}")
    figures = score.figures(done.reviews, [Place()])
    print(table.text(figures), flush=True)
    return done.reviews, [asdict(figure) for figure in figures]
