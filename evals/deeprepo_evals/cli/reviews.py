"""`deeprepo eval reviews`: pull requests with known defects in, recall, noise and cost out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

from bot import levels
from bot.cli.exits import CLEAN, FAULT, INTERRUPTED, tell
from bot.cli.reviewing import progress
from bot.errors import UsageError
from deeprepo_evals import public
from deeprepo_evals.cli import options

if TYPE_CHECKING:
    from deeprepo_evals.reviews.review_options import ReviewOptions


RESULTS = Path("eval-reviews.jsonl")  # of reviews that cost money, where no file is named
FREE = frozenset({"offline"})
Form = Literal["table", "json"]
Cases = Annotated[
    Path, typer.Option(metavar="FOLDER", help="Folder with case files, and with pairs in `twins` and `large`.")
]
Repos = Annotated[
    Path, typer.Option(metavar="FOLDER", help="Folder with a clone of each repository (see `eval fetch`).")
]
Kind = Annotated[
    str, typer.Option(metavar="KIND,...", help="natural, omit, clean, martian, twins, large (default: all).")
]
Only = Annotated[list[str] | None, typer.Option(metavar="ID", help="Only this case. Repeatable.")]
Strategy = Annotated[
    list[str] | None,
    typer.Option(
        metavar=f"[{'|'.join(get_args(levels.Strategy))}]",
        help="Strategies to compare (default: parts).",
    ),
]
Baseline = Annotated[
    str | None, typer.Option(metavar="diff-only", help="Also measure one call that sees only the diff.")
]
Root = Annotated[str | None, typer.Option(metavar="PROVIDER/MODEL", help="The root model, which directs the review.")]
Worker = Annotated[
    str | None,
    typer.Option(metavar="PROVIDER/MODEL", help="The worker model, usually a cheaper one, which reads the code."),
]
MaxUsd = Annotated[float | None, typer.Option(min=0, help="Spending limit for one review, in dollars.")]
Verify = Annotated[bool | None, typer.Option("--verify/--no-verify", help="Whether findings are confirmed.")]
Quota = Annotated[int | None, typer.Option(min=0, help="Findings shown in full (default: 4).")]
Oracle = Annotated[
    bool,
    typer.Option(
        "--oracle", help="Use no model, but a script that knows the defects and reports those that its prompt proves."
    ),
]
Judge = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PROVIDER/MODEL", help="Model that decides whether two texts describe the same problem. At most two."
    ),
]
Rounds = Annotated[int, typer.Option(min=1, help="Number of reviews per case. Use 3 to measure a model.")]
AtOnce = Annotated[int, typer.Option(min=1, help="Number of parallel reviews.")]
Keep = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="Folder in which rebuilt cases are kept for the next run.")
]
Journals = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="Keep each review's journal, so that no call is paid for twice.")
]
Shape = Annotated[Form, typer.Option("--format", help="Output format.")]


def command(
    cases: Cases = public.CASES,
    repos: Repos = public.REPOS,
    kind: Kind = "",
    only: Only = None,
    strategy: Strategy = None,
    baseline: Baseline = None,
    root: Root = None,
    worker: Worker = None,
    max_usd: MaxUsd = None,
    verify: Verify = None,
    quota: Quota = None,
    oracle: Oracle = False,
    judge: Judge = None,
    rounds: Rounds = 1,
    at_once: AtOnce = 1,
    out: options.Results = None,
    keep: Keep = None,
    journals: Journals = None,
    form: Shape = "table",
    quiet: options.Quiet = False,
) -> int:
    """Review pull requests with known defects. Each kind has its own score; that of the twins matters most.

    Exit codes: 0 done; 2 usage error; 3 some reviews did not finish; 130 interrupted (finished reviews are kept).
    """
    from deeprepo_evals.reviews.review_options import ReviewOptions

    names = tuple(strategy or ())
    if unknown := sorted({*names} - {*get_args(levels.Strategy)}):
        raise UsageError(f"unknown strategy {unknown[0]!r}: known are {', '.join(get_args(levels.Strategy))}")
    free = oracle or (bool(names) and not baseline and {*names} <= FREE)
    asked = ReviewOptions(
        cases=cases,
        repos=repos,
        kinds=tuple(filter(None, (name.strip() for name in kind.split(",")))),
        only=tuple(only or ()),
        strategies=names,
        baseline=baseline,
        flags={"root": root, "worker": worker, "usd": max_usd, "verify": verify, "quota": quota},
        oracle=oracle,
        judges=tuple(judge or ()),
        rounds=rounds,
        at_once=at_once,
        out=out if out or free else _results_path(RESULTS),
        keep=keep,
        journals=journals,
    )
    return _carried_out(asked, as_json=form == "json", quiet=quiet)


def _results_path(path: Path) -> Path:
    """Where a run that costs money keeps its results if nothing else is said."""
    tell(f"The results are kept in {path}.")
    return path


def _carried_out(options: "ReviewOptions", *, as_json: bool, quiet: bool) -> int:
    import asyncio
    import sys

    from deeprepo_evals.reviews import review_options as steps

    if options.out is not None and options.out.is_dir():
        raise UsageError(f"{options.out} cannot be written: it is a folder")
    try:
        with progress(quiet=quiet) as say:
            told = asyncio.run(steps.carry_out(options, say))
    except KeyboardInterrupt:
        kept = (
            f"what is finished is kept in {options.out}: the same command goes on"
            if options.out
            else "nothing was kept: name a file with --out"
        )
        tell(f"deeprepo: interrupted; {kept}")
        return INTERRUPTED
    sys.stdout.write(told.as_json() if as_json else told.text())
    for sentence in told.sentences:
        tell(sentence)
    return FAULT if told.open else CLEAN
