"""The settings: from environment variables, `.deeprepo.yml` on the base branch, and command-line flags.

Every resolved value records where it came from. This package imports its modules on first use, because some
of them load pydantic, which takes as long as a whole review without a settings file.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bot.config.names import FILE, OTHER_NAMES, TEMPLATES

if TYPE_CHECKING:
    from bot.config.action import Step, is_step, step
    from bot.config.defaults import DEFAULTS, ReviewSettings, Triggers
    from bot.config.repository import RepoFile, check, json_schema, read
    from bot.config.resolution import Config, resolve
    from bot.config.server import App, Server, ServerOptions, server_settings
    from bot.config.setting import Pattern
    from bot.config.settings import (
        PREFIX,
        Settings,
        base_url,
        environment,
        first_set,
        program_environment,
        provider_key,
    )
LAZY_NAMES = {
    "action": ("Step", "is_step", "step"),
    "defaults": ("DEFAULTS", "ReviewSettings", "Triggers"),
    "setting": ("Pattern",),
    "repository": ("RepoFile", "check", "json_schema", "read"),
    "resolution": ("Config", "resolve"),
    "server": ("App", "Server", "ServerOptions", "server_settings"),
    "settings": (
        "PREFIX",
        "Settings",
        "base_url",
        "environment",
        "first_set",
        "program_environment",
        "provider_key",
    ),
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the module's own names
    for module, names in LAZY_NAMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
