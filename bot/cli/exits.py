"""Exit codes, and the one way to speak to the person at the terminal."""

import sys

CLEAN, FOUND, USAGE, FAULT, INTERRUPTED = 0, 1, 2, 3, 130


def tell(text: str) -> None:
    """A sentence on standard error."""
    print(text, file=sys.stderr)  # noqa: T201 - the command line speaks
