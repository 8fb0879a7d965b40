"""Settings: the environment at the door, .deeprepo.yml of the base branch, the flags of the command. Each value knows its origin."""

from bot.config.action import Step, step
from bot.config.repository import FILE, OTHER_NAMES, Pattern, Problem, RepoConfig, Triggers, check, read
from bot.config.resolved import DEFAULTS, Config, Value, resolve
from bot.config.schema import schema
from bot.config.server import App, Server, ServerPlace, server
from bot.config.settings import Settings, base_url, environment, first, key, telemetry

TEMPLATES = tuple(f".deeprepo/templates/{name}.md.j2" for name in ("summary", "finding", "inline"))  # an owner's own

__all__ = [
    "DEFAULTS",
    "FILE",
    "OTHER_NAMES",
    "TEMPLATES",
    "App",
    "Config",
    "Pattern",
    "Problem",
    "RepoConfig",
    "Server",
    "ServerPlace",
    "Settings",
    "Step",
    "Triggers",
    "Value",
    "base_url",
    "check",
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
