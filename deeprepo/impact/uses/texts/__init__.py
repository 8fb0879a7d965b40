"""Find text that still mentions what a change removes.

Examples are keys, settings, routes, columns, environment variables, paths and names. No syntax connects
these, so nothing is proven: the result is a place that mentions the word, never a finding.
"""

from deeprepo.impact.uses.texts.environment import LeftBehind, Renaming, Role, Row, half_renamed, renamings, roles
from deeprepo.impact.uses.texts.search import also_says

__all__ = ["LeftBehind", "Renaming", "Role", "Row", "also_says", "half_renamed", "renamings", "roles"]
