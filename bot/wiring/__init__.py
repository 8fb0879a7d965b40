"""Settings in, working parts out: the only modules that name concrete classes. A server's parts are in `wiring.server`."""

from bot.wiring.addresses import address, address_for_option
from bot.wiring.review import (
    brief,
    connect_model,
    in_force,
    journal,
    lenses,
    limits,
    lines,
    local_review,
    models,
    organization_of,
    preferred_models,
    rehearsal,
    replay,
    tools,
)
