"""Read the changed files, decide which to skip, split them into code regions, and render them."""

from bot.diff.read import SUBMODULE, is_unread, read
from bot.diff.render import FileDiff, excerpts, file_diffs, shortened
from bot.diff.rows import numbered_text

__all__ = [
    "SUBMODULE",
    "FileDiff",
    "excerpts",
    "file_diffs",
    "is_unread",
    "numbered_text",
    "read",
    "shortened",
]
