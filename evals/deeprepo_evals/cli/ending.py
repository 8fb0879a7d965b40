"""How an experiment that goes on another time ends on the command line."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bot.cli.exits import CLEAN, FAULT, INTERRUPTED, tell
from deeprepo_evals.results import Ended, Row


def end(ended: Ended, out: Path | None, table: Callable[[Sequence[Row]], str]) -> int:
    """Print the table and what is missing; the exit code."""
    if ended.rows:
        sys.stdout.write(table(ended.rows) + "\n")
    for sentence in ended.why:
        tell(f"deeprepo: {sentence}")
    if not ended.left:
        return CLEAN
    again = f"the same command resumes from {out}" if out else "name a file with --out to go on another time"
    tell(f"deeprepo: {ended.left} not done{' (interrupted)' if ended.was_interrupted else ''}; {again}")
    return INTERRUPTED if ended.was_interrupted else FAULT
