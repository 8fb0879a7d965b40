"""One model behind an API: its client is opened by the first call, in that call's event loop, and kept until it is closed.

A request is sent once more in another form if its form is refused, and never otherwise: the libraries' retries and redirects are
off, since each try is reserved and recorded (`llm.sending`). Replies are streamed and read as the libraries parse them, without a model of
each event, which would cost more than the request itself. A server that does not stream, though it was asked to, is read in one piece.

The HTTP library is the one that the client's own is built on: httpx2, or with openai 2, which the training environment needs,
httpx. What is used here has the same names in both.
"""

import asyncio
import json
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from http import HTTPStatus as Http
from types import ModuleType
from typing import Any, Protocol
from urllib.parse import urlsplit

import aiohttp
import httpx2

from bot.errors import AccountRefused, ProviderDown, ProviderError
from bot.models import failures, forms, prices
from bot.models.forms import RequestForm
from bot.models.stream import Chat, Messages
from bot.values import Completion, Prompt, Usage

CONNECT = 10.0  # seconds for a connection
ABOUT_THE_REQUEST = {Http.BAD_REQUEST, Http.NOT_FOUND, Http.UNPROCESSABLE_ENTITY}
STREAMS = ("text/event-stream", "application/vnd.amazon.eventstream")
LIMITS = {"max_connections": 1000, "max_keepalive_connections": 256, "keepalive_expiry": 30.0}
JSON_ONLY = "Answer with one JSON object that fits this JSON schema, and with nothing else:\n"
WORK = ("choices", "content", "usage")  # of a reply: what the model has written, and what it has cost
CHARS_PER_TOKEN = 3  # of a prompt, on the careful side


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
        """Send one request."""

    async def close(self) -> None:
        """Close the connections."""


class FormRefused(Exception):  # noqa: N818 - an outcome that a dialect may answer by asking in another form
    """The provider refused the form of the request; nothing was billed."""

    def __init__(self, refusal: failures.HttpFailure) -> None:
        super().__init__(f"status {refusal.status}")
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Library:
    """What differs between the two model libraries."""

    failure: type[Exception]
    stream: type[Any]  # its AsyncStream
    http: ModuleType = httpx2
    lacking: tuple[type[Exception], ...] = ()  # raised where a cloud finds no credentials
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one API is spoken."""

    path: str
    rules: tuple[forms.Rule, ...]  # what to change of a request that is refused
    body: Callable[[str, Prompt, RequestForm], dict[str, Any]]  # of a request
    read: Callable[[Mapping[str, Any], Prompt, RequestForm, str], Completion]  # a reply
    assembly: type[Chat | Messages]  # that puts a stream together


class HttpModel:
    """One model behind an API. Satisfies `ports.Model`. Requests at the server == calls + `asked_again`."""

    def __init__(
        self,
        name: str,
        url: str,
        timeout: float,
        dialect: Dialect,
        form: RequestForm,
        open_client: Callable[[], Client],
        library: Library,
    ) -> None:
        self.name = name
        self._host, self._timeout = urlsplit(url).netloc, timeout
        self._dialect, self._form, self._open, self._library = dialect, form, open_client, library
        self.asked_again = 0  # requests that were sent once more in another form
        self._client: Client | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    async def complete(self, prompt: Prompt) -> Completion:
        """One request; one more for each form that the server refuses. What has worked in the end is kept, of the rest nothing."""
        changes: dict[str, Any] = {}
        refused_forms: list[RequestForm] = []
        while True:
            form = replace(self._form, **changes)
            try:
                completion = await self._ask(prompt, form)
            except FormRefused as error:
                refused_forms.append(form)
                if replace(self._form, **changes) in refused_forms:  # else another call has learnt something meanwhile
                    change = forms.change(self._dialect.rules, form, error.refusal, prompt)
                    changes |= change
                    if not change or replace(self._form, **changes) in refused_forms:
                        raise failures.translate(error.refusal, self.name) from None
                self.asked_again += 1
            else:
                self._form = replace(self._form, **changes)
                return completion

    def price(self, usage: Usage) -> float | None:
        """Dollars for this usage, None where the price is unknown."""
        return prices.dollars(self.name, usage)

    async def close(self) -> None:
        """Close the client; a later call would open a new one."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _ask(self, prompt: Prompt, form: RequestForm) -> Completion:
        """One request. A failure says whether it may be billed: once the model is at work, nobody knows what it did."""
        body, assembly = self._dialect.body(self.name, prompt, form), self._dialect.assembly()
        client, library, was_accepted = self._open_client(), self._library, False
        reply: Mapping[str, Any] | None = None
        try:
            try:
                response = await client.post(
                    self._dialect.path,
                    cast_to=library.http.Response,
                    body=body,
                    stream=bool(body.get("stream")),
                    stream_cls=library.stream[object],
                )
                was_accepted = True
                try:
                    reply = await self._read(response, client, assembly)
                finally:
                    await response.aclose()
                if reply.get("error"):
                    was_accepted = False
                    raise self._refusal(failures.inside(reply))
                return self._dialect.read(reply, prompt, form, self.name)
            except (
                library.failure,
                library.http.HTTPError,
                aiohttp.ClientError,
                OSError,
                ValueError,
                *library.lacking,
            ) as error:
                failure, was_refused = self._failure(error)
                was_accepted = not was_refused and (was_accepted or failures.was_sent(error))
                raise failure from None
        except (ProviderError, FormRefused) as error:
            has_work = assembly.has_begun or (reply is not None and any(map(reply.get, WORK)))
            if isinstance(error, FormRefused) and has_work:
                error = failures.translate(error.refusal, self.name)
            if isinstance(error, ProviderError):
                error.may_be_billed |= has_work or was_accepted
            raise error from None

    async def _read(self, response: httpx2.Response, client: Client, assembly: Chat | Messages) -> Mapping[str, Any]:
        if response.is_stream_consumed or response.is_closed:
            return _parse(response.content, self.name)
        if not response.headers.get("content-type", "").startswith(STREAMS):
            return _parse(await response.aread(), self.name)
        async for event in self._library.stream(cast_to=object, response=response, client=client):
            assembly.take(event)
        reply = assembly.whole()
        if reply is None:
            raise ProviderDown(f"{self.name.partition('/')[0]} ended its reply before it was complete: try again")
        return reply

    def _failure(self, error: Exception) -> tuple[FormRefused | ProviderError, bool]:
        """What to raise for a library's exception, and whether the provider has said why."""
        if isinstance(error, self._library.lacking):
            return AccountRefused(self._library.remedy), True
        body, answer = getattr(error, "body", None), getattr(error, "response", None)
        if isinstance(answer, self._library.http.Response) and answer.status_code >= Http.MULTIPLE_CHOICES:
            return self._refusal(failures.read(answer.status_code, body, answer.headers)), True
        if isinstance(body, Mapping):  # an error in the middle of a stream
            return self._refusal(failures.inside(body)), True
        if isinstance(error, ValueError) and not isinstance(error, self._library.failure):  # an event that is no JSON
            broken = f"{self.name.partition('/')[0]} broke off in the middle of its reply: try again"
            return ProviderDown(broken), False
        return failures.unreachable(error, self.name, self._host, self._timeout), False

    def _refusal(self, refusal: failures.HttpFailure) -> FormRefused | ProviderError:
        """The exception of a refusal: another form may help only where the request itself was refused."""
        return FormRefused(refusal) if refusal.status in ABOUT_THE_REQUEST else failures.translate(refusal, self.name)

    def _open_client(self) -> Client:
        loop = asyncio.get_running_loop()
        if self._client is None:
            self._client, self._loop = self._open(), loop
        elif self._loop is not loop:
            raise RuntimeError(f"{self.name} is used from two event loops: close it before the second one starts")
        return self._client


