"""Read the changed files, decide which to skip, split them into code regions, and render them."""

from bot.diff.read import read
from bot.diff.render import FileDiff, excerpts, file_diffs, followers, shortened
from bot.diff.show import numbered_text, rows
from bot.diff.skip import SUBMODULE, is_unread

__all__ = [
    "SUBMODULE",
    "FileDiff",
    "excerpts",
    "file_diffs",
    "followers",
    "is_unread",
    "numbered_text",
    "read",
    "rows",
    "shortened",
]
