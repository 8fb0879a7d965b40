"""`deeprepo eval export-journals`: recorded reviews as data to train on."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.exits import CLEAN, tell


class Role(StrEnum):
    """Whose calls."""

    root = "root"
    worker = "worker"
    verify = "verify"
    all = "all"


def command(
    journals: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Journals of `deeprepo review --journal`.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the examples are written, one JSON object a line.")],
    role: Annotated[Role, typer.Option(help="Whole dialogues of roots, or the single calls of others.")] = Role.root,
    min_coverage: Annotated[
        float, typer.Option(min=0, max=1, help="Only reviews that read this part of the units.")
    ] = 0.0,
    partial: Annotated[bool, typer.Option("--partial", help="Also reviews that were cut short.")] = False,
) -> int:
    """Turn journals into conversations in the chat format (messages, tools, meta), as supervised trainers read them.

    The reviewed code is in them: the file is its owner's alone.
    """
    from deeprepo_evals.train import journals as data

    roles = data.ROLES if role is Role.all else (role.value,)
    written = data.export(journals, out, data.ExampleFilter(roles, not partial, min_coverage))
    left = f"; {written.left_out} reviews left out" if written.left_out else ""
    tell(f"{written.examples} examples of {written.reviews} reviews are in {out}{left}")
    return CLEAN
