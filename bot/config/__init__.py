"""The settings: from environment variables, `.deeprepo.yml` on the base branch, and command-line flags.

Every resolved value records where it came from. The settings of a server and of a workflow step are imported on
first use, because reading them needs one more library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bot.config.defaults import DEFAULTS, FILE, OTHER_NAMES, TEMPLATES, Triggers
from bot.config.repository import check, json_schema, read
from bot.config.resolution import Config, resolve
from bot.config.settings import (
    Settings,
    base_url,
    environment,
    first_set,
    program_environment,
    provider_key,
)

if TYPE_CHECKING:
    from bot.config.action import Step, is_step, step
    from bot.config.server import App, Server, ServerOptions, server_settings
LAZY_NAMES = {
    **dict.fromkeys(("Step", "is_step", "step"), "action"),
    **dict.fromkeys(("App", "Server", "ServerOptions", "server_settings"), "server"),
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the module's own names
    if name not in LAZY_NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{LAZY_NAMES[name]}"), name)
