"""`deeprepo agent-hook`: a coding agent that wants to stop is told what its change still needs. Without options it goes by `stop_hook` alone."""

from typing import Annotated

import typer

from bot.cli import options, stop_hook
from bot.levels import Severity


def command(
    effort: options.EffortOption = stop_hook.EFFORT,
    fail_on: Annotated[
        Severity, typer.Option("--fail-on", help="Findings at least this severe keep the agent going.")
    ] = stop_hook.FAIL_ON,
) -> int:
    """Answer the Stop hook of a coding agent, whose words are read from standard input.

    Uncommitted work is reviewed, or without any what HEAD adds to the default branch. While something is open the answer is
    {"decision": "block", "reason": ...}, three times at most; then, and where another round can add nothing, there is no answer.
    """
    return stop_hook.answer(effort, fail_on)
