"""The files of a change, the rules on what is listed but not reviewed, and the units of a review. Pure."""

from bot.diff.read import read
from bot.diff.show import numbered_text, rows
from bot.diff.skip import SUBMODULE, is_unread
from bot.diff.tell import FileDiff, file_diffs, followers

__all__ = ["SUBMODULE", "FileDiff", "file_diffs", "followers", "is_unread", "numbered_text", "read", "rows"]
