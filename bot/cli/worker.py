"""`deeprepo worker`: more hands for a server whose jobs are in PostgreSQL."""

from bot.cli.exits import CLEAN, finish, tell
from bot.machine import extras


def command() -> int:
    """Run a worker: carry out the jobs that a server has stored in PostgreSQL, until it is stopped.

    Takes the settings of `deeprepo serve`. It answers /healthz, /readyz and /metrics on DEEPREPO_PORT, and nothing else.
    """
    extras.need("server")
    from bot import app, config
    from bot.wiring import access
    from bot.workflow import dispatch

    finish(app.serve(app.worker(config.server_settings()), dispatch.open_work, tell, web=False, secrets=access.keys()))
    return CLEAN
