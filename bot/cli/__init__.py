"""The command line: flags in, exit code out. The only place where an error becomes an exit code.

0  clean, or nothing to review
1  findings at or above --fail-on, or, with it, a review that was cut off
2  usage error: an option, a revision or a setting is wrong
3  a provider, git or deeprepo itself failed, or no configured model could read anything
130  interrupted (what was found is shown)
"""

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from bot import __version__
from bot.cli import by_code
from bot.cli.exits import CLEAN, FAULT, FOUND, INTERRUPTED, USAGE, finish, tell
from bot.errors import DeepRepoError, NothingToReview, UsageError

ALIKE_OPTIONS = 0.85  # how similar a misspelled option has to be to the one that is suggested

if TYPE_CHECKING:
    from bot.cli.by_code import OptionsByCode


def run(arguments: list[str]) -> int:
    """Run the command line; every error becomes a sentence and an exit code here."""
    try:
        code = _carried_out(arguments)
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
    except Exception as error:  # noqa: BLE001 - the last door: a defect of ours must not end in a traceback
        return _outside(error)
    return code if isinstance(code, int) else CLEAN


def _carried_out(arguments: list[str]) -> Any:  # noqa: ANN401 - what the command returns
    """Carry it out. What a script asks often is answered without the library that reads options, which takes longer to load than the answer."""
    if arguments == ["--version"]:
        sys.stdout.write(f"deeprepo {__version__}\n")
        return CLEAN
    options = by_code.parse(arguments)
    if options is None and arguments != ["agent-hook"]:  # with which the plugin's hook answers an agent each time
        return _command(arguments)
    from bot.config.unknown import unknown_variables

    for sentence in unknown_variables():
        tell(f"warning: {sentence}")
    try:
        return _stop_hook() if options is None else _by_code(options)
    except KeyboardInterrupt:
        tell("deeprepo: interrupted before the review found anything")
        return INTERRUPTED


def _stop_hook() -> int:
    from bot.cli import stop_hook

    return stop_hook.answer()


def _by_code(options: "OptionsByCode") -> int:
    from bot import wiring
    from bot.checkout import typed
    from bot.cli import reviewing

    request = typed.read(options.change, ".", staged=options.staged, uncommitted=options.uncommitted)
    flags = {"effort": "none", "fail_on": options.fail_on, "local": reviewing.local(".")}
    with reviewing.workplace(request) as scratch, reviewing.progress(options.form, quiet=options.quiet) as say:
        review = finish(wiring.local_review(request, flags, scratch, say, warn=tell))
    code = reviewing.finish(review, options.form, fixable=reviewing.fixable(review))
    if code == FOUND and options.may_come_from_hook:
        reviewing.explain_hook_failure(review, push=not options.staged)
    return code


def _command(arguments: list[str]) -> Any:  # noqa: ANN401 - what the command returns
    from bot.cli import commands

    return commands.app(arguments, standalone_mode=False)


def _outside(error: Exception) -> int:
    """The parser's own errors, and defects of ours with a log to hand in."""
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        import difflib

        if near := getattr(error, "possibilities", None):  # short words resemble each other too easily
            typed = str(getattr(error, "option_name", ""))
            error.possibilities = difflib.get_close_matches(typed, near, cutoff=ALIKE_OPTIONS)  # type: ignore[attr-defined]
        message = str(error.format_message())
        errors = getattr(error.__cause__, "errors", None)  # of pydantic, whose words are for programmers
        if errors is not None:
            from bot.config import yaml_text

            first = errors()[0]
            message = message.replace(first["msg"], yaml_text.sentence(first))
        if type(error).__name__ == "NoArgsIsHelpError":  # a class that typer keeps to itself: nothing was typed
            tell(message)
            return USAGE
        if type(error).__name__ == "MissingParameter" and (help_text := getattr(error.param, "help", "")):  # type: ignore[attr-defined]
            message = f"{message.rstrip('.')}: {help_text}"  # says what it is and where it comes from
        about = getattr(error, "ctx", None)
        tell(f"deeprepo: {message}\nTry `{about.command_path if about else 'deeprepo'} --help`.")
        return USAGE
    import traceback

    from bot.machine import files

    lines = [f"deeprepo {__version__}, Python {sys.version}\n", *traceback.format_exception(error, chain=True)]
    log = files.temporary_log("".join(lines))
    tell(f"deeprepo: internal error ({type(error).__name__}). Please report it and attach {log}")
    return FAULT
