"""What githubkit leaves to us: how fast it asks, what is asked again, which answers are taken, and where a token may go."""

import asyncio
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from datetime import timedelta
from http import HTTPStatus

import httpx
from githubkit import BaseAuthStrategy
from githubkit.exception import GitHubException
from githubkit.throttling import BaseThrottler
from githubkit.typing import RetryOption

from bot.errors import HostError, HostLimited, HostRefused
from bot.github import answers
from bot.github.pace import RequestPace
from bot.github.tokens import Installation, TokenCache

VERSION = "2022-11-28"  # of the API; newer ones are unknown to Enterprise servers
TRIES = 3
MOST_LIMITS = 10  # in a row: whoever is told to wait no time at all is not told the truth
MOST_BYTES = 32 << 20  # of one answer: a hundred of the longest comments that GitHub stores have 26 MB
AT_ONCE = 0.001  # seconds; for a wait of 0 githubkit waits a minute
MINTING = "/access_tokens"
UNSEEN = (MINTING, "/access_token", "/token", "/attempts", "/conversions")  # requests that leave nothing for people to see
_waited: ContextVar[float] = ContextVar("waited")  # seconds that the request under way has spent on limits


class Policy(BaseThrottler):
    """The hooks of one client. Only its own server gets the token, and only a read follows where GitHub sends it."""

    def __init__(
        self, api: httpx.URL, pace: RequestPace, installation: int, auth: BaseAuthStrategy, tokens: TokenCache
    ) -> None:
        self.pace, self._api, self._installation, self._auth, self._tokens = pace, api, installation, auth, tokens

    @contextmanager
    def acquire(self, request: httpx.Request) -> Iterator[None]:
        """Refuse: every request is made in an event loop."""
        raise NotImplementedError

    @asynccontextmanager
    async def async_acquire(self, request: httpx.Request) -> AsyncIterator[None]:
        """Wait for a request's turn. Raises HostLimited if GitHub wants to hear nothing for longer than patience lasts."""
        if _visible(request):
            await self.pace.turn(self._installation)
        left = self.pace.left(self._installation)
        if left > self.pace.patience:
            raise HostLimited(f"GitHub asked to wait for {left:.0f} s more", left)
        await asyncio.sleep(left)
        async with self._tokens.making(needed=isinstance(self._auth, Installation)):
            yield

    async def leaves(self, request: httpx.Request) -> None:
        """Look at a request that is signed, also at one that follows a redirect or the link to a next page."""
        request.headers["X-GitHub-Api-Version"] = VERSION
        request.headers["Accept-Encoding"] = "gzip"  # what `_Bounded` unpacks
        signed = request.headers.pop("Authorization", "")
        if signed and _origin(request.url) == _origin(self._api):
            request.headers["Authorization"] = f"Bearer {signed[6:]}" if signed.startswith("token ") else signed

    async def arrives(self, response: httpx.Response) -> None:
        """Look at an answer. Raises our error if it is none that was asked for."""
        request, left = response.request, response.headers.get("x-ratelimit-remaining", "")
        self.pace.heard(response.status_code, int(left) if left.isdecimal() else None)
        response.stream = _Bounded(response)
        if response.has_redirect_location and request.method != "GET":
            moved = f"GitHub refuses {answers.named(request)} with {response.status_code}, it has moved"
            raise HostRefused(moved, response.status_code)
        await response.aread()
        if response.is_error:
            raise self._refused(response)
        if request.url.path.endswith("/graphql"):
            answers.graphql(response)
        self.pace.fine(self._installation)

    def retry(self, error: GitHubException, count: int) -> RetryOption:
        """Whether to ask again after the failure of this number, and after how long."""
        failed, waited = answers.failure(error), _waited.get() if count else 0.0
        if isinstance(failed, HostLimited):
            unnamed = isinstance(failed, answers.Unnamed)
            failed.retry_after = wait = self.pace.limited(self._installation, None if unnamed else failed.retry_after)
            again = waited + wait <= self.pace.patience and count + 1 < MOST_LIMITS
        else:
            wait = self.pace.pause(count + 1) if isinstance(failed, answers.Repeatable) else 0.0
            again = count + 1 < TRIES and isinstance(failed, answers.Repeatable | answers.Renewable)
        _waited.set(waited + (wait if isinstance(failed, HostLimited) else 0.0))
        return RetryOption(again, timedelta(seconds=max(wait, AT_ONCE)))

    def _refused(self, response: httpx.Response) -> HostError:
        """Our error; it tells whether another token can be had: a new one, or one that can do what its owner has granted."""
        failed, request = answers.refused(response), response.request
        if not isinstance(failed, HostRefused) or not isinstance(self._auth, Installation):
            return failed
        unknown = failed.status == HTTPStatus.UNAUTHORIZED and self._tokens.drop(request.headers.get("Authorization", ""))
        narrow = failed.status == HTTPStatus.UNPROCESSABLE_ENTITY and request.url.path.endswith(MINTING)
        again = unknown or (narrow and self._auth.widen())
        return answers.Renewable(str(failed), failed.status) if again else failed


class _Bounded(httpx.AsyncByteStream):
    """The body of an answer, unpacked here so that its length is known, and cut off if it is too long."""

    def __init__(self, response: httpx.Response) -> None:
        self._stream, self._what = response.stream, answers.named(response.request)
        self._unzip = zlib.decompressobj(47) if response.headers.pop("content-encoding", "") else None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MOST_BYTES
        async for chunk in self._stream:  # type: ignore[union-attr] - an asynchronous client's
            try:
                part = self._unzip.decompress(chunk, left + 1) if self._unzip else chunk
            except zlib.error:
                raise httpx.DecodingError("not as its header names it") from None
            left -= len(part)
            if left < 0:
                raise HostError(f"GitHub's answer to {self._what} was not read: it is longer than {MOST_BYTES >> 20} MB")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()  # type: ignore[union-attr] - the same


def _visible(request: httpx.Request) -> bool:
    """Whether people may see what a request does: then it keeps its distance from the one before."""
    if request.url.path.endswith("/graphql"):
        return b"mutation" in request.content[:40]
    return request.method != "GET" and not request.url.path.endswith(UNSEEN)


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
