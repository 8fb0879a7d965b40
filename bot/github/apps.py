"""Open clients for the App, its installations and pull requests, and for other tokens."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from githubkit import AppAuthStrategy, TokenAuthStrategy, UnauthAuthStrategy
from githubkit.cache import MemCacheStrategy
from githubkit.utils import UNSET
from jwt.algorithms import RSAAlgorithm
from pydantic import SecretStr

from bot.errors import ConfigError, HostRefused
from bot.github import client, shapes
from bot.github.client import GitHubClient, HiddenText
from bot.github.host import Host
from bot.github.identity import Identity
from bot.github.pace import RequestPace
from bot.github.policy import Token
from bot.github.responses import unknown
from bot.values import BotIdentity, PullRef

if TYPE_CHECKING:
    from githubkit_schemas.latest.types import AppPermissionsType

Permissions: TypeAlias = "AppPermissionsType"
READ_CONTENTS: Permissions = {"contents": "read"}
POSTING: Permissions = {"contents": "read", "metadata": "read", "checks": "write"}
POSTING |= {"pull_requests": "write", "issues": "write"}
RESOLVING: Permissions = {"pull_requests": "write", "contents": "write", "metadata": "read"}  # for threads
COMMITTING: Permissions = {"pull_requests": "read", "contents": "write", "metadata": "read"}  # to a branch
LISTING: Permissions = {"metadata": "read"}  # which repositories exist
UNPROCESSABLE = 422
# Errors for bad keys, including public ones.
UNUSABLE = (jwt.PyJWTError, UnsupportedAlgorithm, ValueError, TypeError, AttributeError)
_bot_identities: dict[Identity, BotIdentity] = {}  # answers of GET /app, cached per process


@lru_cache(maxsize=8)
def _signing(identity: Identity) -> tuple[AppAuthStrategy, MemCacheStrategy]:
    """Return an App's signature and githubkit's cache for it. Raises ConfigError."""
    return AppAuthStrategy(identity.app_id, _signing_key(identity.key)), MemCacheStrategy()


@lru_cache(maxsize=8)
def _signing_key(pem: SecretStr) -> Any:  # noqa: ANN401 - githubkit hands it to PyJWT
    """Parse the App's key once, as checking takes 40 ms and signing 0.3 ms. Raises ConfigError."""
    with suppress(*UNUSABLE):
        key: Any = RSAAlgorithm(RSAAlgorithm.SHA256).prepare_key(pem.get_secret_value())
        jwt.encode({}, key, algorithm="RS256")
        return key
    raise ConfigError("the App's private key is invalid. Use the complete PEM file from GitHub")


def app(identity: Identity, pace: RequestPace) -> AbstractAsyncContextManager[GitHubClient]:
    """Open a client for the App itself."""
    auth, kept = _signing(identity)
    return client.open_client(identity.api, auth, pace, cache=kept)


async def repositories(client: GitHubClient) -> AsyncIterator[Any]:
    """Yield the repositories that an installation's token covers, as GitHub's JSON."""
    async for data in client.pages(client.rest.apps.async_list_repos_accessible_to_installation, "repositories"):
        yield data


def acting(
    identity: Identity, installation: int, permissions: Permissions, pace: RequestPace, repository: int | str = 0
) -> AbstractAsyncContextManager[GitHubClient]:
    """Open a client for an installation, with these permissions in one repository (id or name) or all (0)."""
    token = Token(partial(_create_token, identity, installation, permissions, pace, repository))
    return client.open_client(identity.api, UnauthAuthStrategy(), pace, installation, token=token)


