"""What a change to code breaks, and what it names that is not there: told from the code alone, certain or silent.

`report` is the face. A language is a folder of `deeprepo/impact/languages`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deeprepo.impact.new_lines import knows, report
    from deeprepo.impact.values import Base, Change, Looked, Place, Report, Tree

__all__ = ["Base", "Change", "Looked", "Place", "Report", "Tree", "knows", "report"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever it is the name of
    if name not in __all__:
        raise AttributeError(name)
    return getattr(
        import_module("deeprepo.impact.new_lines"), name
    )  # grammars load with the first question, and not with the table
