"""Hooks for githubkit.

They limit the request rate, decide on retries, check responses, and protect tokens. GitHub's limits apply to all
requests of an installation together.
"""

import asyncio
import re
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any, TypeVar, cast

import httpx
from githubkit.exception import GitHubException
from githubkit.throttling import BaseThrottler
from githubkit.typing import RetryOption

from bot.errors import HostLimited, HostRefused
from bot.github import responses


class RequestPace:
    """The request rate of this process. It is mutable: it records when each installation may write again."""

    def __init__(
        self,
        between: float = 1.0,
        backoff: float = 1.0,
        patience: float = 60.0,
        timeout: float = 30.0,
        on_answer: Callable[[int, int | None], None] = lambda _status, _remaining: None,
        on_return: Callable[[], None] = lambda: None,
    ) -> None:
        """Set the limits, all in seconds.

        `between`: the minimum time between two writes. `backoff`: the wait before the first retry.
        `patience`: how long a request may wait for rate limits in total. `timeout`: per response. `on_answer`
        is called with each response's status and the number of requests that GitHub still allows. `on_return` is
        called when GitHub accepts the App again.
        """
        self.between, self.backoff, self.patience, self.timeout = between, backoff, patience, timeout
        self.on_answer, self.on_return = on_answer, on_return
        self.clock_ahead = 0.0  # seconds by which our clock was ahead of GitHub's at the last response
        self.is_locked_out = False  # whether GitHub did not answer the App, or refused its key or clock
        # All by installation, with times of the event loop's clock.
        self._next_write: dict[int, float] = {}  # when it may write again
        self._limited_until: dict[int, float] = {}  # until when GitHub refuses its requests
        self._streak: dict[int, int] = {}  # consecutive rate limits without a time

    async def wait_for_turn(self, installation: int) -> None:
        """Wait until this installation may write."""
        at = max(_now(), self._next_write.get(installation, 0.0))
        self._next_write[installation] = at + self.between
        await asyncio.sleep(max(0.0, at - _now()))

    def pause(self, tries: int) -> float:
        """Return the seconds to wait before the next try, which double each time."""
        return self.backoff * 2.0 ** (tries - 1)

    async def wait_before_retry(self, tries: int) -> None:
        """Wait before another try."""
        await asyncio.sleep(self.pause(tries))

    def seconds_limited(self, installation: int) -> float:
        """Return the seconds until GitHub's last rate limit ends, or 0."""
        return max(0.0, self._limited_until.get(installation, 0.0) - _now())

    def note_limit(self, installation: int, seconds: float | None) -> float:
        """Record a rate limit and return its seconds.

        A limit without a time lasts a minute, doubled each time.
        """
        if seconds is None:
            streak = self._streak[installation] = self._streak.get(installation, 0) + 1
            seconds = min(responses.FIRST_WAIT * 2 ** (streak - 1), responses.MAX_WAIT)
        self._limited_until[installation] = max(self._limited_until.get(installation, 0.0), _now() + seconds)
        return seconds

    def note_success(self, installation: int) -> None:
        """Record a successful request, which resets the doubling of waiting times."""
        self._streak.pop(installation, None)
        if self.is_locked_out and not installation:  # 0 is the App itself
            self.is_locked_out = False
            self.on_return()


def _now() -> float:
    return asyncio.get_running_loop().time()


API_VERSION = "2022-11-28"  # GitHub Enterprise Servers don't support newer versions
TRIES, UNAUTHORIZED = 3, 401
MOVED_STATUSES = frozenset({301, 307, 308})  # how GitHub redirects writes to a repository that has moved
BY_ID = re.compile(r"/repositories/[0-9]+(?:/|$)")
MAX_LIMITS = 10  # consecutive rate limits, after which a request fails even if GitHub never gives a time
SYNCHRONOUS = "this client only supports asynchronous requests. Use githubkit's async methods"
MAX_RESPONSE_BYTES = 32 << 20  # per response; 100 comments of GitHub's maximum length have 26 MB
MIN_WAIT = 0.001  # seconds; githubkit would wait a minute for 0
# Writes that don't create content on GitHub, so they don't count against its limit on creating content.
UNTHROTTLED = ("/access_tokens", "/access_token", "/token", "/attempts", "/conversions")
_waited: ContextVar[float] = ContextVar("waited")  # seconds that the current request has waited for limits


class Token:
    """An installation's access token for one task. It is created on first use, and renewed before it expires.

    `create` requests a new token and returns it with its expiry.
    """

    def __init__(self, create: Callable[[], Awaitable[tuple[str, datetime]]]) -> None:
        self.value, self._create, self._lock, self._expires_at = "", create, asyncio.Lock(), datetime.now(UTC)

    async def current(self) -> str:
        """Return a valid token. Concurrent requests share one."""
        async with self._lock:
            if not self.value or datetime.now(UTC) > self._expires_at - timedelta(minutes=1):
                self.value, self._expires_at = await self._create()
            return self.value


