"""What GitHub tells the App about itself and about those who have installed it, as our values."""

from typing import Any

from pydantic import SecretStr

from bot.github.identity import Voice
from bot.github.shapes import Slim, read
from bot.values import Installed, OpenPull, PullRef, Sent


class _App(Slim):
    id: int
    slug: str


class _Token(Slim):
    token: SecretStr


class _Account(Slim):
    login: str = ""
    slug: str = ""  # of an enterprise


class _Installation(Slim):
    id: int
    account: _Account | None = None
    suspended_at: str | None = None


class _Delivery(Slim):
    id: int
    guid: str
    delivered_at: str
    status_code: int = 0
    event: str
    action: str | None = None


class _Repository(Slim):
    id: int
    full_name: str
    archived: bool = False


class _Commit(Slim):
    sha: str


class _Pull(Slim):
    number: int
    head: _Commit
    draft: bool = False
    updated_at: str


def app(data: Any) -> Voice:  # noqa: ANN401 - JSON
    """The name that the App writes under."""
    said = read(_App, data)
    return Voice(f"{said.slug}[bot]", said.id)


def token(data: Any) -> SecretStr:  # noqa: ANN401 - JSON
    """A new installation token."""
    return read(_Token, data).token


def installed(data: Any) -> Installed:  # noqa: ANN401 - JSON
    """An account that has the App."""
    said = read(_Installation, data)
    account = said.account or _Account()
    return Installed(said.id, account.login or account.slug, suspended=said.suspended_at is not None)


def sent(data: Any) -> Sent:  # noqa: ANN401 - JSON
    """One attempt of a delivery."""
    said = read(_Delivery, data)
    return Sent(said.id, said.guid, said.event, said.action or "", said.delivered_at, said.status_code)


def repository(data: Any) -> tuple[int, str] | None:  # noqa: ANN401 - JSON
    """Number and full name of a repository, None where nobody can write in it any more."""
    said = read(_Repository, data)
    return None if said.archived else (said.id, said.full_name)


def waiting(data: Any, installation: int, home: tuple[int, str]) -> OpenPull:  # noqa: ANN401 - JSON
    """A pull request in a list."""
    said = read(_Pull, data)
    owner, _, name = home[1].partition("/")
    return OpenPull(
        PullRef(installation, home[0], owner, name, said.number), said.head.sha, said.draft, said.updated_at
    )
