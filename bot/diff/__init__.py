"""A change's files, the rules for skipping some of them, and the code regions of a review."""

from bot.diff.read import read
from bot.diff.render import FileDiff, file_diffs, followers
from bot.diff.show import numbered_text, rows
from bot.diff.skip import SUBMODULE, is_unread

__all__ = ["SUBMODULE", "FileDiff", "file_diffs", "followers", "is_unread", "numbered_text", "read", "rows"]
