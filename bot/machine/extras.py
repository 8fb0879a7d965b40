"""The parts of the distribution that are installed only if they are asked for: `pip install '.[server]'` in a clone.

The base review by code needs none of them. What does need one names it before the first import, so that a missing part is a sentence
with its remedy.
"""

import json
import shlex
import shutil
import sys
from pathlib import Path
from typing import Literal

from bot.errors import MissingPart
from deeprepo import rlm

Extra = Literal["models", "github", "server", "mcp", "languages"]
PARTS: dict[
    Extra, tuple[str, ...]
] = {  # what an installation of each brings, as it is imported; the names are those of pyproject.toml
    "models": rlm.PACKAGES,
    "github": ("githubkit", "hishel", "httpx2", "jwt"),
    "server": ("alembic", "dbos", "fastapi", "prometheus_client", "psycopg", "sqlalchemy", "uvicorn"),
    "mcp": ("mcp",),
    "languages": ("tree_sitter_scala", "tree_sitter_swift"),
}
MISSING: dict[Extra, str] = {
    "models": "Support for models is not installed",
    "github": "Support for GitHub is not installed",
    "server": "The server's dependencies are not installed",
    "mcp": "The dependencies of `deeprepo mcp` are not installed",
    "languages": "The Scala and Swift grammars are not installed",
}


def is_installed(extra: Extra) -> bool:
    """Return whether every part of an extra can be imported. Nothing is imported for the answer. The server's brings what the Action needs."""
    parts = (*PARTS[extra], *(PARTS["github"] if extra == "server" else ()))
    return rlm.is_installed(*parts)


def install(extra: str = "", folder: str = ".") -> str:
    """Return the command that installs an extra, or another distribution of the clone, into the environment that is running.

    No registry has the distribution, so no hint names it: a stranger could take the name there.
    """
    place = f"{folder}[{extra}]" if extra else folder
    requirement = f"'{place}'" if extra else place
    place_of_clone = clone()
    where = f"in the clone {place_of_clone}" if place_of_clone else "in a clone of deeprepo"
    prefix = Path(sys.prefix)
    if "pipx" in prefix.parts:
        return f"run `pipx install --force {requirement}` {where}"
    if prefix.parts[-3:-1] == ("uv", "tools"):
        return f"run `uv tool install --force {requirement}` {where}"
    pip = prefix / "bin" / "pip"
    active = shutil.which("pip") == str(pip) or not pip.exists()
    return f"run `{'pip' if active else shlex.quote(str(pip))} install {requirement}` {where}"


def installed_from() -> tuple[str, str]:
    """Return the address that this installation was made from, and its commit if git fetched it (PEP 610); empty texts if that is unknown."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        origin = json.loads(distribution("deeprepo-bot").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return "", ""
    return str(origin.get("url", "")), str(origin.get("vcs_info", {}).get("commit_id", ""))


def clone() -> str:
    """Return the clone that this installation was made from, where it still is."""
    from urllib.parse import unquote, urlsplit

    address = urlsplit(installed_from()[0])
    path = unquote(address.path) if address.scheme == "file" else ""
    return path if path and Path(path, "pyproject.toml").is_file() else ""


def need(extra: Extra) -> None:
    """Raise MissingPart, with the command that installs an extra, if the extra is missing."""
    if not is_installed(extra):
        raise MissingPart(MISSING[extra], install(extra))
