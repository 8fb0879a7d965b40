"""Who else is given the lines of a journal as they are written."""

from typing import Protocol

from bot.journal.codec import Row


class Watch(Protocol):
    """A listener that gets each line as it is written."""

    def __call__(self, row: Row) -> None:
        """One line."""

    def close(self) -> None:
        """There are no more."""


class Keep(Protocol):
    """A second place for the lines, which outlives this machine. The file is brought up to date from it before it is opened."""

    def put(self, text: str) -> None:
        """Take a line on; nobody waits."""

    async def wait_stored(self) -> None:
        """Return once every line that was taken on is on disk there."""
