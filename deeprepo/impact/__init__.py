"""Find what a change to code breaks, and what it refers to that does not exist, by static analysis.

Call `report` for new lines, and `find` in `uses/find.py` for code that uses what changed. Each language is a folder
in `languages/`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deeprepo.impact.new_lines import knows, report
    from deeprepo.impact.values import Change, Looked, Place, Report

__all__ = ["Change", "Looked", "Place", "Report", "knows", "report"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever it is the name of
    if name not in __all__:
        raise AttributeError(name)
    # grammars are loaded with the first call, not with the table
    return getattr(import_module("deeprepo.impact.new_lines"), name)
