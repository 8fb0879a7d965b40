"""What githubkit leaves to us: how fast it asks, what is asked again, which responses are taken, and where a token may go."""

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

VERSION = "2022-11-28"  # of the API; newer ones are unknown to Enterprise servers
TRIES, UNAUTHORIZED = 3, 401
FOLLOWED = frozenset({301, 307, 308})  # with which GitHub leads a write to where a repository is now
BY_ID = re.compile(r"/repositories/[0-9]+(?:/|$)")
MOST_LIMITS = 10  # responses "wait" in a row: a server that asks for no time at all would be asked for ever
SYNCHRONOUS = "GitHub is asked from an event loop only: use the asynchronous methods of the client"
MAX_ANSWER_BYTES = 32 << 20  # of one answer: a hundred of the longest comments that GitHub stores have 26 MB
AT_ONCE = 0.001  # seconds; for a wait of 0 githubkit waits a minute
UNSEEN = ("/access_tokens", "/access_token", "/token", "/attempts", "/conversions")  # no person sees their effect
_waited: ContextVar[float] = ContextVar("waited")  # seconds that the request under way has spent on limits


class Token:
    """An installation's token for one piece of work: nobody else has it, so it can be revoked. Not frozen: it is renewed before it ends."""

    def __init__(self, mint: Callable[[], Awaitable[tuple[str, datetime]]]) -> None:
        self.made, self._mint, self._making, self._ends = "", mint, asyncio.Lock(), datetime.now(UTC)

    async def current(self) -> str:
        """Make a token if none is valid: a single one, however many requests wait for it."""
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
        """Refuse: this client has no synchronous form. Raises TypeError."""
        raise TypeError(f"{request.method}: {SYNCHRONOUS}")

    @asynccontextmanager
    async def async_acquire(self, request: httpx.Request) -> AsyncIterator[None]:
        """Wait for a request's turn. Raises HostLimited if GitHub wants to hear nothing for longer than patience lasts."""
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
        """Look at a signed request, also one that follows a redirect or a link to the next page: no other server gets the token."""
        request.headers.update({"X-GitHub-Api-Version": VERSION, "Accept-Encoding": "gzip"})  # which `_Bounded` unpacks
        signed, origin = request.headers.pop("Authorization", ""), request.url
        if signed and (origin.scheme, origin.host, origin.port) == (self._api.scheme, self._api.host, self._api.port):
            request.headers["Authorization"] = signed.replace("token ", "Bearer ", 1)

    async def arrives(self, response: httpx.Response) -> None:
        """Look at an answer. Raises our error unless it is one to the request."""
        left = response.headers.get("x-ratelimit-remaining", "")
        self._pace.on_answer(response.status_code, int(left) if left.isdecimal() else None)
        response.stream = _BoundedStream(response)
        if response.has_redirect_location and self._leads_to_repository(response):
            # The same request once more: of 301 the library makes a GET
            response.status_code = HTTPStatus.PERMANENT_REDIRECT
        elif response.has_redirect_location and response.request.method != "GET":
            what, status = responses.route_of(response.request), response.status_code
            raise HostRefused(f"GitHub refused {what} with status {status}: the address has moved", status)
        await response.aread()
        response.stream = httpx.ByteStream(b"")  # the read one refers to the answer, and would keep megabytes
        if response.is_error:
            raise responses.http_error(response)
        if response.url.path.endswith("/graphql"):
            responses.graphql(response)
        self._pace.fine(self._installation)

    def _leads_to_repository(self, response: httpx.Response) -> bool:
        """Whether a write is led to the id of a repository that has another name or owner now, at this very server."""
        target, api = response.request.url.join(response.headers["location"]), self._api
        is_here = (target.scheme, target.host, target.port) == (api.scheme, api.host, api.port)
        below = target.path.removeprefix(api.path.rstrip("/"))
        is_write = response.request.method != "GET" and response.status_code in FOLLOWED
        return is_write and is_here and BY_ID.match(below) is not None

    def retry(self, error: GitHubException, count: int) -> RetryOption:
        """Return whether to ask again after the failure of this number, and after how long."""
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
            self._token.made, again = "", True  # with another one
        return RetryOption(again and count + 1 < TRIES, timedelta(seconds=wait))


class _BoundedStream(httpx.AsyncByteStream):
    """The body of an answer, unpacked here so that its length is known, and cut off if it is too long."""

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
        """Close the connection's side of it."""
        await self._stream.aclose()
