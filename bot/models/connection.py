"""One provider's client: opened by the first call, in that call's event loop, and kept until it is closed.

Nothing is sent twice: the library's retries and redirects are off. No limit on connections is below 256.

Replies are streamed, so that what counts is the silence between two pieces and not the length of a reply. A server that does
not stream, though it was asked to, is read in one piece.

The HTTP library is the one that the client's own is built on: httpx2, or with openai 2, which the training environment needs,
httpx. What is used here has the same names in both.
"""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus as Http
from types import ModuleType
from typing import Any, Protocol
from urllib.parse import urlsplit

import aiohttp
import httpx2

from bot.errors import AccountRefused, ProviderDown, ProviderError
from bot.models import failures
from bot.models.allowances import allowance
from bot.models.billing import Arrival
from bot.values import Allowance

CONNECT = 10.0  # seconds for a connection
FIRST = 2.5  # times the time-out: how long a model may think before its first word
ALIVE = 5.0  # times the time-out: how long signs of life alone (comments, pings, blanks) keep a call open
ABOUT_THE_REQUEST = {Http.BAD_REQUEST, Http.NOT_FOUND, Http.UNPROCESSABLE_ENTITY}
STREAMS = ("text/event-stream", "application/vnd.amazon.eventstream")
LIMITS = {"max_connections": 1000, "max_keepalive_connections": 256, "keepalive_expiry": 30.0}


class Client(Protocol):
    """What AsyncOpenAI and AsyncAnthropic have in common."""

    async def post(
        self,
        path: str,
        *,
        cast_to: type[httpx2.Response],
        body: object,
        stream: bool = False,
        stream_cls: object = None,
    ) -> httpx2.Response:
        """Send one request. Bare: no model of the reply is built, which costs more than the request itself."""

    async def close(self) -> None:
        """Close the connections."""


class FormRefused(Exception):  # noqa: N818 - an outcome that a dialect may answer by asking in another form
    """The provider refused the form of the request; nothing was billed."""

    def __init__(self, refusal: failures.HttpFailure) -> None:
        super().__init__(f"status {refusal.status}")
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class ReceivedReply:
    """A reply as the provider wrote it, and what its head says about the rate limits."""

    reply: dict[str, Any]
    allowance: Allowance | None


@dataclass(frozen=True, slots=True)
class Library:
    """What differs between the two model libraries."""

    failure: type[Exception]
    stream: type[Any]  # its AsyncStream
    http: ModuleType = httpx2
    lacking: tuple[type[Exception], ...] = ()  # raised where a cloud finds no credentials
    remedy: str = ""


