"""Create the parts of a review from its settings.

Only this package refers to concrete plug-ins and models.
"""

from bot.wiring.access import Connections, address, in_force, limits, named_models
from bot.wiring.review import (
    brief,
    estimate_tools,
    journal,
    lines,
    local_review,
    shared_files,
    tools,
)
