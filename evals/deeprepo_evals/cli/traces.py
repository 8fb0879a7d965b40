"""`deeprepo eval traces`: before and after a training, side by side, from the traces of both."""

import json
import sys
from typing import Annotated

import typer

from bot.cli.exits import CLEAN
from deeprepo_evals.cli.shape import Shape


def command(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME=FILE...", help="Traces of vf-eval (file or folder) or results of `eval train`, with a name."
        ),
    ],
    form: Annotated[Shape, typer.Option("--format", help="Form of the output.")] = Shape.table,
) -> int:
    """Reward, spread, turns, zero-delegation rate, tokens and n of each set of rollouts, and what the last gained over the first.

    Example: deeprepo eval traces before=outputs/base after=outputs/step-99
    """
    from deeprepo_evals.train import table, table_options

    columns = table_options.columns(files)
    if form is Shape.json:
        sys.stdout.write(json.dumps(table.document(columns), indent=1) + "\n")
    else:
        sys.stdout.write(table.text(columns) + "\n")
    return CLEAN
