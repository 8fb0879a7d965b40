"""What still says, as a text, what a change takes away: keys, settings, routes, columns, names of the environment, paths, names of definitions.

No syntax ties the two ends together, so nothing is proven here: the result is a place that also says the word, and never a finding.
"""

from deeprepo.impact.uses.texts.environment import Renaming, Role, new_variables, renamings, roles
from deeprepo.impact.uses.texts.search import also_says

__all__ = ["Renaming", "Role", "also_says", "new_variables", "renamings", "roles"]
