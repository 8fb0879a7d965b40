"""From git's text to ChangedFile: the only import of unidiff, and the rules on what is listed but not reviewed. Pure."""

from bot.diff.read import read
from bot.diff.show import numbered, row
from bot.diff.skip import SUBMODULE

__all__ = ["SUBMODULE", "numbered", "read", "row"]
