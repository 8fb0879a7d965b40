"""The command line. Only this module converts errors to exit codes.

0  clean, or nothing to review
1  findings at or above --fail-on, or an incomplete review with --fail-on
2  usage error: an option, a revision or a setting is wrong
3  a provider, git or deeprepo itself failed, or no configured model could read anything
130  interrupted (what was found so far is shown)
"""

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from bot import __version__
from bot.cli.exits import CLEAN, FAULT, FOUND, INTERRUPTED, USAGE, finish, tell
from bot.errors import DeepRepoError, NothingToReview, UsageError

MIN_SIMILARITY = 0.85  # of a misspelled option to an option that is suggested


def run(arguments: list[str]) -> int:
    """Run a command line, and return its exit code. Errors are printed as a message."""
    try:
        code = _run_command(arguments)
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


def _run_command(arguments: list[str]) -> Any:  # noqa: ANN401 - what the command returns
    """Run the command, and return its result."""
    from bot.cli import commands

    return commands.app(arguments, standalone_mode=False)


def _report(error: Exception) -> int:
    """Print a message for one of typer's errors, or write a log for an internal error.

    Return the exit code.
    """
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        import difflib

        if near := getattr(error, "possibilities", None):  # typer's own suggestions are too different
            typed = str(getattr(error, "option_name", ""))
            error.possibilities = difflib.get_close_matches(typed, near, cutoff=MIN_SIMILARITY)  # type: ignore[attr-defined]
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
