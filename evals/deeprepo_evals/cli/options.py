"""Options that several experiments share."""

from pathlib import Path
from typing import Annotated

import typer

Worker = Annotated[str, typer.Option(metavar="MODEL", help="Worker model of all roots (default: scripted/reader).")]
Turns = Annotated[int, typer.Option(min=1, max=50, help="Maximum number of turns of a root.")]
Results = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="File for the results as JSON lines. If it exists, the run continues."),
]
Trace = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Record every call in this folder."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress line.")]
