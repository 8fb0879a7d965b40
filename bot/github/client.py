"""A GitHub client for one task: githubkit's client with our limits, retries and errors."""

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
from bot.github.policy import Policy, RequestPace, Token
from bot.github.responses import failure, unknown

QUERIES = Path(__file__).with_name("queries")
MAX_PAGES = 100
LIST_END = object()  # what `anext` returns at the end of a list
Json = TypeVar("Json")
Found = TypeVar("Found")
Listing = Callable[..., Awaitable[Response[Any, Any]]]


class HiddenText(str):
    """A string whose repr is masked, because the reprs of githubkit's objects would show secrets."""

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
        """Return a response's JSON, or None if the response has no body. Raises HostError."""
        response = await _translated(request)
        return _json(response) if response.content else cast("Json", None)

    async def pages(self, listing: Listing, key: str = "", most: int = MAX_PAGES) -> AsyncIterator[Any]:
        """Yield the items of a list, from at most `most` pages.

        `key` is the name of the list if each page is a JSON object. Raises HostError.
        """
        pages = left = 0

        def items(response: Response[Any, Any]) -> list[Any]:
            nonlocal pages, left
            data = _json(response)
            rows = data.get(key) if key and isinstance(data, dict) else data
            # After the last page, GitHub would return empty pages forever.
            if not isinstance(rows, list) or pages == most:
                raise unknown("the list that was asked for")
            pages, left = pages + 1, len(rows)
            return rows

        listed = self.rest.paginate(listing, items, per_page=100)
        while left or pages < most:
            item = await _translated(anext(listed, LIST_END))
            if item is LIST_END:
                return
            left -= 1
            yield item

    async def ask(self, name: str, /, **variables: object) -> dict[str, Any]:
        """Run the GraphQL document with this name, which is safe to retry, and return its data."""
        return await _translated(self.github.async_graphql(query(name), variables))

    async def nodes(self, name: str, variables: dict[str, Any], most: int = MAX_PAGES) -> AsyncIterator[Any]:
        """Run a GraphQL document that returns a list, and yield the nodes of at most `most` pages."""
        pages = self.github.graphql.paginate(query(name), variables)
        for _ in range(most):
            try:
                data: Any = await _translated(anext(pages, LIST_END))
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
    """Open a client for one task and its subtasks, which share its connections.

    If the client created an installation `token`, the token is revoked at the end.
    """
    policy = Policy(api, pace, installation, token)
    github = GitHub(
        auth,
        base_url=api,
        user_agent=f"deeprepo/{__version__}",
        timeout=httpx.Timeout(pace.timeout, connect=min(10.0, pace.timeout)),
        ssl_verify=_ssl_context() if api.startswith("https:") else False,
        async_event_hooks={"request": [policy.on_request], "response": [policy.on_response]},
        cache_strategy=cache or MemCacheStrategy(),
        http_cache=False,  # cached responses may be outdated
        throttler=policy,
        auto_retry=policy.retry,
        # mypy checks the request bodies, and validating them at run time would load all of githubkit's
        # models.
        rest_api_validate_body=False,
    )
    async with github:
        client = GitHubClient(github, pace)
        try:
            yield client
        finally:
            if token is not None and token.value:
                with suppress(HostError):  # it expires within the hour anyway
                    await client.json(client.rest.apps.async_revoke_installation_access_token())


@cache
def query(name: str) -> str:
    """Return a GraphQL document. We use GraphQL only for what REST cannot do, such as resolving threads."""
    return (QUERIES / f"{name}.graphql").read_text(encoding="utf-8")


async def _translated(request: Awaitable[Found]) -> Found:
    try:
        return await request
    except (GitHubException, ValidationError, httpx.InvalidURL) as error:
        our_error = failure(error)
    # Raised outside `except` so that it isn't chained to githubkit's error, which contains the token.
    raise our_error.with_traceback(None)


def _json(response: Response[Any, Json]) -> Json:
    with suppress(ValueError, RecursionError):
        return response.json()
    raise HostDown("GitHub sent a response that is not JSON")


# Certificates from the system or SSL_CERT_FILE. Loading them takes longer than a request.
_ssl_context = cache(httpx2.create_ssl_context)
