"""The App itself: who it is, who has it, which deliveries went astray, and tokens for one repository."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import lru_cache

from pydantic import SecretStr

from bot.errors import HostError, HostRefused
from bot.github import client, documents, listed
from bot.github.client import GitHubClient
from bot.github.host import Host
from bot.github.identity import Identity, Voice
from bot.github.pace import RequestPace
from bot.github.tokens import AppSignature, Bearer, Token
from bot.values import Installed, OpenPull, PullRef, Sent

READING = {"contents": "read"}
POSTING = {"pull_requests": "write", "checks": "write", "issues": "write", "contents": "read", "metadata": "read"}
# As GitHub asks it of who resolves a thread.
RESOLVING = {"pull_requests": "write", "contents": "write", "metadata": "read"}
LOOKING = {"pull_requests": "read", "metadata": "read"}
APPS, BOT = "ghs_", "[bot]"  # how an App's tokens begin, a workflow's among them, and how its login ends
UNPROCESSABLE = 422
MOST_DELIVERIES, MOST_REPOSITORIES, MOST_PULLS = 20, 5, 1  # pages of a hundred


def app(identity: Identity, pace: RequestPace) -> AbstractAsyncContextManager[GitHubClient]:
    """A client with which the App speaks for itself."""
    return client.opened(identity.api, _signature(identity), pace)


@lru_cache(maxsize=8)
def _signature(identity: Identity) -> AppSignature:
    """One for an App, its key and its server: it is kept while it is good."""
    return AppSignature(identity.app_id, identity.key)


async def voice(identity: Identity, asked: GitHubClient) -> Voice:
    """The name that the App writes under."""
    return identity.known() or identity.learn(listed.app(await asked.get("app")))


async def mint(asked: GitHubClient, installation: int, repository: int, permissions: Mapping[str, str]) -> SecretStr:
    """A token that can do this much, in this repository (0: in all) and no other."""
    path = f"app/installations/{installation}/access_tokens"
    where = {"repository_ids": [repository]} if repository else {}
    try:
        said = await asked.order("POST", path, {**where, "permissions": dict(permissions)})
    except HostRefused as refused:
        if refused.status != UNPROCESSABLE:
            raise
        said = await asked.order("POST", path, where)  # an owner granted less: then that is what there is
    return listed.token(said)


@asynccontextmanager
async def opened(
    identity: Identity, pull: PullRef, pace: RequestPace, permissions: Mapping[str, str] = POSTING
) -> AsyncIterator[Host]:
    """A pull request as the App sees it. The token lives as long as this does, and can do this much."""
    async with app(identity, pace) as asked:
        name = await voice(identity, asked)
        token = Token(lambda: mint(asked, pull.installation, pull.repository, permissions))
        async with _revoked(identity, token, pace, pull.installation) as inside:
            yield Host(inside, pull, name)


@asynccontextmanager
async def read_token(identity: Identity, pull: PullRef, pace: RequestPace) -> AsyncIterator[SecretStr]:
    """A token for git alone: it can read this repository, and ends with the context."""
    async with app(identity, pace) as asked:
        token = Token(lambda: mint(asked, pull.installation, pull.repository, READING))
        async with _revoked(identity, token, pace, pull.installation):
            yield await token.current()


@asynccontextmanager
async def with_token(
    token: SecretStr, api: str, pull: PullRef, ours: str, pace: RequestPace, seal: bytes | None = None
) -> AsyncIterator[Host]:
    """A pull request as somebody's token sees it: an Action's, whose login is "github-actions[bot]". It is not revoked.

    `seal`: what its markers are signed with; None if there is no secret.
    """
    held = Token(first=token)
    async with client.opened(api, Bearer(held), pace, pull.installation, held) as inside:
        yield Host(inside, pull, Voice(ours, seal=seal))


async def whose(token: SecretStr, api: str, pace: RequestPace) -> str:
    """The login that a token writes under, "" where GitHub does not tell."""
    login = ""
    with suppress(HostRefused):
        async with client.opened(api, Bearer(held := Token(first=token)), pace, token=held) as inside:
            login = str(((await inside.ask(documents.VIEWER)).get("viewer") or {}).get("login") or "")
    app = token.get_secret_value().startswith(APPS)
    return f"{login.removesuffix(BOT)}{BOT}" if login and app else login  # GraphQL may name an App without its ending


async def installations(identity: Identity, pace: RequestPace) -> tuple[Installed, ...]:
    """Who has installed the App."""
    async with app(identity, pace) as asked:
        return tuple([listed.installed(data) async for data in asked.pages("app/installations")])


async def deliveries(identity: Identity, since: str, pace: RequestPace) -> tuple[Sent, ...]:
    """What GitHub tried to deliver to the App since then (ISO 8601), newest first: one row for each attempt."""
    found: list[Sent] = []
    async with app(identity, pace) as asked:
        async for data in asked.pages("app/hook/deliveries", most=MOST_DELIVERIES):
            sent = listed.sent(data)
            if sent.delivered < since:
                break
            found.append(sent)
    return tuple(found)


async def redeliver(identity: Identity, number: int, pace: RequestPace) -> None:
    """Ask GitHub to try a delivery again."""
    async with app(identity, pace) as asked:
        await asked.order("POST", f"app/hook/deliveries/{number}/attempts")


async def open_pulls(identity: Identity, installation: int, since: str, pace: RequestPace) -> tuple[OpenPull, ...]:
    """The open pull requests of an installation on which something happened since then, newest first in each repository."""
    found: list[OpenPull] = []
    async with acting(identity, installation, LOOKING, pace) as inside:
        rows = inside.pages("installation/repositories", key="repositories", most=MOST_REPOSITORIES)
        for home in [listed.repository(data) async for data in rows]:
            found += await _waiting(inside, installation, home, since) if home else []
    return tuple(found)


async def _waiting(inside: GitHubClient, installation: int, home: tuple[int, str], since: str) -> list[OpenPull]:
    found: list[OpenPull] = []
    asked = {"state": "open", "sort": "updated", "direction": "desc"}
    with suppress(HostRefused):  # one repository that is gone meanwhile does not hide the others
        async for data in inside.pages(f"repos/{home[1]}/pulls", most=MOST_PULLS, **asked):
            one = listed.waiting(data, installation, home)
            if one.updated < since:
                break
            found.append(one)
    return found


@asynccontextmanager
async def acting(
    identity: Identity, installation: int, permissions: Mapping[str, str], pace: RequestPace
) -> AsyncIterator[GitHubClient]:
    """A client that speaks for an installation, in all of its repositories, and can do this much."""
    async with app(identity, pace) as asked:
        token = Token(lambda: mint(asked, installation, 0, permissions))
        async with _revoked(identity, token, pace, installation) as inside:
            yield inside


@asynccontextmanager
async def _revoked(
    identity: Identity, token: Token, pace: RequestPace, installation: int
) -> AsyncIterator[GitHubClient]:
    """A client for this token, which ends with it. If that fails the token ends by itself within the hour."""
    async with client.opened(identity.api, Bearer(token), pace, installation, token) as inside:
        try:
            yield inside
        finally:
            if not token.unused:
                with suppress(HostError):
                    await inside.revoke()
