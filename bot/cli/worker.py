"""`deeprepo worker`: run an additional worker for a server that stores its jobs in PostgreSQL."""

from bot.cli.exits import CLEAN, finish, tell
from bot.errors import public
from bot.machine import extras


def command() -> int:
    """Run a worker, which carries out the jobs that a server has stored in PostgreSQL.

    Uses the settings of `deeprepo serve`. On DEEPREPO_PORT, it only answers /healthz, /readyz and /metrics.
    """
    extras.need("server")
    from bot import app, config
    from bot.config.server import server_settings
    from bot.wiring import access
    from bot.workflow import dispatch

    fault = access.model_fault(config.environment(on_server=True))
    secrets, model_fault = access.keys(), public(fault) if fault else ""
    settings = app.worker(server_settings())
    finish(app.serve(settings, dispatch.open_work, tell, web=False, secrets=secrets, model_fault=model_fault))
    return CLEAN
