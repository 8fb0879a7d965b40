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
from bot.cli import by_code
from bot.cli.exits import CLEAN, FAULT, FOUND, INTERRUPTED, USAGE, finish, tell
from bot.errors import DeepRepoError, NothingToReview, UsageError

MIN_SIMILARITY = 0.85  # of a misspelled option to an option that is suggested

if TYPE_CHECKING:
    from bot.cli.by_code import StaticReviewOptions


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
    """Run the command, and return its result.

    Commands that scripts and hooks run often are handled without typer, which takes longer to load than they
    run.
    """
    if arguments == ["--version"]:
        sys.stdout.write(f"deeprepo {__version__}\n")
        return CLEAN
    options = by_code.parse(arguments)
    if options is None:
        return _run_typer(arguments)
    from bot.config.unknown import unknown_variables

    for sentence in unknown_variables():
        tell(f"warning: {sentence}")
    try:
        return _static_review(options)
    except KeyboardInterrupt:
        tell("deeprepo: interrupted before the review found anything")
        return INTERRUPTED


def _static_review(options: "StaticReviewOptions") -> int:
    from bot import wiring
    from bot.checkout import typed
    from bot.cli import reviewing

    request = typed.read(options.change, ".", staged=options.staged, uncommitted=options.uncommitted)
    flags = {"effort": "none", "fail_on": options.fail_on}
    with reviewing.scratch_folder(request) as scratch, reviewing.progress(options.form, quiet=options.quiet) as say:
        review = finish(wiring.local_review(request, flags, scratch, say, warn=tell))
    code = reviewing.finish(review, options.form, fixable=reviewing.fixable(review))
    if code == FOUND and options.may_come_from_hook:
        reviewing.explain_hook_failure(review, push=not options.staged)
    return code


def _run_typer(arguments: list[str]) -> Any:  # noqa: ANN401 - what the command returns
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
