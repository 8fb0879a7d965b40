"""The typer application with all commands. A command's module is only imported when the command runs.

So help and completion don't import any of them.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bot import __version__
from bot.cli.exits import CLEAN, FAULT, INTERRUPTED, USAGE, tell
from bot.errors import DeepRepoError, NothingToReview, UsageError

GROUP = "deeprepo.commands"  # the entry points of commands from other distributions
# Our commands from other distributions, with the folders of the clone to install
OTHER_DISTRIBUTIONS = {"demo": "./sandbox", "eval": "./sandbox ./evals"}
SUMMARIES = {  # by command, in the order of the help page
    "review": "Review a branch, a range of commits, or staged or uncommitted work.",
    "estimate": "Estimate the model calls, tokens and cost of a review. Needs no key.",
    "config": "Print the settings that a review of this repository uses.",
    "action": "Review a pull request in a GitHub Actions workflow.",
    "fix": "Apply the fixes for a review's findings to the work tree.",
    "init": "Add a pull-request review workflow to a repository.",
    "consumers": "List the repositories that use this one, and what they use.",
    "run": "Set up and test the sandbox commands that `review --run` uses.",
    "mcp": "Serve coding agents over the Model Context Protocol.",
    "serve": "Run the server that receives GitHub webhooks and posts reviews.",
    "worker": "Run an extra worker for a server that stores its jobs in PostgreSQL.",
    "status": "Show what the server on this machine is doing, and what it costs.",
    "demo": "Try the bot on a pull request on a simulated GitHub.",
    "eval": "Repeat the experiments behind the published figures.",
}


class _LazyCommands(Mapping[str, Any]):
    """The commands by name. A command is imported when it is looked up, even if it is not in `SUMMARIES`."""

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - a typer command
        command = _load(name)
        if command is None:
            raise KeyError(name)
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(SUMMARIES)

    def __len__(self) -> int:
        return len(SUMMARIES)


class _Commands(TyperGroup):
    """The group of all commands. After Ctrl-C, it prints a message and exits with 130."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - passed on to typer
        super().__init__(**settings)
        self.commands = _LazyCommands()  # type: ignore[assignment]  # typer would expect a mutable mapping

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 - as above
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002 - as above
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - as above
        word = args[0]
        if word in OTHER_DISTRIBUTIONS and word not in self.commands:
            from bot.machine import extras

            remedy = extras.install(folder=OTHER_DISTRIBUTIONS[word])
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
    rich_markup_mode=None,  # so that help pages don't load rich
    context_settings={"help_option_names": ["-h", "--help"]},
)


@cache
def _load(name: str) -> Any:  # noqa: ANN401 - a typer command
    if name in SUMMARIES and name not in OTHER_DISTRIBUTIONS:
        module = import_module(f"bot.cli.{name}")
        return _as_typer_command(name, module.command)
    from importlib.metadata import entry_points  # slow, because it reads every installed distribution

    for point in entry_points(group=GROUP, name=name):
        found = point.load()
        return typer.main.get_group(found) if isinstance(found, typer.Typer) else _as_typer_command(name, found)
    return None


def _as_typer_command(name: str, command: Callable[..., Any]) -> Any:  # noqa: ANN401 - as above
    app_of_one = typer.Typer(add_completion=False, rich_markup_mode=None)
    app_of_one.command(name=name, short_help=SUMMARIES.get(name))(command)
    return typer.main.get_command(app_of_one)


@app.callback(invoke_without_command=True)
def _main(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
) -> None:
    if version:
        from bot.machine import build

        print(f"deeprepo {build.name()}")  # noqa: T201 - the command line speaks
        raise typer.Exit
    from bot.config.settings import other_variables

    if others := other_variables():
        from bot.config.reference import unknown_variables

        for sentence in unknown_variables(others):
            tell(f"warning: {sentence}")


def main(arguments: list[str]) -> int:
    """Run a command line, and return its exit code. Errors are printed as a message."""
    try:
        code = app(arguments, standalone_mode=False)
    except NothingToReview as outcome:
        tell(str(outcome))
        return CLEAN
    except UsageError as error:
        tell(f"deeprepo: {error}")
        return USAGE
    except DeepRepoError as error:
        tell(f"deeprepo: {error}")
        return FAULT
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output went away, as `| head` does
        return CLEAN
    except Exception as error:  # noqa: BLE001 - users see a message instead of a traceback
        return _report(error)
    return code if isinstance(code, int) else CLEAN


def _report(error: Exception) -> int:
    """Report one of typer's errors or an internal error, and return the exit code."""
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        message = str(error.format_message())
        errors = getattr(error.__cause__, "errors", None)  # pydantic's messages are for programmers
        if errors is not None:
            from bot.config import yaml_text

            first = errors()[0]
            message = message.replace(first["msg"], yaml_text.sentence(first))
        # Typer doesn't export this class; there were no arguments
        if type(error).__name__ == "NoArgsIsHelpError":
            tell(message)
            return USAGE
        if type(error).__name__ == "MissingParameter" and (help_text := getattr(error.param, "help", "")):  # type: ignore[attr-defined]
            message = f"{message.rstrip('.')}: {help_text}"  # explains what the missing argument is
        about = getattr(error, "ctx", None)
        tell(f"deeprepo: {message}\nTry `{about.command_path if about else 'deeprepo'} --help`.")
        return USAGE
    import traceback

    from bot.machine import files

    lines = [f"deeprepo {__version__}, Python {sys.version}\n", *traceback.format_exception(error, chain=True)]
    log = files.temporary_log("".join(lines))
    tell(f"deeprepo: internal error ({type(error).__name__}). Please report it and attach {log}")
    return FAULT
