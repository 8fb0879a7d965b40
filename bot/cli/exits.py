"""Exit codes, the one way to speak to the person at the terminal, and the one way to wait for what a command does."""

import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
CLEAN, FOUND, USAGE, FAULT, INTERRUPTED = 0, 1, 2, 3, 130


def tell(text: str) -> None:
    """Print a sentence on standard error."""
    print(terminal_text(text), file=sys.stderr)  # noqa: T201 - the command line speaks


def say(text: str) -> None:
    """Print an answer on standard output."""
    print(terminal_text(text))  # noqa: T201 - the command line speaks


def terminal_text(text: str) -> str:
    """Return a text that is safe to print: control and invisible characters become visible escapes.

    A sentence may quote anything: a path, a stranger's journal, a message from git.
    """
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    from bot.render.disarm import visible  # takes time to load, and few sentences need it

    return visible(text)


def finish(work: Coroutine[Any, Any, T]) -> T:
    """Run the work to its end and return what it returns. Its loop is loaded here: a page of help waits for nothing."""
    import asyncio

    return asyncio.run(work)
