"""Consumers: what a change breaks in other repositories that use this one."""

from bot.dependents.consumers.check import Consumers, check, known
from bot.dependents.consumers.packages import Offer, offer, taken

__all__ = ["Consumers", "Offer", "check", "known", "offer", "taken"]
