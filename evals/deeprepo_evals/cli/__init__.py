"""`deeprepo eval`: the experiments behind the project's claims, one command each."""

import typer

from deeprepo_evals.cli import (
    consumers,
    context,
    converge,
    fetch,
    forgotten_callers,
    learn,
    published,
    reviews,
    roots,
    train,
)

app = typer.Typer(
    name="eval",
    help="Repeat the experiments behind the published figures, with free scripted models or your own models.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command(name="context")(context.command)
app.command(name="consumers")(consumers.command)
app.command(name="converge")(converge.command)
app.command(name="fetch")(fetch.command)
app.command(name="forgotten")(forgotten_callers.command)
app.command(name="reviews")(reviews.command)
app.command(name="roots")(roots.command)
app.command(name="train")(train.command)
app.command(name="learn")(learn.command)
app.command(name="martian")(
    published.command_of(
        "martian", "Review pull requests of Martian's code review benchmark, and compare with its published tools."
    )
)
app.command(name="aacr")(
    published.command_of(
        "aacr",
        "Review pull requests of AACR-Bench. Shows results by context level, and for comments that people rejected.",
    )
)
app.command(name="reviewbench")(
    published.command_of(
        "reviewbench",
        "Review pull requests of ReviewBench, and compare with one or several plain model calls.",
        3,
    )
)
