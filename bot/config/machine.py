"""What this machine has set for other programs: their variables and their files."""

import os
from collections.abc import Iterable
from pathlib import Path


def variables(names: Iterable[str]) -> dict[str, str]:
    """Those of these variables that are set."""
    return {name: os.environ[name] for name in names if name in os.environ}


def beginning(path: str, most: int) -> bytes | None:
    """The first bytes of a file of this machine; None if it cannot be read."""
    try:
        with Path(path).expanduser().open("rb") as file:
            return file.read(most)
    except (OSError, RuntimeError, ValueError):
        return None
