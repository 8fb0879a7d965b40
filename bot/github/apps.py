"""Identify the App, and open clients for it, its installations and pull requests, and for other tokens."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast
from urllib.parse import urlsplit

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from githubkit import AppAuthStrategy, TokenAuthStrategy, UnauthAuthStrategy
from githubkit.cache import MemCacheStrategy
from githubkit.utils import UNSET
from jwt.algorithms import RSAAlgorithm
from pydantic import SecretStr

from bot.errors import ConfigError, HostRefused
from bot.github import client, responses
from bot.github.client import GitHubClient, HiddenText
from bot.github.host import Host
from bot.github.policy import RequestPace, Token
from bot.github.responses import unknown
from bot.values import BotIdentity, PullRef

if TYPE_CHECKING:
    from githubkit_schemas.latest.types import AppPermissionsType

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


Permissions: TypeAlias = "AppPermissionsType"
READ_CONTENTS: Permissions = {"contents": "read"}
POSTING: Permissions = {"contents": "read", "metadata": "read", "checks": "write"}
POSTING |= {"pull_requests": "write", "issues": "write"}
RESOLVING: Permissions = {"pull_requests": "write", "contents": "write", "metadata": "read"}  # for threads
COMMITTING: Permissions = {"pull_requests": "read", "contents": "write", "metadata": "read"}  # to a branch
LISTING: Permissions = {"metadata": "read"}  # which repositories exist
UNPROCESSABLE = 422
# Raised for invalid keys, and for public keys.
KEY_ERRORS = (jwt.PyJWTError, UnsupportedAlgorithm, ValueError, TypeError, AttributeError)
_bot_identities: dict[Identity, BotIdentity] = {}  # cached responses of GET /app


@lru_cache(maxsize=8)
def _signing(identity: Identity) -> tuple[AppAuthStrategy, MemCacheStrategy]:
    return AppAuthStrategy(identity.app_id, _signing_key(identity.key)), MemCacheStrategy()


@lru_cache(maxsize=8)
def _signing_key(pem: SecretStr) -> Any:  # noqa: ANN401 - githubkit hands it to PyJWT
    """Parse the App's private key, which takes 40 ms, so the result is cached. Raises ConfigError."""
    with suppress(*KEY_ERRORS):
        key: Any = RSAAlgorithm(RSAAlgorithm.SHA256).prepare_key(pem.get_secret_value())
        jwt.encode({}, key, algorithm="RS256")
        return key
    raise ConfigError("the App's private key is invalid. Use the complete PEM file from GitHub")


def app(identity: Identity, pace: RequestPace) -> AbstractAsyncContextManager[GitHubClient]:
    """Open a client that authenticates as the App itself."""
    auth, token_cache = _signing(identity)
    return client.open_client(identity.api, auth, pace, cache=token_cache)


async def repositories(client: GitHubClient) -> AsyncIterator[Any]:
    """Yield the repositories that an installation's token gives access to, as GitHub's JSON."""
    async for data in client.pages(client.rest.apps.async_list_repos_accessible_to_installation, "repositories"):
        yield data


def open_installation(
    identity: Identity, installation: int, permissions: Permissions, pace: RequestPace, repository: int | str = 0
) -> AbstractAsyncContextManager[GitHubClient]:
    """Open a client for an installation with these permissions.

    `repository` limits it to one repository, by ID or name. 0 means all of the installation's repositories.
    """
    token = Token(partial(_create_token, identity, installation, permissions, pace, repository))
    return client.open_client(identity.api, UnauthAuthStrategy(), pace, installation, token=token)


