"""Create the parts of a review from its settings.

Only this package refers to concrete plug-ins and models.

Modules are imported on first use, because a question about a text needs few of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.wiring.access import Connections, address, in_force
    from bot.wiring.review import brief, local_review, shared_files, tools

HOMES = {
    **dict.fromkeys(("Connections", "address", "in_force"), "bot.wiring.access"),
    **dict.fromkeys(("brief", "local_review", "shared_files", "tools"), "bot.wiring.review"),
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any name of the two modules
    if name not in HOMES:
        raise AttributeError(name)
    return getattr(import_module(HOMES[name]), name)
