"""githubkit's client for one piece of work, with our policy and our errors."""

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
LIST_END = object()  # of a list
Json = TypeVar("Json")
Found = TypeVar("Found")
Listing = Callable[..., Awaitable[Response[Any, Any]]]


class HiddenText(str):
    """A text whose repr does not show it: the library's values show everything in theirs."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'**********'"


class GitHubClient:
    """Speaks for an installation, for the App itself, or for the owner of a token.

    What githubkit's methods return is handed to `json`, those that list to `pages`.
    """

    def __init__(self, github: GitHub[Any], pace: RequestPace) -> None:
        self.github, self.rest, self.pace = github, github.rest, pace

    async def json(self, request: Awaitable[Response[Any, Json]]) -> Json:
        """Await one answer: its JSON, None if it has no body."""
        response = await _ours(request)
        return _json(response) if response.content else cast("Json", None)

    async def content(self, request: Awaitable[Response[Any, Any]]) -> bytes:
        """Await an answer that is not JSON, as it came: bounded as every answer is."""
        return (await _ours(request)).content

    async def pages(self, listing: Listing, key: str = "", most: int = MOST_PAGES) -> AsyncIterator[Any]:
        """Go through the items of a list, page after page; `key` names the list if the answer is an object."""
        pages = left = 0

        def items(response: Response[Any, Any]) -> list[Any]:
            nonlocal pages, left
            data = _json(response)
            rows = data.get(key) if key and isinstance(data, dict) else data
            if not isinstance(rows, list) or pages == most:  # the last: GitHub goes on with empty pages
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
        """Await the data of one of our GraphQL documents, each of which may be carried out twice."""
        return await _ours(self.github.async_graphql(query(name), variables))

    async def nodes(self, name: str, variables: dict[str, Any], most: int = MOST_PAGES) -> AsyncIterator[Any]:
        """Go through the nodes of a document's list, page after page."""
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
    """Open a client for one task and its children: they share its connections. A token that is made for it ends with it."""
    policy = Policy(api, pace, installation, token)
    github = GitHub(
        auth,
        base_url=api,
        user_agent=f"deeprepo/{__version__}",
        timeout=httpx.Timeout(pace.timeout, connect=min(10.0, pace.timeout)),
        ssl_verify=_trusted() if api.startswith("https:") else False,
        async_event_hooks={"request": [policy.leaves], "response": [policy.arrives]},
        cache_strategy=cache or MemCacheStrategy(),
        http_cache=False,  # what was kept is not the answer
        throttler=policy,
        auto_retry=policy.retry,
        rest_api_validate_body=False,  # mypy has compared the requests with GitHub's description; doing it again loads the models
    )
    async with github:
        client = GitHubClient(github, pace)
        try:
            yield client
        finally:
            if token is not None and token.made:
                with suppress(HostError):  # it ends by itself within the hour
                    await client.json(client.rest.apps.async_revoke_installation_access_token())


@cache
def query(name: str) -> str:
    """Read a GraphQL document. REST can neither fold a comment nor tell or resolve a thread, and finds no fork's pull request by its commit."""
    return (QUERIES / f"{name}.graphql").read_text(encoding="utf-8")


async def _ours(request: Awaitable[Found]) -> Found:
    try:
        return await request
    except (GitHubException, ValidationError, httpx.InvalidURL) as error:
        wrong = failure(error)
    raise wrong.with_traceback(None)  # outside of `except`: what the library raised has the request, and it the token


def _json(response: Response[Any, Json]) -> Json:
    with suppress(ValueError, RecursionError):
        return response.json()
    raise HostDown("GitHub sent a response that is not JSON")


_trusted = cache(httpx2.create_ssl_context)  # the system's, or SSL_CERT_FILE: to read them takes longer than a request
