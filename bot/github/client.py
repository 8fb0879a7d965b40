"""githubkit's client for one piece of work, with our policy and our errors."""

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import cache
from typing import Any, TypeVar

import httpx
import httpx2
from githubkit import BaseAuthStrategy, GitHub, Response
from githubkit.auth.app import AppAuth
from githubkit.cache import MemCache
from githubkit.exception import GitHubException
from pydantic import ValidationError

from bot import __version__
from bot.errors import ConfigError, HostDown, HostError
from bot.github.answers import failure
from bot.github.pace import RequestPace
from bot.github.policy import Policy
from bot.github.tokens import Kept, TokenCache

MOST_PAGES = 100
END = object()  # of a list
Json = TypeVar("Json")
Found = TypeVar("Found")
Listing = Callable[..., Awaitable[Response[Any, Any]]]


class GitHubClient:
    """Speaks for an installation, for the App itself, or for whoever a token belongs to.

    What githubkit's methods return is handed to `answer`, those that list to `pages`.
    """

    def __init__(self, github: GitHub[Any], pace: RequestPace) -> None:
        self.github, self.rest, self.pace = github, github.rest, pace

    async def answer(self, asked: Awaitable[Response[Any, Json]]) -> Json:
        """Await one answer: its JSON, None if it has no body."""
        response = await _ours(asked)
        return _json(response) if response.content else None  # type: ignore[return-value] - so the schema has it

    async def pages(self, listing: Listing, key: str = "", most: int = MOST_PAGES) -> AsyncIterator[Any]:
        """Go through the items of a list, page after page; `key` names the list if the answer is an object."""
        count = left = 0

        def items(response: Response[Any, Any]) -> list[Any]:
            nonlocal count, left
            data = _json(response)
            rows = data.get(key) if key and isinstance(data, dict) else data
            if not isinstance(rows, list) or count == most:  # the last: GitHub has sent empty pages alone
                raise HostError("GitHub answered with something that is not the list that was asked for")
            count, left = count + 1, len(rows)
            return rows

        listed = self.rest.paginate(listing, items, per_page=100)
        while left or count < most:
            item = await _ours(anext(listed, END))
            if item is END:
                return
            left -= 1
            yield item

    async def ask(self, document: str, **variables: object) -> dict[str, Any]:
        """Await the data of a GraphQL document, which may be carried out twice."""
        return await _ours(self.github.async_graphql(document, variables))

    async def revoke(self) -> None:
        """End the token in use. If that fails it ends by itself within the hour."""
        with suppress(HostError):
            await self.answer(self.rest.apps.async_revoke_installation_access_token())


@asynccontextmanager
async def opened(
    api: str, auth: BaseAuthStrategy, pace: RequestPace, installation: int = 0, tokens: TokenCache | None = None
) -> AsyncIterator[GitHubClient]:
    """Open a client for one task and its children: they share its connections. A token that was made for it ends with it."""
    tokens = tokens or TokenCache(MemCache())
    policy = Policy(httpx.URL(api), pace, installation, auth, tokens)
    github = GitHub(
        auth,
        base_url=api,
        user_agent=f"deeprepo/{__version__}",
        timeout=httpx.Timeout(pace.timeout, connect=min(10.0, pace.timeout)),
        ssl_verify=_trusted() if api.startswith("https:") else False,
        async_event_hooks={"request": [policy.leaves], "response": [policy.arrives]},
        cache_strategy=Kept(tokens),
        http_cache=False,  # what a proxy or a cache has kept is not the answer
        throttler=policy,
        auto_retry=policy.retry,
        rest_api_validate_body=False,  # mypy has compared the request with the description; to do it again loads the models
    )
    signing = auth.get_auth_flow(github)
    if isinstance(signing, AppAuth) and not await _signs(signing):
        raise ConfigError("the App's private key cannot be used: it must be the whole PEM file that GitHub gave")
    async with github:
        client = GitHubClient(github, pace)
        try:
            yield client
        finally:
            if tokens.token:
                await client.revoke()


async def _signs(auth: AppAuth) -> bool:
    """Whether the App's key makes signatures. One is kept for minutes."""
    import jwt
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        await auth.aget_jwt()
    except (jwt.PyJWTError, UnsupportedAlgorithm, ValueError, TypeError, AttributeError):  # a public key cannot sign
        return False
    return True


async def _ours(asked: Awaitable[Found]) -> Found:
    try:
        return await asked
    except (GitHubException, ValidationError, httpx.InvalidURL) as error:
        wrong = failure(error)
    raise wrong.with_traceback(None)  # outside of `except`: what the library raised has the request, and it the token


def _json(response: Response[Any, Json]) -> Json:
    try:
        return response.json()
    except (ValueError, RecursionError):
        pass
    raise HostDown("GitHub answered with something that is not JSON")


@cache
def _trusted() -> ssl.SSLContext:
    """Read the certificates that are trusted, the models' as well: the system's, or SSL_CERT_FILE. It takes longer than a request."""
    return httpx2.create_ssl_context()
