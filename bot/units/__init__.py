"""Cut a change into units: what one worker can judge. Every changed line of a reviewable file is in at least one. Pure."""

from bot.units.cut import Texts, cut
from bot.units.show import MAX_TOKENS
from bot.units.spans import MARGIN

__all__ = ["MARGIN", "MAX_TOKENS", "Texts", "cut"]
