"""From git's text to ChangedFile: the only import of unidiff, the rules on what is listed but not reviewed, and the units of a review. Pure."""

from bot.diff.read import read
from bot.diff.show import numbered, rows
from bot.diff.skip import SUBMODULE
from bot.diff.tell import Told, followers, told

__all__ = ["SUBMODULE", "Told", "followers", "numbered", "read", "rows", "told"]
