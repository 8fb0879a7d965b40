"""One provider's client: opened by the first call, in that call's event loop, and kept until it is closed.

Nothing is sent twice: the library's retries and redirects are off. No limit on connections is below 256.

The HTTP library is the one that the client's own is built on: httpx2, or with openai 2, which the training environment needs,
httpx. What is used here has the same names in both.
"""

import asyncio
import json
import ssl
from collections.abc import Callable, Mapping
from functools import cache
from http import HTTPStatus as Http
from types import ModuleType
from typing import Any, Protocol
from urllib.parse import urlsplit

import aiohttp
import httpx2

from bot.errors import ProviderDown
from bot.models import failures

CONNECT = 10.0  # seconds for a connection
LIMITS = {"max_connections": 1000, "max_keepalive_connections": 256, "keepalive_expiry": 30.0}


class Client(Protocol):
    """What AsyncOpenAI and AsyncAnthropic have in common."""

    async def post(self, path: str, *, cast_to: type[httpx2.Response], body: object) -> httpx2.Response:
        """Send one request. Bare: no model of the reply is built, which costs more than the request itself."""

    async def close(self) -> None:
        """Close the connections."""


class Refused(Exception):  # noqa: N818 - an outcome that a dialect may answer by asking in another form
    """The provider refused the form of the request; nothing was billed."""

    def __init__(self, refusal: failures.Refusal) -> None:
        super().__init__(f"status {refusal.status}")
        self.refusal = refusal


class Connection:
    """Sends bodies to one path of one provider and gives back parsed replies, or raises our own errors."""

    def __init__(
        self,
        name: str,
        url: str,
        path: str,
        timeout: float,
        open_client: Callable[[], Client],
        failed: type[Exception],
        http: ModuleType = httpx2,
    ) -> None:
        self.name = name
        self._answer: type[httpx2.Response] = http.Response
        self._host = urlsplit(url).netloc
        self._path, self._timeout, self._open, self._failed = path, timeout, open_client, failed
        self._client: Client | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def send(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """One request. Raises Refused where the body itself was refused (400, 404, 422), ProviderError otherwise."""
        client = self._opened()
        try:
            async with asyncio.timeout(CONNECT + self._timeout):  # a server may keep a dead call warm with blanks
                response = await client.post(self._path, cast_to=self._answer, body=body)
        except (self._failed, aiohttp.ClientError, OSError) as error:
            answer = getattr(error, "response", None)
            if not isinstance(answer, self._answer):
                raise failures.unreachable(error, self.name, self._host, self._timeout) from None
            refusal = failures.read(answer.status_code, getattr(error, "body", None), answer.headers)
        else:
            reply = _parsed(response.content, self.name)
            if not reply.get("error"):
                return reply
            refusal = _inside(reply)
        if refusal.status in {400, 404, 422}:
            raise Refused(refusal)
        raise failures.translate(refusal, self.name)

    async def close(self) -> None:
        """Close the client; a later call would open a new one."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _opened(self) -> Client:
        loop = asyncio.get_running_loop()
        if self._client is None:
            self._client, self._loop = self._open(), loop
        elif self._loop is not loop:
            raise RuntimeError(f"{self.name} is used from two event loops: close it before the second one starts")
        return self._client


def transport(
    maker: Callable[..., httpx2.AsyncClient], timeout: float, url: str, http: ModuleType = httpx2
) -> httpx2.AsyncClient:
    """The HTTP client on aiohttp that both libraries ship. Redirects stay off: one would send the prompt elsewhere."""
    times, limits = http.Timeout(timeout, connect=CONNECT), http.Limits(**LIMITS)
    trusted = _trusted(http, url.startswith("https://"))
    return maker(limits=limits, timeout=times, follow_redirects=False, verify=trusted)


@cache
def _trusted(http: ModuleType, encrypted: bool) -> ssl.SSLContext:
    """Whom to trust, read once: the certificates take 45 ms to load. A plain address needs none, and trusts nobody."""
    made: ssl.SSLContext = http.create_ssl_context() if encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return made


def _parsed(content: bytes, name: str) -> dict[str, Any]:
    try:
        reply = json.loads(content)
    except ValueError:  # cut off on the way, or a page of some proxy
        reply = None
    if not isinstance(reply, dict):
        raise ProviderDown(f"{name.partition('/')[0]} answered with something that is no whole JSON object: try again")
    return reply


def _inside(reply: Mapping[str, Any]) -> failures.Refusal:
    """A failure that a gateway wrapped in a 200. Its status stands in the body, if anywhere."""
    error = reply["error"]
    status = error.get("code") if isinstance(error, Mapping) else None
    if not isinstance(status, int) or status not in failures.STATUSES:
        status = Http.BAD_GATEWAY
    return failures.read(status, reply, {})
