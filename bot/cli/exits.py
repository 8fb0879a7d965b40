"""Exit codes, and helpers with which commands print messages and run coroutines."""

import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
CLEAN, FOUND, USAGE, FAULT, INTERRUPTED = 0, 1, 2, 3, 130


def tell(text: str) -> None:
    """Print a message on standard error."""
    print(terminal_text(text), file=sys.stderr)  # noqa: T201 - the command line speaks


def say(text: str) -> None:
    """Print a result on standard output."""
    print(terminal_text(text))  # noqa: T201 - the command line speaks


def terminal_text(text: str) -> str:
    """Return a text that is safe to print. Control and invisible characters are replaced by visible escapes.

    Messages can quote text from anybody, such as a path, a journal or git's output.
    """
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    from bot.render.disarm import visible  # slow to import, and few messages need it

    return visible(text)


def finish(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a new event loop, and return its result."""
    import asyncio  # imported here, so that help pages appear faster

    return asyncio.run(work)
