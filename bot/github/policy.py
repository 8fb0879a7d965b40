"""Our policy for githubkit: request rate, retries, accepted responses, and where tokens may be sent."""

import asyncio
import re
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import cast

import httpx
from githubkit.exception import GitHubException
from githubkit.throttling import BaseThrottler
from githubkit.typing import RetryOption

from bot.errors import HostLimited, HostRefused
from bot.github import responses
from bot.github.pace import RequestPace

VERSION = "2022-11-28"  # API version; Enterprise servers do not know newer ones
TRIES, UNAUTHORIZED = 3, 401
FOLLOWED = frozenset({301, 307, 308})  # redirects that GitHub uses for writes to a moved repository
BY_ID = re.compile(r"/repositories/[0-9]+(?:/|$)")
MOST_LIMITS = 10  # consecutive requests to wait, so that a server that names no time is not asked forever
SYNCHRONOUS = "GitHub is asked from an event loop only: use the asynchronous methods of the client"
MAX_ANSWER_BYTES = 32 << 20  # per response; 100 of GitHub's longest comments have 26 MB
AT_ONCE = 0.001  # seconds; githubkit treats 0 as a minute
# Writes whose effect nobody sees.
UNSEEN = ("/access_tokens", "/access_token", "/token", "/attempts", "/conversions")
_waited: ContextVar[float] = ContextVar("waited")  # seconds that the current request has waited for limits


class Token:
    """An installation's token for one task, which can be revoked. Not frozen, because it is renewed."""

    def __init__(self, mint: Callable[[], Awaitable[tuple[str, datetime]]]) -> None:
        self.made, self._mint, self._making, self._ends = "", mint, asyncio.Lock(), datetime.now(UTC)

    async def current(self) -> str:
        """Return a valid token. Concurrent requests share one."""
        async with self._making:
            if not self.made or datetime.now(UTC) > self._ends - timedelta(minutes=1):
                self.made, self._ends = await self._mint()
            return self.made


class Policy(BaseThrottler):
    """The hooks of one client."""

    def __init__(self, api: str, pace: RequestPace, installation: int, token: Token | None) -> None:
        self._api, self._pace, self._installation, self._token = httpx.URL(api), pace, installation, token

    @contextmanager
    def acquire(self, request: httpx.Request) -> Iterator[None]:
        """Raise TypeError, because this client has no synchronous form."""
        raise TypeError(f"{request.method}: {SYNCHRONOUS}")

    @asynccontextmanager
    async def async_acquire(self, request: httpx.Request) -> AsyncIterator[None]:
        """Wait for a request's turn. Raises HostLimited if GitHub's limit lasts longer than our patience."""
        path, question = request.url.path, b'{"query":"query'
        if request.method != "GET" and not path.endswith(UNSEEN) and not request.content.startswith(question):
            await self._pace.turn(self._installation)
        left = self._pace.left(self._installation)
        if left > self._pace.patience:
            raise HostLimited(f"GitHub asked to wait for {left:.0f} s more", left)
        await asyncio.sleep(left)
        if self._token is not None:
            request.headers["Authorization"] = f"Bearer {await self._token.current()}"
        yield

    async def leaves(self, request: httpx.Request) -> None:
        """Sign a request only if it goes to this server, also after redirects and on next pages."""
        # Unpacked by `_BoundedStream`.
        request.headers.update({"X-GitHub-Api-Version": VERSION, "Accept-Encoding": "gzip"})
        signed, origin = request.headers.pop("Authorization", ""), request.url
        if signed and (origin.scheme, origin.host, origin.port) == (self._api.scheme, self._api.host, self._api.port):
            request.headers["Authorization"] = signed.replace("token ", "Bearer ", 1)

    async def arrives(self, response: httpx.Response) -> None:
        """Check a response, and raise our error unless it answers the request."""
        left = response.headers.get("x-ratelimit-remaining", "")
        self._pace.on_answer(response.status_code, int(left) if left.isdecimal() else None)
        response.stream = _BoundedStream(response)
        if response.has_redirect_location and self._leads_to_repository(response):
            # Repeat the request, because the library turns a 301 into a GET.
            response.status_code = HTTPStatus.PERMANENT_REDIRECT
        elif response.has_redirect_location and response.request.method != "GET":
            what, status = responses.route_of(response.request), response.status_code
            raise HostRefused(f"GitHub refused {what} with status {status}: the address has moved", status)
        await response.aread()
        # The read stream refers to the response and would keep megabytes.
        response.stream = httpx.ByteStream(b"")
        if response.is_error:
            raise responses.http_error(response)
        if response.url.path.endswith("/graphql"):
            responses.graphql(response)
        self._pace.fine(self._installation)

    def _leads_to_repository(self, response: httpx.Response) -> bool:
        """Return whether a write is redirected to a repository's id on this server."""
        target, api = response.request.url.join(response.headers["location"]), self._api
        is_here = (target.scheme, target.host, target.port) == (api.scheme, api.host, api.port)
        below = target.path.removeprefix(api.path.rstrip("/"))
        is_write = response.request.method != "GET" and response.status_code in FOLLOWED
        return is_write and is_here and BY_ID.match(below) is not None

    def retry(self, error: GitHubException, count: int) -> RetryOption:
        """Return whether to retry after this failure, and after how long."""
        failed, waited, wait = responses.failure(error), _waited.get() if count else 0.0, AT_ONCE
        if isinstance(failed, HostLimited):
            unnamed = isinstance(failed, responses.Nameless)
            failed.retry_after = self._pace.note_limit(self._installation, None if unnamed else failed.retry_after)
            wait += failed.retry_after
            _waited.set(waited + failed.retry_after)
            again = _waited.get() <= self._pace.patience and count + 1 < MOST_LIMITS
            return RetryOption(again, timedelta(seconds=wait))
        _waited.set(waited)
        again = isinstance(failed, responses.Repeatable)
        wait += self._pace.pause(count + 1) if again else 0.0
        if isinstance(failed, HostRefused) and failed.status == UNAUTHORIZED and self._token is not None:
            self._token.made, again = "", True  # retry with another one
        return RetryOption(again and count + 1 < TRIES, timedelta(seconds=wait))


class _BoundedStream(httpx.AsyncByteStream):
    """A response's body, unpacked here to limit its size."""

    def __init__(self, response: httpx.Response) -> None:
        self._stream, self._what = cast("httpx.AsyncByteStream", response.stream), responses.route_of(response.request)
        self._unzip = zlib.decompressobj(47) if response.headers.pop("content-encoding", "") else None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MAX_ANSWER_BYTES
        async for chunk in self._stream:
            try:
                part = self._unzip.decompress(chunk, left + 1) if self._unzip else chunk
            except zlib.error:
                raise httpx.DecodingError("not as its header names it") from None
            left -= len(part)
            if left < 0:
                wrong = f"GitHub's response to {self._what} was not read, because it is larger than {MAX_ANSWER_BYTES >> 20} MB"
                raise HostRefused(wrong, HTTPStatus.OK)
            yield part

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()