async def _create_token(
    identity: Identity, installation: int, permissions: Permissions, pace: RequestPace, at: int | str | tuple[int, ...]
) -> tuple[str, datetime]:
    """Create a token and return it with its expiry. Permissions that the owner did not grant are dropped."""
    async with app(identity, pace) as asked:
        mint = asked.rest.apps.async_create_installation_access_token
        field, ids = "repositories" if isinstance(at, str) else "repository_ids", [at] if at else UNSET
        only: Any = {field: [*at] if isinstance(at, tuple) else ids}
        try:
            data = await asked.json(mint(installation, **only, permissions=permissions))
        except HostRefused as refused:
            if refused.status != UNPROCESSABLE or permissions == READ_CONTENTS:
                raise
            granted = shapes.at(await asked.json(asked.rest.apps.async_get_installation(installation)), "permissions")
            data = await asked.json(mint(installation, **only, permissions=_narrowed(permissions, granted or {})))
    made, ends = shapes.at(data, "token"), shapes.at(data, "expires_at")
    with suppress(TypeError, ValueError):
        return HiddenText("".join(made)), datetime.fromisoformat(ends).astimezone(UTC)
    raise unknown("a token and its end")


def _narrowed(asked: Permissions, granted: Mapping[str, str]) -> Permissions:
    """Return the requested permissions as far as they are granted."""
    levels = {name: "read" if granted[name] == "read" else level for name, level in asked.items() if name in granted}
    return cast("Permissions", levels)


def holding(
    token: SecretStr, api: str, pace: RequestPace, installation: int = 0
) -> AbstractAsyncContextManager[GitHubClient]:
    """Open a client for an existing token, which is not revoked."""
    return client.open_client(api, TokenAuthStrategy(HiddenText(token.get_secret_value())), pace, installation)


async def read_app(identity: Identity, pace: RequestPace) -> Any:  # noqa: ANN401 - JSON
    """Return what GitHub knows about the App: its slug, permissions and events."""
    async with app(identity, pace) as asked:
        return await asked.json(asked.rest.apps.async_get_authenticated())


async def bot_identity(identity: Identity, pace: RequestPace, *, again: bool = False) -> BotIdentity:
    """Return the name under which the App writes. `again` ignores the cache."""
    if again or identity not in _bot_identities:
        data = await read_app(identity, pace)
        _bot_identities[identity] = shapes.value(
            BotIdentity, data, {"app": "id"}, login=f"{shapes.at(data, 'slug')}[bot]"
        )
    return _bot_identities[identity]


async def installation_of(identity: Identity, pull: PullRef, pace: RequestPace) -> int:
    """Return a repository's current installation, after a rename or transfer. Raises HostRefused if none."""
    async with app(identity, pace) as asked:
        installation = await asked.json(asked.rest.apps.async_get_repo_installation(pull.owner, pull.name))
        return int(shapes.at(installation, "id"))


@asynccontextmanager
async def open_pull(
    identity: Identity, pull: PullRef, pace: RequestPace, permissions: Permissions = POSTING
) -> AsyncIterator[Host]:
    """Open a pull request for the App, with a token for these permissions that ends with the context.

    Resolving threads uses a separate token, created for the first one.
    """
    name = await bot_identity(identity, pace)
    where, repository = pull.installation, pull.repository
    async with (
        acting(identity, where, permissions, pace, repository) as inside,
        acting(identity, where, RESOLVING, pace, repository) as resolver,
    ):
        yield Host(inside, pull, name, resolver)


@asynccontextmanager
async def reading(
    identity: Identity, installation: int, repositories: tuple[int, ...], pace: RequestPace
) -> AsyncIterator[tuple[GitHubClient, SecretStr]]:
    """Open a client that can only read these repositories, with its token for git.

    Both end with the context.
    """
    token = Token(partial(_create_token, identity, installation, READ_CONTENTS, pace, repositories))
    async with client.open_client(identity.api, UnauthAuthStrategy(), pace, installation, token=token) as inside:
        yield inside, SecretStr(await token.current())


@asynccontextmanager
async def with_token(
    token: SecretStr, api: str, pull: PullRef, ours: BotIdentity, pace: RequestPace
) -> AsyncIterator[Host]:
    """Open a pull request with an Action's token, which is not revoked."""
    async with holding(token, api, pace, pull.installation) as inside:
        yield Host(inside, pull, ours)
