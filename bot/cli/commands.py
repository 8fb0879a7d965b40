"""Every command, and the library that reads their options. A command is loaded when it is asked for: help and completion load none."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bot import __version__
from bot.cli import hooks
from bot.cli.exits import INTERRUPTED, tell
from bot.errors import UsageError

GROUP = "deeprepo.commands"  # entry points: commands of other distributions
ELSEWHERE = {"demo": "./sandbox", "eval": "./sandbox ./evals"}  # of them ours, by the folders of each
OF_ONE_CHANGE = ("review", "estimate")
OF_FEATURES = {command.name: command for command in hooks.commands()}
ABOUT = {  # command -> what the page of help says of it
    "review": "Review a branch, a range of commits, or staged or uncommitted work.",
    "estimate": "Estimate the model calls, tokens and cost of a review. Needs no key.",
    "config": "Print the settings that a review of this repository uses.",
    "action": "Review a pull request in a GitHub Actions workflow.",
    "fix": "Apply the fixes for a review's findings to the work tree.",
    "init": "Add a pull-request review workflow to a repository.",
    "trace": "Show what a recorded review did, turn by turn, and what it cost.",
    "replay": "Reproduce a recorded review without calling a model.",
    **{name: command.about for name, command in OF_FEATURES.items()},
    "mcp": "Serve coding agents over the Model Context Protocol.",
    "agent-hook": "Run as a coding agent's Stop hook.",
    "serve": "Run the server that receives GitHub webhooks and posts reviews.",
    "worker": "Run an extra worker for a server that stores its jobs in PostgreSQL.",
    "status": "Show what the server on this machine is doing, and what it costs.",
    "demo": "Try the bot on a pull request on a simulated GitHub.",
    "eval": "Repeat the experiments behind the published figures.",
}


class _Loaded(Mapping[str, Any]):
    """The commands by name, each loaded when it is looked up. Other distributions may have more than are listed."""

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - of the command line's own library
        command = _load(name)
        if command is None:
            raise KeyError(name)
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(ABOUT)

    def __len__(self) -> int:
        return len(ABOUT)


class _Commands(TyperGroup):
    """The commands.

    If Ctrl-C is pressed before there is a review, they print a message, which typer wouldn't do.
    """

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - of the command line's own library
        super().__init__(**settings)
        self.commands = _Loaded()  # type: ignore[assignment]  # nothing is added to it

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 - as above
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002 - as above
        with formatter.section("Commands"):
            formatter.write_dl(list(ABOUT.items()))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - as above
        word = args[0]
        if word in ELSEWHERE and word not in self.commands:
            from bot.machine import extras

            remedy = extras.install(folder=ELSEWHERE[word])
            raise UsageError(f"`deeprepo {word}` is not installed: {remedy}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - as above
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            tell("deeprepo: interrupted before the review found anything")
            return INTERRUPTED


app = typer.Typer(
    name="deeprepo",
    cls=_Commands,
    help="Review a change beyond its diff: every changed definition and all the code that depends on it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # a page of help loads no library that draws
    context_settings={"help_option_names": ["-h", "--help"]},
)


@cache
def _load(name: str) -> Any:  # noqa: ANN401 - of the command line's own library
    """Load a command with its options; None if no command has this name."""
    if name in ABOUT and name not in ELSEWHERE:
        of_feature = OF_FEATURES.get(name)
        module = import_module(of_feature.module if of_feature else f"bot.cli.{name.replace('-', '_')}")
        return _with_options(name, module.command)
    from importlib.metadata import entry_points  # slow: it looks at every installed distribution

    for point in entry_points(group=GROUP, name=name):
        found = point.load()
        return typer.main.get_group(found) if isinstance(found, typer.Typer) else _with_options(name, found)
    return None


def _with_options(name: str, command: Callable[..., Any]) -> Any:  # noqa: ANN401 - as above
    from bot.cli.options import OneChange

    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    kind = OneChange if name in OF_ONE_CHANGE else None
    alone.command(name=name, cls=kind, short_help=ABOUT.get(name))(command)
    return typer.main.get_command(alone)


@app.callback(invoke_without_command=True)
def _main(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    if version:
        print(f"deeprepo {__version__}")  # noqa: T201 - the command line speaks
        raise typer.Exit
    from bot.config.unknown import unknown_variables

    for sentence in unknown_variables():
        tell(f"warning: {sentence}")
