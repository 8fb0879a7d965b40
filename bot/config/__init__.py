"""Settings: the environment at the door, .deeprepo.yml of the base branch, the flags of the command. Each value knows its origin.

What a review without a file of settings needs is imported at once. The others bring pydantic, which takes as long as that review:
they are imported when they are first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bot.config.defaults import DEFAULTS, SENTENCES, ReviewSettings
from bot.config.names import FILE, ORGANIZATION, OTHER_NAMES, TEMPLATES
from bot.config.resolution import Config, Value, resolve
from bot.config.settings import PREFIX, Settings, base_url, environment, first, key, programs, telemetry

if TYPE_CHECKING:
    from bot.config.action import Step, step
    from bot.config.repository import Problem, RepoConfig, Triggers, check, read
    from bot.config.schema import json_schema
    from bot.config.sections import Pattern, RunSection
    from bot.config.server import App, Server, ServerPlace, server_settings
LATER = {
    "action": ("Step", "step"),
    "repository": ("Problem", "RepoConfig", "Triggers", "check", "read"),
    "sections": ("Pattern", "RunSection"),
    "schema": ("json_schema",),
    "server": ("App", "Server", "ServerPlace", "server_settings"),
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the module's own names
    for module, names in LATER.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
