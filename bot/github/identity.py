"""The App's identity at GitHub, and addresses on its server."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.values import PullRef

ENTERPRISE = "/api/v3"  # end of the API's address on a GitHub Enterprise Server


@dataclass(frozen=True, slots=True)
class Identity:
    """The App. Its repr shows no secret."""

    app_id: str
    key: SecretStr = field(repr=False)
    api: str = "https://api.github.com"


def git_url(api: str, pull: PullRef) -> str:
    """Return a repository's git address on the server with this API."""
    return f"{site(api)}/{pull.owner}/{pull.name}.git"


def site(api: str) -> str:
    """Return the server's web address: "https://github.com" for "https://api.github.com"."""
    parts = urlsplit(api)
    host = parts.netloc if parts.path.rstrip("/").endswith(ENTERPRISE) else parts.netloc.removeprefix("api.")
    return f"{parts.scheme}://{host}"
