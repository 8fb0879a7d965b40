"""Who depends on a change: changed symbols, the files that import them, the places where they are used, and readers of names."""

from deeprepo.impact.uses.budget import SearchLimits
from deeprepo.impact.uses.find import find
from deeprepo.impact.uses.usages import callers, readers

__all__ = ["SearchLimits", "callers", "find", "readers"]
