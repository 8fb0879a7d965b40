"""The change that the command line of each build in the museum has reviewed: the demonstration's, as it was on 24 November.

A bundle keeps it, because reviews and journals name its commits and the demonstration itself may change.
"""

import subprocess
from pathlib import Path

BUNDLE = Path(__file__).parent / "demo.bundle"


def build(folder: Path) -> None:
    """Make the repository in an empty folder, with `pull-request` checked out."""
    for words in (
        ("init", "--quiet", "--initial-branch", "pull-request"),
        ("fetch", "--quiet", "--update-head-ok", str(BUNDLE), "refs/heads/*:refs/heads/*"),
        ("reset", "--quiet", "--hard"),
    ):
        subprocess.run(("git", *words), cwd=folder, check=True)
