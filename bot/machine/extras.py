"""Check for optional parts of the installation (extras), such as `pip install '.[server]'`.

Static checks don't need any of them. Code that needs an extra calls `need` before importing its packages, so
that users see the command for installing it.
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
PARTS: dict[Extra, tuple[str, ...]] = {  # the packages of each extra in pyproject.toml, by import name
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
    """Return whether an extra's packages are installed, without importing them. `server` needs `github`."""
    parts = (*PARTS[extra], *(PARTS["github"] if extra == "server" else ()))
    return rlm.is_installed(*parts)


def install(extra: str = "", folder: str = ".") -> str:
    """Return an instruction for installing an extra, or another folder of the clone, into this environment.

    Only a release names the package in the registry, because a stranger could register that name before.
    """
    place_of_clone = clone()
    is_release = bool(release()[0]) and not place_of_clone and folder == "."
    folder = "deeprepo-bot" if is_release else folder
    requirement = f"'{folder}[{extra}]'" if extra else folder
    where = "" if is_release else f" in the clone {place_of_clone}" if place_of_clone else " in a clone of deeprepo"
    prefix = Path(sys.prefix)
    if "pipx" in prefix.parts:
        return f"run `pipx install --force {requirement}`{where}"
    if prefix.parts[-3:-1] == ("uv", "tools"):
        return f"run `uv tool install --force {requirement}`{where}"
    pip = prefix / "bin" / "pip"
    active = shutil.which("pip") == str(pip) or not pip.exists()
    return f"run `{'pip' if active else shlex.quote(str(pip))} install {requirement}`{where}"


def installed_from() -> tuple[str, str]:
    """Return the URL from which this was installed, and the commit if git fetched it (PEP 610) or a release names it, or ""."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        origin = json.loads(distribution("deeprepo-bot").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return "", ""
    url, commit = str(origin.get("url", "")), str(origin.get("vcs_info", {}).get("commit_id", ""))
    return (url, commit) if commit or _folder(url) or not release()[0] else release()


def release() -> tuple[str, str]:
    """Return the repository's address and the commit, as .ci/release.py writes them, or "" in other installations."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        rows = metadata("deeprepo-bot").get_all("Project-URL") or ()
    except PackageNotFoundError:
        return "", ""
    source = next((row for row in rows if row.startswith("Source, ")), "").removeprefix("Source, ")
    address, _, commit = source.partition("/tree/")
    return address, commit


def clone() -> str:
    """Return the folder of the clone from which this was installed, or "" if it no longer exists."""
    return _folder(installed_from()[0])


def _folder(url: str) -> str:
    from urllib.parse import unquote, urlsplit

    address = urlsplit(url)
    path = unquote(address.path) if address.scheme == "file" else ""
    return path if path and Path(path, "pyproject.toml").is_file() else ""


def need(extra: Extra) -> None:
    """Raise MissingPart with the install instruction if an extra is not installed."""
    if not is_installed(extra):
        raise MissingPart(MISSING[extra], install(extra))
