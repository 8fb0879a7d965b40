"""Settings in, working parts out: the only modules that name concrete classes. A server's parts are in `wiring.server`."""

from bot.wiring.addresses import address, address_for_option
from bot.wiring.review import (
    connect_model,
    deps,
    in_force,
    lenses,
    limits,
    models,
    organization_reader,
    preferred_models,
    rehearsal,
    replay,
)
