"""Find who depends on a change: changed symbols, the files that import them, references, and users of settings."""

from deeprepo.impact.uses.budget import SearchLimits
from deeprepo.impact.uses.find import find
from deeprepo.impact.uses.usages import callers, definitions, readers

__all__ = ["SearchLimits", "callers", "definitions", "find", "readers"]
