"""Build working parts from settings. Only these modules name concrete classes."""

from bot.wiring.access import Connections, address, in_force, limits, named_models
from bot.wiring.review import (
    brief,
    journal,
    lenses,
    lines,
    local_review,
    rehearsal,
    replay,
    shared_files,
    tools,
)
