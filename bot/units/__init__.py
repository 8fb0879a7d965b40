"""Cut a change into units: what one worker can judge. Every changed line of a reviewable file is in at least one. Pure."""

from bot.units.cut import Texts, cut
from bot.units.spans import MARGIN, MAX_TOKENS, OVERLAP

__all__ = ["MARGIN", "MAX_TOKENS", "OVERLAP", "Texts", "cut"]
