"""Hints for errors whose text doesn't say what to write instead."""

import re

HINTS: tuple[tuple[str, str], ...] = (
    (
        r"No module named '(\w+(?:\.\w+)*)",
        "There is no network here, there are no processes, and {0} cannot be loaded. Write the parts that you need yourself.",
    ),
    (
        r"event loop|run_until_complete",
        "Write await at the top of the block, or asyncio.run(...): both work.",
    ),
    (r"f-string|\bf['\"][^\n]{0,200}#[^\n]{0,200}\n *\^+\nSyntaxError: '\{' was never closed", "Build the inner text first: part = d['k']; text = f'... {{part}} ...'."),
    (r"unterminated", "A quote is not closed. Put long text in a triple-quoted string, or build it from a list: '\\n'.join([...])."),
    (r"was never closed|unexpected EOF", "A bracket is not closed. Send the whole block again, or a shorter one."),
    (r"\n    [!%]", "A block can only contain Python. There is no shell, and no packages can be installed. The standard library is available."),
    (r"can't start new thread|BlockingIOError", "There are no threads here: functions that take a list already work in parallel."),
    (
        r"read\(\): |does not exist",
        "tree lists every path that read(), search() and ask() know.",
    ),
    (
        r"PermissionError|FileNotFoundError|Operation not permitted|KeyError: '(?:HOME|PATH|USER)'",
        "There are no files, no environment, no processes and no network here: everything is in the given names and functions.",
    ),
    (r"time limit", "The block computed for too long. Select first; waiting for workers is not counted."),
    (r"MemoryError", "The block took too much memory. Work on slices, not on copies of everything."),
)  # fmt: skip


def hint(error: str) -> str:
    """Return one sentence of help for an error, or "" if its own text says enough."""
    advice = next(((text, match) for pattern, text in HINTS if (match := re.search(pattern, error))), None)
    return advice[0].format(*advice[1].groups()) if advice else ""
