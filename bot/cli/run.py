"""`deeprepo run`: show, prepare and test what a review would run."""

import tempfile
from typing import Annotated

import typer

from bot.cli.exits import CLEAN, FAULT, FOUND, finish, say, tell
from bot.cli.options import RepoFolder


def command(
    repo: RepoFolder = ".",
    prepare: Annotated[
        bool, typer.Option("--prepare", help="Run `run.prepare` at the base commit and keep what it installs.")
    ] = False,
    test: Annotated[
        str | None,
        typer.Option("--test", help="Run this test file of the repository as a review would.", metavar="FILE"),
    ] = None,
) -> int:
    """Show, prepare and try what `deeprepo review --run` runs in a sandbox. No model is asked.

    The section `run` is read from .deeprepo.yml of this folder, so that it can be tried before it is merged.
    Exit codes: 0, 1 if the test fails, 2 for a usage error, 3 if nothing could be run.
    """
    from bot.reproduction.container import SandboxRefused
    from bot.wiring import trying

    with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:
        try:
            if test is not None:
                result, outcome = finish(trying.run_test(repo, test, scratch, tell))
                say(outcome.output.rstrip("\n"))
                tell(f"{trying.RESULTS[result]} ({outcome.seconds:.1f} s)")
                return CLEAN if result == "green" else FOUND
            if prepare:
                tell(finish(trying.prepare(repo, scratch, tell)))
                return CLEAN
            rows, ready = finish(trying.explain(repo, scratch))
        except SandboxRefused as error:
            if error.output:
                say(error.output.rstrip("\n"))
            tell(f"deeprepo: {error}")
            return FAULT
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        say(f"{name:<{width}}  {value}")
    return CLEAN if ready else FAULT
