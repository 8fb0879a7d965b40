"""Who we are at GitHub: the App with its key, and where things are on its server."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.values import PullRef

ENTERPRISE = "/api/v3"  # what the API's address ends with on a GitHub Enterprise Server


@dataclass(frozen=True, slots=True)
class Identity:
    """The App. Its repr shows no secret."""

    app_id: str
    key: SecretStr = field(repr=False)
    api: str = "https://api.github.com"


def git_url(api: str, pull: PullRef) -> str:
    """Return where git finds the repository of a server with this API."""
    return f"{site(api)}/{pull.owner}/{pull.name}.git"


def site(api: str) -> str:
    """Return the address of the server's pages: "https://github.com" for "https://api.github.com"."""
    parts = urlsplit(api)
    host = parts.netloc if parts.path.rstrip("/").endswith(ENTERPRISE) else parts.netloc.removeprefix("api.")
    return f"{parts.scheme}://{host}"
