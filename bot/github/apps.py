"""The App itself: who it is, who has it, which deliveries went astray, and pull requests as it sees them."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from githubkit import AppAuthStrategy, TokenAuthStrategy, UnauthAuthStrategy
from githubkit.cache import MemCacheStrategy
from githubkit.utils import UNSET
from pydantic import SecretStr

from bot.errors import ConfigError, HostError, HostRefused
from bot.github import client, documents, shapes
from bot.github.client import GitHubClient, HiddenText, Installation
from bot.github.host import Host
from bot.github.identity import Identity, Voice
from bot.github.pace import RequestPace
from bot.values import Installed, OpenPull, PullRef, Sent

if TYPE_CHECKING:
    from githubkit_schemas.latest.types import AppPermissionsType

READING: "AppPermissionsType" = {"contents": "read"}
POSTING: "AppPermissionsType" = {
    "pull_requests": "write",
    "checks": "write",
    "issues": "write",
    "contents": "read",
    "metadata": "read",
}
# As GitHub asks it of who resolves a thread.
RESOLVING: "AppPermissionsType" = {"pull_requests": "write", "contents": "write", "metadata": "read"}
LOOKING: "AppPermissionsType" = {"pull_requests": "read", "metadata": "read"}
APPS, BOT = "ghs_", "[bot]"  # how an App's tokens begin, a workflow's among them, and how its login ends
SENT = {"delivered": "delivered_at", "status": "status_code"}
WAITING = {"head": "head.sha", "base": "base.ref", "updated": "updated_at"}
MOST_DELIVERIES, MOST_REPOSITORIES, MOST_PULLS = 20, 5, 1  # pages of a hundred


@lru_cache(maxsize=8)
def _signing(identity: Identity) -> tuple[AppAuthStrategy, MemCacheStrategy]:
    """Give an App's signature, and where githubkit keeps it while it is good: to make one takes 100 ms. Raises ConfigError."""
    key = HiddenText(identity.key.get_secret_value())
    with suppress(
        jwt.PyJWTError, UnsupportedAlgorithm, ValueError, TypeError, AttributeError
    ):  # it may be a public one
        jwt.encode({}, key, algorithm="RS256")
        return AppAuthStrategy(identity.app_id, key), MemCacheStrategy()
    raise ConfigError("the App's private key cannot be used: it must be the whole PEM file that GitHub gave")


def app(identity: Identity, pace: RequestPace) -> AbstractAsyncContextManager[GitHubClient]:
    """Open a client with which the App speaks for itself."""
    auth, kept = _signing(identity)
    return client.opened(identity.api, auth, pace, kept=kept)


def acting(
    identity: Identity, installation: int, permissions: "AppPermissionsType", pace: RequestPace, repository: int = 0
) -> AbstractAsyncContextManager[GitHubClient]:
    """Open a client that speaks for an installation, and can do this much in this repository (0: in all) and no other."""
    auth, kept = _signing(identity)
    only = [repository] if repository else UNSET
    asked = auth.as_installation(installation, repository_ids=only, permissions=permissions)
    return client.opened(identity.api, Installation(asked), pace, installation, kept)


def holding(
    token: SecretStr, api: str, pace: RequestPace, installation: int = 0
) -> AbstractAsyncContextManager[GitHubClient]:
    """Open a client for a token that was made elsewhere. It is not revoked."""
    return client.opened(api, TokenAuthStrategy(HiddenText(token.get_secret_value())), pace, installation)


async def voice(identity: Identity, asked: GitHubClient, *, anew: bool = False) -> Voice:
    """Look up the name that the App writes under. `anew`: also if it is known."""
    known = None if anew else identity.known()
    return known or identity.learn(_voice(await registered(asked)))


async def registered(asked: GitHubClient) -> Any:  # noqa: ANN401 - JSON
    """Read what GitHub knows about the App: its slug, permissions and events."""
    return await asked.answer(asked.rest.apps.async_get_authenticated())


@asynccontextmanager
async def opened(
    identity: Identity, pull: PullRef, pace: RequestPace, permissions: "AppPermissionsType" = POSTING
) -> AsyncIterator[Host]:
    """Open a pull request as the App sees it. The token lives as long as this does, and can do this much."""
    name = identity.known()
    if name is None:
        async with app(identity, pace) as asked:
            name = await voice(identity, asked)
    async with acting(identity, pull.installation, permissions, pace, pull.repository) as inside:
        yield Host(inside, pull, name)


@asynccontextmanager
async def read_token(identity: Identity, pull: PullRef, pace: RequestPace) -> AsyncIterator[SecretStr]:
    """Make a token for git alone: it can read this repository, and ends with the context."""
    only = [pull.repository] if pull.repository else UNSET
    async with app(identity, pace) as asked:
        mint = asked.rest.apps.async_create_installation_access_token
        made = await asked.answer(mint(pull.installation, repository_ids=only, permissions=READING))
    if not isinstance(text := shapes.at(made, "token"), str):
        raise HostError("GitHub's answer lacks what is needed: the token")
    token = SecretStr(text)
    try:
        yield token
    finally:
        async with holding(token, identity.api, pace, pull.installation) as inside:
            await inside.revoke()