class Connection:
    """Sends bodies to one path of one provider and gives back parsed replies, or raises our own errors."""

    def __init__(
        self, name: str, url: str, path: str, timeout: float, open_client: Callable[[], Client], library: Library
    ) -> None:
        self.name = name
        self._host = urlsplit(url).netloc
        self._path, self._timeout, self._open, self._library = path, timeout, open_client, library
        self._answer: type[httpx2.Response] = library.http.Response
        self._client: Client | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def send(self, body: Mapping[str, Any], arrival: Arrival) -> ReceivedReply:
        """One request; `arrival` knows how far its reply came when it breaks.

        Raises Refused where the body itself was refused (400, 404, 422), ProviderError otherwise.
        """
        client, library = self._open_client(), self._library
        patience = _Patience(self._timeout)
        try:
            async with patience.limit:
                response = await client.post(
                    self._path,
                    cast_to=self._answer,
                    body=body,
                    stream=bool(body.get("stream")),
                    stream_cls=library.stream[object],
                )
                arrival.state = "accepted"
                try:
                    arrival.reply = reply = await self._read(response, client, arrival, patience)
                finally:
                    await response.aclose()
        except (
            library.failure,
            library.http.HTTPError,
            aiohttp.ClientError,
            OSError,
            ValueError,
            *library.lacking,
        ) as error:
            raise self._failure(error, arrival, patience) from None
        if not reply.get("error"):
            return ReceivedReply(reply, allowance(response.headers))
        raise self._refusal(failures.inside(reply), arrival)

    async def _read(
        self, response: httpx2.Response, client: Client, arrival: Arrival, patience: "_Patience"
    ) -> dict[str, Any]:
        if response.is_stream_consumed or response.is_closed:
            return _parse(response.content, self.name, arrival)
        response.stream = _watched(self._library.http, response.stream, patience)
        if not response.headers.get("content-type", "").startswith(STREAMS):
            return _parse(await response.aread(), self.name, arrival)
        async for event in self._library.stream(cast_to=object, response=response, client=client):
            patience.event(wrote=arrival.assembly.take(event))
        reply = arrival.assembly.whole()
        if reply is None:
            raise ProviderDown(f"{self.name.partition('/')[0]} ended its reply before it was complete: try again")
        return reply

    def _failure(self, error: Exception, arrival: Arrival, patience: "_Patience") -> Exception:
        """What to raise for a library's exception."""
        if arrival.state == "unsent" and failures.was_sent(error):
            arrival.state = "lost"
        if isinstance(error, self._library.lacking):
            return AccountRefused(self._library.remedy)
        body, answer = getattr(error, "body", None), getattr(error, "response", None)
        if isinstance(answer, self._answer) and answer.status_code >= Http.MULTIPLE_CHOICES:
            return self._refusal(failures.read(answer.status_code, body, answer.headers), arrival)
        if isinstance(body, Mapping):  # an error in the middle of a stream
            return self._refusal(failures.inside(body), arrival)
        if isinstance(error, ValueError) and not isinstance(error, self._library.failure):  # an event that is no JSON
            return ProviderDown(f"{self.name.partition('/')[0]} broke off in the middle of its reply: try again")
        return failures.unreachable(error, self.name, self._host, patience.seconds)

    def _refusal(self, refusal: failures.HttpFailure, arrival: Arrival) -> FormRefused | ProviderError:
        """The exception of a refusal: another form may help only where the request itself was refused, and nothing was written."""
        arrival.state = "refused"
        if refusal.status in ABOUT_THE_REQUEST and arrival.so_far() is None:
            return FormRefused(refusal)
        return failures.translate(refusal, self.name)

    async def close(self) -> None:
        """Close the client; a later call would open a new one."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _open_client(self) -> Client:
        loop = asyncio.get_running_loop()
        if self._client is None:
            self._client, self._loop = self._open(), loop
        elif self._loop is not loop:
            raise RuntimeError(f"{self.name} is used from two event loops: close it before the second one starts")
        return self._client


class _Patience:
    """How long a reply may be silent: longer until its first word, because models think; and on signs of life alone, not for ever."""

    def __init__(self, timeout: float) -> None:
        self._timeout, self._loop = timeout, asyncio.get_running_loop()
        self.seconds = FIRST * timeout  # what is granted now
        self._latest = self._loop.time() + ALIVE * timeout
        self.limit = asyncio.timeout_at(self._loop.time() + self.seconds)

    def note_bytes(self) -> None:
        """Bytes have arrived, whatever they say."""
        if not self.limit.expired():
            self.limit.reschedule(min(self._latest, self._loop.time() + self.seconds))

    def event(self, *, wrote: bool) -> None:
        """An event has arrived; one that holds something written ends the wait for the first word."""
        self._latest = self._loop.time() + ALIVE * self._timeout
        if wrote and self.seconds > self._timeout:
            self.seconds = self._timeout
            self.note_bytes()


def _watched(http: ModuleType, stream: Any, patience: _Patience) -> Any:  # noqa: ANN401 - of either HTTP library
    """The body of a response, of which each piece is a sign of life."""

    class WatchedStream(http.AsyncByteStream):  # type: ignore[misc,name-defined]
        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for piece in stream:
                patience.note_bytes()
                yield piece

        async def aclose(self) -> None:
            await stream.aclose()

    return WatchedStream()


def transport(maker: Callable[..., httpx2.AsyncClient], url: str, http: ModuleType = httpx2) -> httpx2.AsyncClient:
    """The HTTP client on aiohttp that both libraries ship. Redirects stay off: one would send the prompt elsewhere."""
    times, limits = http.Timeout(None, connect=CONNECT), http.Limits(**LIMITS)  # silence is counted by _Patience
    context = _trust(http, url.startswith("https://"))
    return maker(limits=limits, timeout=times, follow_redirects=False, verify=context)


def load() -> None:
    """Open a client once, for what its library loads then, and read the certificates."""
    with suppress(OSError):  # certificates that cannot be read: the first call says it
        asyncio.run(transport(httpx2.AsyncClient, "https://").aclose())


@cache
def _trust(http: ModuleType, is_encrypted: bool) -> ssl.SSLContext:
    """Whom to trust, read once: the certificates take 45 ms to load. A plain address needs none, and trusts nobody."""
    context: ssl.SSLContext = http.create_ssl_context() if is_encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return context


def _parse(content: bytes, name: str, arrival: Arrival) -> dict[str, Any]:
    try:
        reply = json.loads(content)
    except ValueError:  # cut off on the way, or a page of some proxy
        reply = None
    if isinstance(reply, list) and reply and isinstance(reply[0], Mapping) and reply[0].get("error"):
        reply = dict(reply[0])  # Gemini wraps its errors in a list
    if not isinstance(reply, dict):
        arrival.page_size = 0 if content.lstrip().startswith(b"{") else len(content)
        raise ProviderDown(
            f"{name.partition('/')[0]} answered with something that is not a whole JSON object: try again"
        )
    return reply
