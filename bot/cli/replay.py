"""`deeprepo replay`: reproduce a recorded review byte for byte, without network access."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import finish
from bot.cli.options import SHOW_HELP, Show
from bot.outputs import Format


def command(
    journal: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A recorded review. To record one, run `deeprepo review --journal FILE`."),
    ],
    repo: Annotated[
        str | None,
        typer.Option(help="A clone that contains the change, if the original no longer exists.", metavar="DIR"),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="Output format.")] = "console",
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to this file instead of standard output.")
    ] = None,
    show: Annotated[list[Show] | None, typer.Option(help=SHOW_HELP)] = None,
) -> int:
    """Reproduce a recorded review from its journal and the repository's objects.

    Nothing is sent.

    Exit codes: those of the review (0, 1, 3); 2 if FILE contains no review; 3 if the replay differs from the
    record.
    """
    from bot import wiring
    from bot.cli.reviewing import deliver, exit_code
    from bot.machine import build
    from bot.review.journal import replay
    from deeprepo.rlm.errors import ReplayDiffers

    record, section, start = replay.last_finished(journal)
    try:
        with tempfile.TemporaryDirectory(prefix="deeprepo-") as scratch:
            review = finish(wiring.replay(record, section, start, scratch, repo))
    except ReplayDiffers as error:
        if start.version == build.name():
            raise
        raise ReplayDiffers(
            f"another build (deeprepo {start.version}) recorded this review, so this one ({build.name()}) may ask or report "
            f"something else: {error}"
        ) from error
    deliver(review, form, output, show=show or ())
    return exit_code(review)