async def _create_token(
    identity: Identity, installation: int, permissions: Permissions, pace: RequestPace, at: int | str | tuple[int, ...]
) -> tuple[str, datetime]:
    """Create a token for an installation, and return it with its expiry. Raises HostError.

    `at` limits the token to a repository by ID or name, or to several IDs. Permissions that the owner has not
    granted are dropped.
    """
    async with app(identity, pace) as app_client:
        mint = app_client.rest.apps.async_create_installation_access_token
        field, ids = "repositories" if isinstance(at, str) else "repository_ids", [at] if at else UNSET
        only: Any = {field: [*at] if isinstance(at, tuple) else ids}
        try:
            data = await app_client.json(mint(installation, **only, permissions=permissions))
        except HostRefused as refused:
            if refused.status != UNPROCESSABLE or permissions == READ_CONTENTS:
                raise
            granted = responses.at(
                await app_client.json(app_client.rest.apps.async_get_installation(installation)), "permissions"
            )
            data = await app_client.json(
                mint(installation, **only, permissions=_granted_only(permissions, granted or {}))
            )
    token, expiry = responses.at(data, "token"), responses.at(data, "expires_at")
    with suppress(TypeError, ValueError):
        return HiddenText("".join(token)), datetime.fromisoformat(expiry).astimezone(UTC)
    raise unknown("a token with its expiry")


def _granted_only(requested: Permissions, granted: Mapping[str, str]) -> Permissions:
    levels = {
        name: "read" if granted[name] == "read" else level for name, level in requested.items() if name in granted
    }
    return cast("Permissions", levels)


def open_with_token(
    token: SecretStr, api: str, pace: RequestPace, installation: int = 0
) -> AbstractAsyncContextManager[GitHubClient]:
    """Open a client for an existing token, which is not revoked at the end."""
    return client.open_client(api, TokenAuthStrategy(HiddenText(token.get_secret_value())), pace, installation)


async def read_app(identity: Identity, pace: RequestPace) -> Any:  # noqa: ANN401 - JSON
    """Return GitHub's JSON about the App, with its slug, permissions and events."""
    async with app(identity, pace) as app_client:
        return await app_client.json(app_client.rest.apps.async_get_authenticated())


async def bot_identity(identity: Identity, pace: RequestPace, *, again: bool = False) -> BotIdentity:
    """Return the App's account, under which it posts comments. `again` ignores the cache."""
    if again or identity not in _bot_identities:
        data = await read_app(identity, pace)
        _bot_identities[identity] = responses.value(
            BotIdentity, data, {"app": "id"}, login=f"{responses.at(data, 'slug')}[bot]"
        )
    return _bot_identities[identity]


async def installation_of(identity: Identity, pull: PullRef, pace: RequestPace) -> int:
    """Return the ID of the installation that currently has a pull request's repository.

    It changes if the repository is transferred. Raises HostRefused if the App is not installed there.
    """
    async with app(identity, pace) as app_client:
        installation = await app_client.json(app_client.rest.apps.async_get_repo_installation(pull.owner, pull.name))
        return int(responses.at(installation, "id"))


@asynccontextmanager
async def open_pull(
    identity: Identity, pull: PullRef, pace: RequestPace, permissions: Permissions = POSTING
) -> AsyncIterator[Host]:
    """Open a pull request as the App, with a token for these permissions that is revoked at the end.

    Resolving threads requires write access to contents, so it uses a second token, which is created when
    needed.
    """
    name = await bot_identity(identity, pace)
    where, repository = pull.installation, pull.repository
    async with (
        open_installation(identity, where, permissions, pace, repository) as github_client,
        open_installation(identity, where, RESOLVING, pace, repository) as resolver,
    ):
        yield Host(github_client, pull, name, resolver)


@asynccontextmanager
async def open_readonly(
    identity: Identity, installation: int, repositories: tuple[int, ...], pace: RequestPace
) -> AsyncIterator[tuple[GitHubClient, SecretStr]]:
    """Open a client that can only read these repositories. Yield it with its token, which git can use too.

    The token is revoked at the end.
    """
    token = Token(partial(_create_token, identity, installation, READ_CONTENTS, pace, repositories))
    async with client.open_client(identity.api, UnauthAuthStrategy(), pace, installation, token=token) as github_client:
        yield github_client, SecretStr(await token.current())


@asynccontextmanager
async def open_pull_with_token(
    token: SecretStr, api: str, pull: PullRef, ours: BotIdentity, pace: RequestPace
) -> AsyncIterator[Host]:
    """Open a pull request with the token of a GitHub Actions job, which is not revoked at the end."""
    async with open_with_token(token, api, pace, pull.installation) as github_client:
        yield Host(github_client, pull, ours)
