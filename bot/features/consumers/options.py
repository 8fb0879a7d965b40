"""The command-line option that names clones of repositories that use the reviewed one."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from bot.errors import UsageError

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