@asynccontextmanager
async def with_token(
    token: SecretStr, api: str, pull: PullRef, ours: str, pace: RequestPace, seal: bytes | None = None
) -> AsyncIterator[Host]:
    """Open a pull request as somebody's token sees it: an Action's, whose login is "github-actions[bot]". It is not revoked.

    `seal`: what its markers are signed with; None if there is no secret.
    """
    async with holding(token, api, pace, pull.installation) as inside:
        yield Host(inside, pull, Voice(ours, seal=seal))


async def whose(token: SecretStr, api: str, pace: RequestPace) -> str:
    """Look up the login that a token writes under, "" if GitHub does not tell."""
    login = ""
    with suppress(HostRefused):
        async with holding(token, api, pace) as inside:
            login = str(((await inside.ask(documents.VIEWER)).get("viewer") or {}).get("login") or "")
    app = token.get_secret_value().startswith(APPS)
    return f"{login.removesuffix(BOT)}{BOT}" if login and app else login  # GraphQL may name an App without its ending


async def made(api: str, code: str, pace: RequestPace) -> dict[str, Any]:
    """Exchange the code of a manifest for the App that GitHub has made of it, with its secrets."""
    async with client.opened(api, UnauthAuthStrategy(), pace) as asked:
        made: Any = await asked.answer(asked.rest.apps.async_create_from_manifest(code))
        return dict(made)


def _voice(data: Any) -> Voice:  # noqa: ANN401 - JSON
    return shapes.value(Voice, data, {"app": "id"}, login=f"{shapes.at(data, 'slug')}[bot]")


def _installed(data: Any) -> Installed:  # noqa: ANN401 - JSON
    account = shapes.at(data, "account.login") or shapes.at(data, "account.slug") or ""
    return shapes.value(Installed, data, account=account, suspended=bool(shapes.at(data, "suspended_at")))


async def installations(identity: Identity, pace: RequestPace) -> tuple[Installed, ...]:
    """List who has installed the App."""
    async with app(identity, pace) as asked:
        listed = asked.pages(asked.rest.apps.async_list_installations)
        return tuple([_installed(data) async for data in listed])


async def accessible(identity: Identity, installation: int, pace: RequestPace) -> frozenset[int]:
    """List the ids of the repositories that an installation lets the App see: nothing if it is no longer installed."""
    try:
        async with acting(identity, installation, LOOKING, pace) as inside:
            listing = inside.rest.apps.async_list_repos_accessible_to_installation
            return frozenset([shapes.at(home, "id") async for home in inside.pages(listing, "repositories")])
    except HostRefused as refused:
        if not refused.gone:
            raise
        return frozenset()


async def deliveries(identity: Identity, since: str, pace: RequestPace) -> tuple[Sent, ...]:
    """List what GitHub tried to deliver to the App since then (ISO 8601), newest first: one row for each attempt."""
    found: list[Sent] = []
    async with app(identity, pace) as asked:
        async for data in asked.pages(asked.rest.apps.async_list_webhook_deliveries, most=MOST_DELIVERIES):
            sent = shapes.value(Sent, data, SENT)
            if sent.delivered < since:
                break
            found.append(sent)
    return tuple(found)


async def redeliver(identity: Identity, number: int, pace: RequestPace) -> None:
    """Ask GitHub to try a delivery again."""
    async with app(identity, pace) as asked:
        await asked.answer(asked.rest.apps.async_redeliver_webhook_delivery(number))


async def open_pulls(identity: Identity, installation: int, since: str, pace: RequestPace) -> tuple[OpenPull, ...]:
    """List an installation's open pull requests on which something happened since then, newest first in each repository."""
    found: list[OpenPull] = []
    async with acting(identity, installation, LOOKING, pace) as inside:
        listing = inside.rest.apps.async_list_repos_accessible_to_installation
        for home in [home async for home in inside.pages(listing, "repositories", MOST_REPOSITORIES)]:
            found += [] if shapes.at(home, "archived") else await _waiting(inside, installation, home, since)
    return tuple(found)


async def _waiting(inside: GitHubClient, installation: int, home: Any, since: str) -> list[OpenPull]:  # noqa: ANN401 - JSON
    found: list[OpenPull] = []
    owner, _, name = str(shapes.at(home, "full_name")).partition("/")
    where = {"installation": installation, "repository": shapes.at(home, "id"), "owner": owner, "name": name}
    listing = partial(inside.rest.pulls.async_list, owner, name, state="open", sort="updated", direction="desc")
    with suppress(HostRefused):  # one repository that is gone meanwhile does not hide the others
        async for data in inside.pages(listing, most=MOST_PULLS):
            one = shapes.value(OpenPull, data, WAITING, pull=shapes.value(PullRef, data, **where))
            if one.updated < since:
                break
            found.append(one)
    return found
