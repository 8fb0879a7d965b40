"""`deeprepo serve`: the server that GitHub sends its events to."""

from typing import Annotated

import typer

from bot.cli.exits import CLEAN, USAGE, finish, tell
from bot.machine import extras


def command(check: Annotated[bool, typer.Option("--check", help="Check every setting and exit.")] = False) -> int:
    """Run the server: answer GitHub's webhooks and review pull requests until it is stopped.

    Settings come from environment variables DEEPREPO_*. Without an App's credentials it prints the address of a set-up page.
    Exit codes: 0, or 2 if a setting is missing or wrong.
    """
    extras.need("server")
    from bot import app, config
    from bot.app import checks
    from bot.wiring import server as parts

    settings = config.server_settings()
    if check:
        items = finish(checks.checks(settings, choose_models))
        for line in items:
            print(f"{line.mark} {line.what:<14} {line.sentence}")  # noqa: T201 - the command line speaks
        return CLEAN if all(line.works for line in items) else USAGE
    finish(app.serve(settings, parts.open_work, tell, secrets=keys()))
    return CLEAN


def keys() -> list[str]:
    """The keys of model providers that are set, for the log's last door."""
    from bot import config
    from bot.models import PROVIDERS

    values = (config.key(provider.key_variable) for provider in PROVIDERS.values())
    return [key.get_secret_value() for key in values if key]


def choose_models() -> tuple[str | None, str | None]:
    """Root and worker that a review would use where the repository names none."""
    from bot import config, wiring

    return wiring.named_models(config.environment())
