"""An excerpt for `test_additions`: what the team has written into NOTES.txt."""

from collections.abc import Container, Iterator, Sequence

from bot.context.usages import Pick
from bot.values import Unit


def pick(units: Sequence[Unit], shown_lines: Container[tuple[str, int]]) -> Iterator[Pick]:
    """The first line, if there is anything to read beside it."""
    if units and ("NOTES.txt", 1) not in shown_lines:
        yield Pick("NOTES.txt", 1, (), defines=True, title="a note of the team")