class Policy(BaseThrottler):
    """The hooks of one githubkit client."""

    def __init__(self, api: str, pace: RequestPace, installation: int, token: Token | None) -> None:
        self._api, self._pace, self._installation, self._token = httpx.URL(api), pace, installation, token

    @contextmanager
    def acquire(self, request: httpx.Request) -> Iterator[None]:
        """Raise TypeError, because synchronous requests would not be limited."""
        raise TypeError(f"{request.method}: {SYNCHRONOUS}")

    @asynccontextmanager
    async def async_acquire(self, request: httpx.Request) -> AsyncIterator[None]:
        """Wait until a request may be sent, and add the token to it.

        Raises HostLimited if GitHub's rate limit lasts longer than `RequestPace.patience`.
        """
        path, graphql_query = request.url.path, b'{"query":"query'
        if request.method != "GET" and not path.endswith(UNTHROTTLED) and not request.content.startswith(graphql_query):
            await self._pace.wait_for_turn(self._installation)
        left = self._pace.seconds_limited(self._installation)
        if left > self._pace.patience:
            raise HostLimited(f"GitHub asked to wait for {left:.0f} s more", left)
        await asyncio.sleep(left)
        if self._token is not None:
            request.headers["Authorization"] = f"Bearer {await self._token.current()}"
        yield

    async def on_request(self, request: httpx.Request) -> None:
        """Set a request's headers. Remove its token if it goes to another server, as after a redirect."""
        # `_BoundedStream` decompresses the response.
        request.headers.update({"X-GitHub-Api-Version": API_VERSION, "Accept-Encoding": "gzip"})
        authorization, url = request.headers.pop("Authorization", ""), request.url
        if authorization and (url.scheme, url.host, url.port) == (self._api.scheme, self._api.host, self._api.port):
            request.headers["Authorization"] = authorization.replace("token ", "Bearer ", 1)

    async def on_response(self, response: httpx.Response) -> None:
        """Read a response within the size limit. Raises HostError for an error or an unexpected redirect."""
        left = response.headers.get("x-ratelimit-remaining", "")
        self._pace.clock_ahead = responses.clock_ahead(response.headers)
        self._pace.on_answer(response.status_code, int(left) if left.isdecimal() else None)
        response.stream = _BoundedStream(response)
        if response.has_redirect_location and self._is_moved_repository(response):
            # With this status, httpx repeats the write. It would turn a 301 into a GET.
            response.status_code = HTTPStatus.PERMANENT_REDIRECT
        elif response.has_redirect_location and response.request.method != "GET":
            what, status = responses.route_of(response.request), response.status_code
            raise HostRefused(f"GitHub refused {what} with status {status}: the address has moved", status)
        await response.aread()
        # The stream that was read refers to the response, which would keep megabytes in memory.
        response.stream = httpx.ByteStream(b"")
        if response.is_error:
            raise responses.http_error(response)
        if response.url.path.endswith("/graphql"):
            responses.graphql(response)
        self._pace.note_success(self._installation)

    def _is_moved_repository(self, response: httpx.Response) -> bool:
        """Return whether a write is redirected to the same server's URL of a repository by ID."""
        target, api = response.request.url.join(response.headers["location"]), self._api
        is_here = (target.scheme, target.host, target.port) == (api.scheme, api.host, api.port)
        below = target.path.removeprefix(api.path.rstrip("/"))
        is_write = response.request.method != "GET" and response.status_code in MOVED_STATUSES
        return is_write and is_here and BY_ID.match(below) is not None

    def retry(self, error: GitHubException, count: int) -> RetryOption:
        """Return whether and when to retry after this error. `count`: the retries so far."""
        failed, waited, wait = responses.failure(error), _waited.get() if count else 0.0, MIN_WAIT
        if isinstance(failed, HostLimited):
            has_time = not isinstance(failed, responses.LimitWithoutTimeError)
            failed.retry_after = self._pace.note_limit(self._installation, failed.retry_after if has_time else None)
            wait += failed.retry_after
            _waited.set(waited + failed.retry_after)
            again = _waited.get() <= self._pace.patience and count + 1 < MAX_LIMITS
            return RetryOption(again, timedelta(seconds=wait))
        _waited.set(waited)
        again = isinstance(failed, responses.RetryableError)
        wait += self._pace.pause(count + 1) if again else 0.0
        is_unknown = isinstance(failed, HostRefused) and failed.status == UNAUTHORIZED
        if not self._installation and (again or is_unknown):
            self._pace.is_locked_out = True
        if is_unknown and self._token is not None:
            self._token.value, again = "", True  # retry with a new token
        return RetryOption(again and count + 1 < TRIES, timedelta(seconds=wait))


class _BoundedStream(httpx.AsyncByteStream):
    """Decompresses a response's body, and limits its decompressed size."""

    def __init__(self, response: httpx.Response) -> None:
        self._stream, self._what = cast("httpx.AsyncByteStream", response.stream), responses.route_of(response.request)
        self._unzip = zlib.decompressobj(47) if response.headers.pop("content-encoding", "") else None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MAX_RESPONSE_BYTES
        async for chunk in self._stream:
            try:
                part = self._unzip.decompress(chunk, left + 1) if self._unzip else chunk
            except zlib.error:
                raise httpx.DecodingError("the body does not match its Content-Encoding") from None
            left -= len(part)
            if left < 0:
                raise HostRefused(
                    f"GitHub's response to {self._what} was not read, because it is larger than "
                    f"{MAX_RESPONSE_BYTES >> 20} MB",
                    HTTPStatus.OK,
                )
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


FRESH_SECONDS = 60.0  # how long a value is cached
MAX_KEYS = 1_000
Value = TypeVar("Value")


@dataclass(slots=True)
class Recent:
    """Caches values by key, for FRESH_SECONDS."""

    clock: Callable[[], float] = time.monotonic
    _values: dict[Hashable, tuple[float, Any]] = field(default_factory=dict)

    async def get(
        self, key: Hashable, read: Callable[[], Awaitable[Value]], keep: Callable[[Value], bool] = lambda _: True
    ) -> Value:
        """Return a key's value, and read it if it isn't cached.

        Only cache it if `keep` returns True for it.
        """
        now = self.clock()
        cached = self._values.get(key)
        if cached is not None and now - cached[0] < FRESH_SECONDS:
            return cast("Value", cached[1])
        value = await read()
        if not keep(value):
            return value
        if len(self._values) >= MAX_KEYS:
            self._values.clear()
        self._values[key] = now, value
        return value
