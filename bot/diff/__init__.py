"""The files of a change, the rules on what is listed but not reviewed, and the units of a review. Pure."""

from bot.diff.read import read
from bot.diff.render import FileDiff, file_diffs, followers
from bot.diff.show import numbered_text, rows
from bot.diff.skip import SUBMODULE, is_unread

__all__ = ["SUBMODULE", "FileDiff", "file_diffs", "followers", "is_unread", "numbered_text", "read", "rows"]
