"""githubkit's client for one task, with our policy and errors."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import httpx
import httpx2
from githubkit import BaseAuthStrategy, GitHub, Response
from githubkit.cache import MemCacheStrategy
from githubkit.exception import GitHubException
from pydantic import ValidationError

from bot import __version__
from bot.errors import HostDown, HostError
from bot.github.pace import RequestPace
from bot.github.policy import Policy, Token
from bot.github.responses import failure, unknown

QUERIES = Path(__file__).with_name("queries")
MOST_PAGES = 100
LIST_END = object()  # the end of a list
Json = TypeVar("Json")
Found = TypeVar("Found")
Listing = Callable[..., Awaitable[Response[Any, Any]]]


class HiddenText(str):
    """A text whose repr hides it, because reprs of the library's values show everything."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'**********'"


class GitHubClient:
    """A client for an installation, the App itself, or a token's owner.

    Pass a single response to `json`, and a listing method to `pages`.
    """

    def __init__(self, github: GitHub[Any], pace: RequestPace) -> None:
        self.github, self.rest, self.pace = github, github.rest, pace

    async def json(self, request: Awaitable[Response[Any, Json]]) -> Json:
        """Return a response's JSON; None without a body."""
        response = await _ours(request)
        return _json(response) if response.content else cast("Json", None)

    async def content(self, request: Awaitable[Response[Any, Any]]) -> bytes:
        """Return a response's bytes, limited in size like every response."""
        return (await _ours(request)).content

    async def pages(self, listing: Listing, key: str = "", most: int = MOST_PAGES) -> AsyncIterator[Any]:
        """Yield the items of all pages of a list. `key` names the list if the response is an object."""
        pages = left = 0

        def items(response: Response[Any, Any]) -> list[Any]:
            nonlocal pages, left
            data = _json(response)
            rows = data.get(key) if key and isinstance(data, dict) else data
            # The last page, because GitHub continues with empty ones.
            if not isinstance(rows, list) or pages == most:
                raise unknown("the list that was asked for")
            pages, left = pages + 1, len(rows)
            return rows

        listed = self.rest.paginate(listing, items, per_page=100)
        while left or pages < most:
            item = await _ours(anext(listed, LIST_END))
            if item is LIST_END:
                return
            left -= 1
            yield item

    async def ask(self, name: str, /, **variables: object) -> dict[str, Any]:
        """Return the data of one of our GraphQL documents, all of which may be repeated."""
        return await _ours(self.github.async_graphql(query(name), variables))

    async def nodes(self, name: str, variables: dict[str, Any], most: int = MOST_PAGES) -> AsyncIterator[Any]:
        """Yield the nodes of all pages of a document's list."""
        pages = self.github.graphql.paginate(query(name), variables)
        for _ in range(most):
            try:
                data: Any = await _ours(anext(pages, LIST_END))
            except (KeyError, TypeError):
                raise unknown() from None
            if data is LIST_END:
                return
            while "pageInfo" not in data:
                data = next((value for value in data.values() if isinstance(value, dict)), None)
                if data is None:
                    raise unknown()
            for node in filter(None, data.get("nodes") or ()):
                yield node


@asynccontextmanager
async def open_client(
    api: str,
    auth: BaseAuthStrategy,
    pace: RequestPace,
    installation: int = 0,
    cache: MemCacheStrategy | None = None,
    token: Token | None = None,
) -> AsyncIterator[GitHubClient]:
    """Open a client for one task and its children, which share connections.

    A token made for it is revoked.
    """
    policy = Policy(api, pace, installation, token)
    github = GitHub(
        auth,
        base_url=api,
        user_agent=f"deeprepo/{__version__}",
        timeout=httpx.Timeout(pace.timeout, connect=min(10.0, pace.timeout)),
        ssl_verify=_trusted() if api.startswith("https:") else False,
        async_event_hooks={"request": [policy.leaves], "response": [policy.arrives]},
        cache_strategy=cache or MemCacheStrategy(),
        http_cache=False,  # cached responses may be outdated
        throttler=policy,
        auto_retry=policy.retry,
        # Mypy has checked the requests, and validating again would load the models.
        rest_api_validate_body=False,
    )
    async with github:
        client = GitHubClient(github, pace)
        try:
            yield client
        finally:
            if token is not None and token.made:
                with suppress(HostError):  # it expires within the hour anyway
                    await client.json(client.rest.apps.async_revoke_installation_access_token())


@cache
def query(name: str) -> str:
    """Return a GraphQL document, for what REST cannot do, such as hiding comments and resolving threads."""
    return (QUERIES / f"{name}.graphql").read_text(encoding="utf-8")


async def _ours(request: Awaitable[Found]) -> Found:
    try:
        return await request
    except (GitHubException, ValidationError, httpx.InvalidURL) as error:
        wrong = failure(error)
    # Raised outside `except`, because the library's error contains the request with the token.
    raise wrong.with_traceback(None)


def _json(response: Response[Any, Json]) -> Json:
    with suppress(ValueError, RecursionError):
        return response.json()
    raise HostDown("GitHub sent a response that is not JSON")


# The system's or SSL_CERT_FILE; loading them takes longer than a request.
_trusted = cache(httpx2.create_ssl_context)
