"""Settings: the environment at the door, .deeprepo.yml of the base branch, the flags of the command. Each value knows its origin."""

from bot.config.repository import FILE, Pattern, RepoConfig, Strategy, read
from bot.config.resolved import DEFAULTS, Config, Value, resolve
from bot.config.settings import Settings, environment, key, telemetry

TEMPLATES = tuple(f".deeprepo/templates/{name}.md.j2" for name in ("summary", "finding", "inline"))  # an owner's own

__all__ = [
    "DEFAULTS",
    "FILE",
    "TEMPLATES",
    "Config",
    "Pattern",
    "RepoConfig",
    "Settings",
    "Strategy",
    "Value",
    "environment",
    "key",
    "read",
    "resolve",
    "telemetry",
]
