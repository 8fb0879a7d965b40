"""Settings: the environment at the door, .deeprepo.yml of the base branch, the flags of the command. Each value knows its origin."""

from bot.config.action import Step, step
from bot.config.repository import FILE, Pattern, RepoConfig, Strategy, Triggers, read
from bot.config.resolved import DEFAULTS, Config, Value, resolve
from bot.config.schema import schema
from bot.config.server import App, Place, Server, server
from bot.config.settings import Settings, environment, first, key, telemetry

TEMPLATES = tuple(f".deeprepo/templates/{name}.md.j2" for name in ("summary", "finding", "inline"))  # an owner's own

__all__ = [
    "DEFAULTS",
    "FILE",
    "TEMPLATES",
    "App",
    "Config",
    "Pattern",
    "Place",
    "RepoConfig",
    "Server",
    "Settings",
    "Step",
    "Strategy",
    "Triggers",
    "Value",
    "environment",
    "first",
    "key",
    "read",
    "resolve",
    "schema",
    "server",
    "step",
    "telemetry",
]
