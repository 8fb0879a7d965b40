"""Who we are at GitHub: the App with its key, and where things are on its server."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.values import PullRef

ENTERPRISE = "/api/v3"  # what the API's address ends with on a GitHub Enterprise Server


@dataclass(frozen=True, slots=True)
class Voice:
    """Under which name we write, so that our own comments are known again. `app`: the App's number, 0 for a plain token.

    `seal`: what our markers are signed with where others write under the same name; None if there is no secret.
    """

    login: str
    app: int = 0
    seal: bytes | None = field(default=None, repr=False)

    def wrote(self, login: str, kind: str, app: int) -> bool:
        """Whether we are the author. An App's user tokens write under a person's name: that is not us."""
        if not self.app:
            return login == self.login
        return kind == "Bot" and (app == self.app or login == self.login)


@dataclass(frozen=True, slots=True)
class Identity:
    """The App. Its repr shows no secret."""

    app_id: str
    key: SecretStr = field(repr=False)
    api: str = "https://api.github.com"
    _asked: list[Voice] = field(default_factory=list, repr=False, compare=False)  # GET /app, once

    def git_url(self, pull: PullRef) -> str:
        """Where git finds the repository."""
        return git_url(self.api, pull)

    def known(self) -> Voice | None:
        """Our name, where it was asked before."""
        return self._asked[0] if self._asked else None

    def learn(self, voice: Voice) -> Voice:
        """Our name, for the next time."""
        self._asked[:] = [voice]
        return voice


def git_url(api: str, pull: PullRef) -> str:
    """Where git finds the repository of a server with this API."""
    return f"{site(api)}/{pull.owner}/{pull.name}.git"


def site(api: str) -> str:
    """The address of the server's pages: "https://github.com" for "https://api.github.com"."""
    parts = urlsplit(api)
    host = parts.netloc
    if not parts.path.rstrip("/").endswith(ENTERPRISE):
        host = host.removeprefix("api.")
    return f"{parts.scheme}://{host}"
