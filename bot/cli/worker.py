"""`deeprepo worker`: run an additional worker for a server that stores its jobs in PostgreSQL."""

from bot.cli.exits import CLEAN
from bot.cli.serve import start
from bot.machine import extras


def command() -> int:
    """Run a worker, which carries out the jobs that a server has stored in PostgreSQL.

    Uses the settings of `deeprepo serve`. On DEEPREPO_PORT, it only answers /healthz, /readyz and /metrics.
    """
    extras.need("server")
    from bot import app
    from bot.config.server import server_settings

    start(app.worker(server_settings()), web=False)
    return CLEAN
