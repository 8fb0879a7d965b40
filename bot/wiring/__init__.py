"""Settings in, working parts out: the only modules that name concrete classes. A server's parts are in `wiring.server`."""

from bot.wiring.addresses import address, typed
from bot.wiring.review import connected, deps, in_force, lenses, limits, models, preferred, rehearsal, replay
