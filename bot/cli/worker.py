"""`deeprepo worker`: more hands for a server whose jobs lie in PostgreSQL."""

import asyncio

from bot.cli.exits import CLEAN, tell


def command() -> int:
    """Carry out the jobs that a server has stored in PostgreSQL, on this machine too, until it is told to stop.

    Takes the settings of `deeprepo serve`. Of the web it has the probes alone: /healthz, /readyz and /metrics on DEEPREPO_PORT.
    """
    from bot import app, config
    from bot.cli.serve import keys
    from bot.wiring import server as parts

    asyncio.run(app.serve(app.worker(config.server()), parts.worker, tell, web=False, secrets=keys()))
    return CLEAN
