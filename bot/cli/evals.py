"""`deeprepo eval`: the experiments behind the project's claims, one command each."""

import typer

from bot.cli import (
    eval_context,
    eval_journals,
    eval_plant,
    eval_report,
    eval_reviewbench,
    eval_reviews,
    eval_roots,
    eval_traces,
    eval_train,
)

app = typer.Typer(
    name="eval",
    help="The experiments behind the claims: with scripted models that cost nothing, or with yours.",
    no_args_is_help=True,
)
app.command(name="context")(eval_context.command)
app.command(name="reviews")(eval_reviews.command)
app.command(name="reviewbench")(eval_reviewbench.command)
app.command(name="report")(eval_report.command)
app.command(name="plant")(eval_plant.command)
app.command(name="roots")(eval_roots.command)
app.command(name="train")(eval_train.command)
app.command(name="traces")(eval_traces.command)
app.command(name="export-journals")(eval_journals.command)
