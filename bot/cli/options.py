"""The options of `deeprepo review` and of commands that take its arguments, as parameter types."""

import inspect
from collections.abc import Callable, Sequence
from copy import copy
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from bot.errors import GitError, UsageError
from bot.levels import ReviewEffort, Strategy
from deeprepo.rlm.values import Effort


class Show(StrEnum):
    """Values of --show."""

    unproven = "unproven"
    all = "all"


SHOW_HELP = "Also show findings that were not confirmed (unproven), or every list in full (all)."
RepoFolder = Annotated[str, typer.Option(help="The git repository to use.", metavar="DIR")]
Staged = Annotated[bool, typer.Option("--staged", help="Review staged changes (the index).")]
Uncommitted = Annotated[
    bool, typer.Option("--uncommitted", help="Review all uncommitted changes, including new files.")
]
EffortOption = Annotated[
    ReviewEffort | None,
    typer.Option(
        help="How much models do (default: medium). none: only static checks; low: one model pass; medium: a root model "
        "reads the change and searches the repository; high: with more turns, and every finding is confirmed."
    ),
]
RootModel = Annotated[
    str | None, typer.Option(metavar="PROVIDER/MODEL", help="The root model, which directs the review.")
]
WorkerModel = Annotated[
    str | None,
    typer.Option(metavar="PROVIDER/MODEL", help="The worker model, usually a cheaper one, which reads the code."),
]
Thinking = Annotated[
    Effort | None, typer.Option(help="How long reasoning models may think (default: low; medium for the root model).")
]
StrategyOption = Annotated[Strategy | None, typer.Option(hidden=True)]  # for comparisons: docs/effort.md
MaxUsd = Annotated[float | None, typer.Option(min=0, help="Spending limit in dollars (default: 1.00).")]
Verify = Annotated[
    bool | None,
    typer.Option(
        "--verify/--no-verify", help="Confirm models' findings by one more call before they can fail the check."
    ),
]
Previous = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="JSON output of the last review of this change. Only newer changes are reviewed."
    ),
]
Full = Annotated[
    bool, typer.Option("--full", help="With --previous: review everything again and repeat every open finding.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress line.")]


def accept_options_of(other: Callable[..., int]) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Make a command accept all options of `other`. Options without a parameter are hidden and ignored."""

    def widen(command: Callable[..., int]) -> Callable[..., int]:
        signature = inspect.signature(command)
        others = inspect.signature(other).parameters
        hidden = [_hide(given) for name, given in others.items() if name not in signature.parameters]

        @wraps(command)
        def call(**arguments: Any) -> int:  # noqa: ANN401 - as they come from the command line
            return command(**{name: arguments[name] for name in signature.parameters})

        call.__signature__ = signature.replace(parameters=[*signature.parameters.values(), *hidden])  # type: ignore[attr-defined]
        call.__annotations__ = command.__annotations__ | {given.name: given.annotation for given in hidden}
        return call

    return widen


def _hide(parameter: inspect.Parameter) -> inspect.Parameter:
    kind, option = get_args(parameter.annotation)
    option = copy(option)
    option.hidden = True
    return parameter.replace(annotation=Annotated[kind, option])


def git_output(folder: Path, *words: str) -> str:
    """Return the output of a git command in a clone, or "" if it fails.

    No program that the clone configures or contains is started.
    """
    from bot.checkout import git
    from bot.cli.exits import finish

    try:
        done = finish(git.run(*words, cwd=str(folder), personal=True))
    except GitError:
        return ""
    return done.out.decode("utf-8", "replace") if done.status == 0 else ""


def work_tree_top(folder: Path) -> Path:
    """Return the top folder of the work tree. Raises UsageError if there is none."""
    from bot.checkout.own_git_dir import locate

    top = locate(str(folder)).top
    if top is None:
        raise UsageError(f"{folder} is a bare repository without files. Pass a checkout with --repo")
    return Path(top)


RunTests = Annotated[
    bool | None,
    typer.Option(
        "--run/--no-run",
        help="Let tests that a model writes run in a sandbox, if .deeprepo.yml of the base branch has a section `run`.",
    ),
]


ConsumerClones = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="PATH",
        help="A clone of a repository that uses this one, as PATH or PATH@REVISION. Anything that the change breaks there is reported. Repeatable.",
    ),
]


def clones(places: Sequence[str] | None) -> tuple[str, ...]:
    """Return the paths given with `--with`. Raises UsageError if one of them does not exist."""
    for place in places or ():
        if not Path(place).exists() and not Path(place.rpartition("@")[0] or place).exists():
            raise UsageError(f"--with {place}: this folder does not exist")
    return tuple(places or ())
