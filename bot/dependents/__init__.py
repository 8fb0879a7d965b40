"""Who depends on a change: changed symbols, the files that import them, the places where they are used, and readers of names."""

from bot.dependents.budget import SearchLimits
from bot.dependents.find import find
from bot.dependents.usages import callers, readers

__all__ = ["SearchLimits", "callers", "find", "readers"]