def transport(
    maker: Callable[..., httpx2.AsyncClient], url: str, timeout: float | None, http: ModuleType = httpx2
) -> httpx2.AsyncClient:
    """The HTTP client on aiohttp that both libraries ship. `timeout`: seconds of silence between two pieces of a reply.

    Redirects stay off: one would send the prompt elsewhere.
    """
    times, limits = http.Timeout(None, connect=CONNECT, read=timeout), http.Limits(**LIMITS)
    context = _trust(http, url.startswith("https://"))
    return maker(limits=limits, timeout=times, follow_redirects=False, verify=context)


def load() -> None:
    """Open a client once, for what its library loads then, and read the certificates."""
    with suppress(OSError):  # certificates that cannot be read: the first call says it
        asyncio.run(transport(httpx2.AsyncClient, "https://", None).aclose())


@cache
def _trust(http: ModuleType, is_encrypted: bool) -> ssl.SSLContext:
    """Whom to trust, read once: the certificates take 45 ms to load. A plain address needs none, and trusts nobody."""
    context: ssl.SSLContext = http.create_ssl_context() if is_encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return context


def _parse(content: bytes, name: str) -> dict[str, Any]:
    try:
        reply = json.loads(content)
    except ValueError:  # cut off on the way, or a page of some proxy
        reply = None
    if isinstance(reply, list) and reply and isinstance(reply[0], Mapping) and reply[0].get("error"):
        reply = dict(reply[0])  # Gemini wraps its errors in a list
    if not isinstance(reply, dict):
        raise ProviderDown(
            f"{name.partition('/')[0]} answered with something that is not a whole JSON object: try again"
        )
    return reply


def estimate(prompt: Prompt, work: object) -> Usage:
    """The tokens of a prompt and of what a model has written, where the provider has not counted them."""
    chars = sum(
        len(message.text) + sum(len(json.dumps(dict(call.arguments))) for call in message.calls)
        for message in prompt.messages
    )
    schemas = (schema for schema in (prompt.answer, prompt.tool) if schema is not None)
    chars += sum(len(json.dumps(schema.parameters, default=dict)) for schema in schemas)
    return Usage(chars // CHARS_PER_TOKEN + 1, len(json.dumps(work)) // CHARS_PER_TOKEN + 1)


def count(tokens: object) -> int:
    """A provider's count of tokens; 0 for any other value."""
    return max(0, int(tokens)) if isinstance(tokens, (int, float)) and tokens < float("inf") else 0
