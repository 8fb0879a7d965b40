"""Every command, and the library that reads their options."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bot import __version__
from bot.cli import (
    action,
    agent_hook,
    config,
    consumers,
    estimate,
    fix,
    ignore,
    init,
    mcp,
    replay,
    review,
    running,
    serve,
    status,
    trace,
    worker,
)
from bot.cli.exits import INTERRUPTED, tell
from bot.errors import UsageError
from bot.machine import extras

GROUP = "deeprepo.commands"
ELSEWHERE = {"demo": "sandbox", "eval": "evals"}  # commands of other distributions, by the folder of each


class _Commands(TyperGroup):
    """The commands. Ctrl-C before there is a review to show: typer alone would leave without a word."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - of the command line's own library
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            tell("deeprepo: interrupted before anything was found")
            return INTERRUPTED


app = typer.Typer(
    name="deeprepo",
    cls=_Commands,
    help="Reviews a change by reading beyond the diff: every changed definition and everything that depends on it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def join(arguments: list[str]) -> None:
    """Add the commands of other distributions (entry points of the group `deeprepo.commands`) if one of them is asked for, or help."""
    known_names = {command.name for command in app.registered_commands} | {
        group.name for group in app.registered_groups
    }
    word = next((word for word in arguments if not word.startswith("-")), "")
    if word in known_names:
        return
    from importlib.metadata import entry_points

    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        if point.name not in known_names:
            command = point.load()
            if isinstance(command, typer.Typer):
                app.add_typer(command, name=point.name)
            else:
                app.command(name=point.name)(command)
            known_names.add(point.name)
    if word in ELSEWHERE and word not in known_names:
        folder = ELSEWHERE[word]
        raise UsageError(
            f"`deeprepo {word}` is a part of deeprepo that is not installed: {extras.install(folder=f'./{folder}')}"
        )


@app.callback(invoke_without_command=True)
def _main(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    if version:
        print(f"deeprepo {__version__}")  # noqa: T201 - the command line speaks
        raise typer.Exit
    from bot.config.settings import unknown_variables

    for sentence in unknown_variables():
        tell(f"warning: {sentence}")


app.command(name="review", cls=review.OneChange)(review.command)
app.command(name="estimate", cls=review.OneChange)(estimate.command)
for _name, _module in {
    "consumers": consumers,
    "config": config,
    "action": action,
    "fix": fix,
    "ignore": ignore,
    "init": init,
    "trace": trace,
    "replay": replay,
    "run": running,
    "mcp": mcp,
    "agent-hook": agent_hook,
    "serve": serve,
    "worker": worker,
    "status": status,
}.items():
    app.command(name=_name)(_module.command)
