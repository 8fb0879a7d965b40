"""`deeprepo agent-hook`: list what a coding agent's change still needs before the agent stops."""

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
    """Answer the Stop hook of a coding agent, whose input is read from standard input.

    Reviews uncommitted work or, if there is none, the commits that HEAD adds to the default branch. While there
    are open findings, the answer is {"decision": "block", "reason": ...}, at most three times. Later, or if
    another review would find nothing new, there is no answer.
    """
    return stop_hook.answer(effort, fail_on)
