"""The change that each build in the museum reviewed on the command line: the demo when the museum began.

It is stored as a Git bundle, because reviews and journals name its commits and the demo itself may change.
"""

import subprocess
from pathlib import Path

BUNDLE = Path(__file__).parent / "demo.bundle"


def build(folder: Path) -> None:
    """Create the repository in an empty folder, with `pull-request` checked out."""
    for words in (
        ("init", "--quiet", "--initial-branch", "pull-request"),
        ("fetch", "--quiet", "--update-head-ok", str(BUNDLE), "refs/heads/*:refs/heads/*"),
        ("reset", "--quiet", "--hard"),
    ):
        subprocess.run(("git", *words), cwd=folder, check=True)
