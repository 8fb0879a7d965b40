"""The App's identity on GitHub, and URLs on the GitHub server."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.values import PullRef

ENTERPRISE = "/api/v3"  # the end of the API's URL on a GitHub Enterprise Server


@dataclass(frozen=True, slots=True)
class Identity:
    """The App's ID and private key, and the API's URL. The repr hides the key."""

    app_id: str
    key: SecretStr = field(repr=False)
    api: str = "https://api.github.com"


def git_url(api: str, pull: PullRef) -> str:
    """Return the URL for cloning a pull request's repository from the server with this API."""
    return f"{site(api)}/{pull.owner}/{pull.name}.git"


def site(api: str) -> str:
    """Return the server's web URL, such as "https://github.com" for "https://api.github.com"."""
    parts = urlsplit(api)
    host = parts.netloc if parts.path.rstrip("/").endswith(ENTERPRISE) else parts.netloc.removeprefix("api.")
    return f"{parts.scheme}://{host}"
