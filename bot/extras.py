"""The parts of the distribution that are installed only if they are asked for: `pip install 'deeprepo-bot[server]'`.

The base review by code needs none of them. What does need one names it before the first import, so that a missing part is a sentence
with its remedy.
"""

from importlib.util import find_spec
from typing import Literal

from bot.errors import UsageError

Extra = Literal["models", "server", "mcp"]
PARTS: dict[
    Extra, tuple[str, ...]
] = {  # what an installation of each brings, as it is imported; the names are those of pyproject.toml
    "models": ("aiohttp", "anthropic", "openai", "pydantic_monty"),
    "server": ("alembic", "fastapi", "jwt", "prometheus_client", "psycopg", "sqlalchemy", "uvicorn"),
    "mcp": ("mcp",),
}
MISSING: dict[Extra, str] = {
    "models": "The parts that ask a model are not installed",
    "server": "The server's parts are not installed",
    "mcp": "The parts of `deeprepo mcp` are not installed",
}


def installed(extra: Extra) -> bool:
    """Whether every part of an extra can be imported. Nothing is imported for the answer."""
    try:
        return all(find_spec(name) is not None for name in PARTS[extra])
    except ImportError:
        return False


def need(extra: Extra) -> None:
    """Raise UsageError with the command that installs an extra if it is missing."""
    if not installed(extra):
        raise UsageError(f"{MISSING[extra]}: pip install 'deeprepo-bot[{extra}]'")
