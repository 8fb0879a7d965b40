"""`deeprepo serve`: run the server that receives GitHub's webhooks."""

from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.exits import CLEAN, USAGE, finish, tell
from bot.errors import public
from bot.machine import extras

if TYPE_CHECKING:
    from bot.config.server import Server


def command(check: Annotated[bool, typer.Option("--check", help="Check the configuration and exit.")] = False) -> int:
    """Run the server: answer GitHub's webhooks and review pull requests until it is stopped.

    Settings come from environment variables that start with DEEPREPO_. Without an App's credentials, the
    command prints the address of a setup page. Exit codes: 0, or 2 if a setting is missing or wrong.
    """
    extras.need("server")
    from bot import config
    from bot.app import checks
    from bot.config.server import server_settings
    from bot.wiring import access

    settings = server_settings()
    if check:
        operator = config.environment()
        fault = access.model_fault(operator)
        items = finish(checks.checks(settings, lambda: access.named_models(operator), str(fault or "")))
        for line in items:
            print(f"{line.mark} {line.what:<14} {line.sentence}")  # noqa: T201 - the command line speaks
        return CLEAN if all(line.works for line in items) else USAGE
    start(settings)
    return CLEAN


def start(settings: "Server", *, web: bool = True) -> None:
    """Run a server or, without `web`, a worker until it is stopped."""
    from bot import app, config
    from bot.wiring import access
    from bot.workflow import dispatch

    fault = access.model_fault(config.environment(on_server=True))
    secrets, model_fault = access.keys(), public(fault) if fault else ""
    finish(app.serve(settings, dispatch.open_work, tell, web=web, secrets=secrets, model_fault=model_fault))
