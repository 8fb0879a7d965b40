"""githubkit's client for one piece of work, with our policy and our errors."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar, cast

import httpx
import httpx2
from githubkit import AppInstallationAuthStrategy, BaseAuthStrategy, GitHub, GitHubCore, Response
from githubkit.cache import BaseCache, MemCacheStrategy
from githubkit.exception import GitHubException
from githubkit.utils import UNSET
from pydantic import ValidationError

from bot import __version__
from bot.errors import HostDown, HostError
from bot.github.answers import failure
from bot.github.pace import RequestPace
from bot.github.policy import Policy

if TYPE_CHECKING:
    from githubkit.auth.app import AppAuth

MOST_PAGES = 100
END = object()  # of a list
UNAUTHORIZED, UNPROCESSABLE = 401, 422
Json = TypeVar("Json")
Found = TypeVar("Found")
Listing = Callable[..., Awaitable[Response[Any, Any]]]
_number = count()


class HiddenText(str):
    """A text whose repr does not show it: the library's values show everything in theirs."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'**********'"


class Installation(BaseAuthStrategy, httpx.Auth):
    """An installation's token for one piece of work: githubkit makes and renews it, and nobody else has it, so it can be revoked."""

    _auth: "AppAuth"
    _cache: BaseCache

    def __init__(self, asked: AppInstallationAuthStrategy) -> None:
        self._asked, self._making, self._key = asked, asyncio.Lock(), f"token {next(_number)}"

    def get_auth_flow(self, github: "GitHubCore[Any]") -> httpx.Auth:
        """Sign the requests of a client."""
        self._cache, auth = github.config.cache_strategy.get_cache_storage(), self._asked.get_auth_flow(github)
        self._auth = cast("AppAuth", auth)
        self._auth.INSTALLATION_CACHE_KEY = self._key  # type: ignore[misc] # of this one alone
        return self

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Sign a request. githubkit sees another one in its place: it cannot read a path with a question mark in a name."""
        stands = httpx.Request("GET", self._auth.github.config.base_url.join("installation/repositories"))
        async with self._making:  # one token, however many requests wait for it
            flow = self._auth.async_auth_flow(stands)
            signed = await anext(flow)
            if signed is not stands:
                signed = await flow.asend((yield signed))
            await flow.aclose()
        request.headers["Authorization"] = signed.headers["Authorization"]
        yield request

    def renewed(self, status: int) -> bool:
        """Whether another token may be accepted after this refusal: a new one, or one for what the owner has granted."""
        narrow = status == UNPROCESSABLE and not self.used and self._auth.permissions is not UNSET
        if narrow:
            self._auth.permissions = UNSET
        elif status == UNAUTHORIZED:
            self.forget()
        return narrow or status == UNAUTHORIZED

    @property
    def used(self) -> bool:
        """Whether there is a token to revoke."""
        return bool(self._cache.get(self._key))

    def forget(self) -> None:
        """Drop the token."""
        self._cache.set(self._key, "", timedelta(days=-1))
        self._cache.get(self._key)  # which deletes what is over


class GitHubClient:
    """Speaks for an installation, for the App itself, or for the owner of a token.

    What githubkit's methods return is handed to `answer`, those that list to `pages`.
    """

    def __init__(self, github: GitHub[Any], pace: RequestPace) -> None:
        self.github, self.rest, self.pace = github, github.rest, pace

    async def answer(self, asked: Awaitable[Response[Any, Json]]) -> Json:
        """Await one answer: its JSON, None if it has no body."""
        response = await _ours(asked)
        return _json(response) if response.content else cast("Json", None)

    async def pages(self, listing: Listing, key: str = "", most: int = MOST_PAGES) -> AsyncIterator[Any]:
        """Go through the items of a list, page after page; `key` names the list if the answer is an object."""
        pages = left = 0

        def items(response: Response[Any, Any]) -> list[Any]:
            nonlocal pages, left
            data = _json(response)
            rows = data.get(key) if key and isinstance(data, dict) else data
            if not isinstance(rows, list) or pages == most:  # the last: GitHub goes on with empty pages
                raise HostError("GitHub answered with something that is not the list that was asked for")
            pages, left = pages + 1, len(rows)
            return rows

        listed = self.rest.paginate(listing, items, per_page=100)
        while left or pages < most:
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
    api: str, auth: BaseAuthStrategy, pace: RequestPace, installation: int = 0, kept: MemCacheStrategy | None = None
) -> AsyncIterator[GitHubClient]:
    """Open a client for one task and its children: they share its connections. A token that it made ends with it."""
    made = auth if isinstance(auth, Installation) else None
    policy = Policy(api, pace, installation, made.renewed if made else lambda _status: False)
    github = GitHub(
        auth,
        base_url=api,
        user_agent=f"deeprepo/{__version__}",
        timeout=httpx.Timeout(pace.timeout, connect=min(10.0, pace.timeout)),
        ssl_verify=_trusted() if api.startswith("https:") else False,
        async_event_hooks={"request": [policy.leaves], "response": [policy.arrives]},
        cache_strategy=kept or MemCacheStrategy(),
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
            if made and made.used:
                await client.revoke()
                made.forget()


async def _ours(asked: Awaitable[Found]) -> Found:
    try:
        return await asked
    except (GitHubException, ValidationError, httpx.InvalidURL) as error:
        wrong = failure(error)
    raise wrong.with_traceback(None)  # outside of `except`: what the library raised has the request, and it the token


def _json(response: Response[Any, Json]) -> Json:
    with suppress(ValueError, RecursionError):
        return response.json()
    raise HostDown("GitHub answered with something that is not JSON")


@cache
def _trusted() -> ssl.SSLContext:
    """Read the certificates that are trusted, those of model calls: the system's, or SSL_CERT_FILE. It takes longer than a request."""
    return httpx2.create_ssl_context()
