"""Code bases with planted defects, so that new cases never run out and cannot be learnt by heart.

`codebase(seed, files)` makes one up; `build` writes a code base as a repository that the product can review.
"""

from deeprepo_evals.plant.codebase import Scope, codebase
from deeprepo_evals.plant.store import build
from deeprepo_evals.plant.values import CLASSES, CodeBase, Label, Line

__all__ = ["CLASSES", "CodeBase", "Label", "Line", "Scope", "build", "codebase"]
