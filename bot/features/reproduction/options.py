"""The option `--run` of `deeprepo review`."""

from typing import Annotated

import typer

RunTests = Annotated[
    bool | None,
    typer.Option(
        "--run/--no-run",
        help="Let tests that a model writes run in a sandbox, if .deeprepo.yml of the base branch has a section `run`.",
    ),
]
