"""`deeprepo eval learn`: GRPO with a tiny policy on a CPU, under our reward and under the one that counts mentions."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import CLEAN, tell
from bot.cli.reviewing import progress
from deeprepo_evals.cli import options

MOST_SEEDS = 10


def command(
    out: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="Where the report, the figures and the rollouts are written."),
    ],
    seeds: Annotated[int, typer.Option(min=2, max=MOST_SEEDS, help="Policies under each reward.")] = 5,
    steps: Annotated[int, typer.Option(min=1, max=1_000, help="Steps of each policy.")] = 45,
    quiet: options.Quiet = False,
) -> int:
    """Train small policies (85,000 parameters) on the environment's tasks; needs torch and TRL: `make train CPU=1`.

    Run again, it goes on with the rollouts that it has kept.

    Exit codes: 0; 2 usage error.
    """
    from deeprepo_evals.train.small import policy, report, run
    from deeprepo_evals.train.small.plan import Plan

    policy.check()
    with progress(quiet=quiet) as say:
        done = run.carry_out(Plan(seeds=seeds, steps=steps), out, say)
    tell(f"the report is in {report.write(done, out)}")
    return CLEAN
