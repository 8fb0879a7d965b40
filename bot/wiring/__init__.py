"""Settings in, working parts out: the only modules that name concrete classes. A server's parts are in `wiring.server`."""

from bot.wiring.access import address, address_for_option, connected_at, in_force, limits, models, preferred_models
from bot.wiring.review import (
    brief,
    journal,
    lenses,
    lines,
    list_consumers,
    local_review,
    organization_of,
    rehearsal,
    replay,
    tools,
)
