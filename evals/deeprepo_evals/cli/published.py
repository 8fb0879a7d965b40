"""`deeprepo eval martian`, `aacr` and `reviewbench`: published benchmarks, with their own judge and their published results."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import CLEAN, FAULT, tell
from bot.cli.options import EffortOption
from bot.cli.reviewing import progress
from deeprepo_evals import public
from deeprepo_evals.cli import options

OPUS = "anthropic_claude-opus-4-5-20251101"


class Reviewer(StrEnum):
    """Who reviews."""

    deeprepo = "deeprepo"
    diff_only = "diff-only"


Data = Annotated[
    Path,
    typer.Argument(metavar="CLONE", help="A clone of the benchmark. For reviewbench, a folder with labels also works."),
]
Repos = Annotated[Path, typer.Option(metavar="FOLDER", help="Clones of the reviewed repositories.")]
Reviewers = Annotated[
    list[Reviewer] | None,
    typer.Option(help="Reviewer. Repeatable (default: both; with --effort none, only deeprepo)."),
]
Only = Annotated[
    list[str] | None, typer.Option(metavar="ID", help="Only this pull request, as OWNER-NAME-NUMBER. Repeatable.")
]
Exact = Annotated[
    bool, typer.Option("--exact", help="Skip pull requests without the commit that the comments are about.")
]
Root = Annotated[str | None, typer.Option(metavar="PROVIDER/MODEL", help="The root model, which directs the review.")]
Worker = Annotated[str | None, typer.Option(metavar="PROVIDER/MODEL", help="The worker model.")]
MaxUsd = Annotated[float | None, typer.Option(min=0, help="Spending limit for one review, in dollars.")]
Judge = Annotated[str, typer.Option(metavar="PROVIDER/MODEL", help="The model that acts as the benchmark's judge.")]
Quota = Annotated[int | None, typer.Option(min=0, help="Findings shown in full (default: 4).")]
Rounds = Annotated[int, typer.Option(min=1, help="Number of our reviews per pull request. Use 3 to measure a model.")]
Readings = Annotated[
    int,
    typer.Option(min=1, help="Number of plain calls per diff. Several calls are also merged into one result."),
]
Peers = Annotated[str, typer.Option(metavar="JUDGE", help="Judge whose published results for other tools are shown.")]
AtOnce = Annotated[int, typer.Option(min=1, help="Number of parallel reviews.")]
Out = Annotated[
    Path, typer.Option(metavar="FILE", help="File for the results as JSON lines. If it exists, the run continues.")
]
Journals = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Folder in which each review's journal is kept.")]


def command_of(name: str, about: str, plain_calls: int = 1) -> Callable[..., int]:
    """The command of one benchmark."""

    def command(
        data: Data,
        repos: Repos = public.REPOS,
        reviewer: Reviewers = None,
        only: Only = None,
        exact: Exact = False,
        effort: EffortOption = None,
        root: Root = None,
        worker: Worker = None,
        max_usd: MaxUsd = None,
        quota: Quota = None,
        rounds: Rounds = 1,
        readings: Readings = plain_calls,
        judge: Judge = "",
        peers: Peers = OPUS,
        at_once: AtOnce = 1,
        out: Out = Path(f"eval-{name}.jsonl"),
        journals: Journals = None,
        quiet: options.Quiet = False,
    ) -> int:
        import asyncio

        from deeprepo_evals.published import run
        from deeprepo_evals.published.desk import Options

        chosen = reviewer or ([Reviewer.deeprepo] if effort == "none" else list(Reviewer))
        asked = Options(
            data=data,
            repos=repos,
            reviewers=tuple(map(str, chosen)),
            flags={"effort": effort or "medium", "root": root, "worker": worker, "usd": max_usd, "quota": quota},
            only=tuple(only or ()),
            exact=exact,
            peers=peers,
            judge=judge,
            rounds=rounds,
            readings=readings,
            at_once=at_once,
            out=out,
            journals=journals,
        )
        with progress(quiet=quiet) as say:
            told = asyncio.run(run.carry_out(name, asked, say))
        print(told.table)  # noqa: T201 - the command line speaks
        for sentence in told.sentences:
            tell(sentence)
        return FAULT if told.open else CLEAN

    command.__doc__ = f"{about}\n\nExit codes: 0 done; 2 usage error; 3 something did not finish, so run it again."
    return command
