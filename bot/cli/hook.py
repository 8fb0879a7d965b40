"""The command lines of our hooks, read without the library that reads every other one: it loads longer than such a review takes."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HookOptions:
    """What a hook's command line asks for."""

    staged: bool
    fail_on: str | None
    quiet: bool


def parse(arguments: Sequence[str]) -> HookOptions | None:
    """Return the options, if this is `review --effort none` with nothing but --staged, --fail-on LEVEL and --quiet; else None.

    The long way reads every other command line, and reports what is wrong with it.
    """
    if not arguments or arguments[0] != "review":
        return None
    from bot.values import SEVERITIES  # here: what is no review loads less

    staged = quiet = False
    values: dict[str, str] = {}
    rest = iter(arguments[1:])
    for word in rest:
        if word == "--staged":
            staged = True
        elif word in ("--quiet", "-q"):
            quiet = True
        elif word in ("--effort", "--fail-on"):
            values[word] = next(rest, "")
        else:
            return None
    level = values.get("--fail-on")
    if values.get("--effort") != "none" or level not in (None, *SEVERITIES):
        return None
    return HookOptions(staged, level, quiet)
