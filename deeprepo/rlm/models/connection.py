"""A model behind an HTTP API.

If the server rejects the form of a request, it is sent in another form. Nothing else is retried here, and the libraries'
retries and redirects are off, because `money.calls` reserves money for each attempt and records it. Streams are read
without the library's objects, which would cost more than the request itself.

The HTTP library is httpx2, or httpx for openai 2, which the training environment needs.
"""

import asyncio
import codecs
import json
import re
import ssl
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import asdict, replace
from functools import cache, partial
from http import HTTPStatus as Http
from types import ModuleType
from typing import Any, ClassVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx2

from deeprepo.rlm.errors import (
    AccountRefused,
    PromptTooLong,
    ProviderDown,
    ProviderError,
    ProviderRefused,
    TimedOut,
    UsageError,
)
from deeprepo.rlm.models import failures, prices
from deeprepo.rlm.models.answers import estimate
from deeprepo.rlm.models.failures import Refusal
from deeprepo.rlm.models.forms import TOKENS, Answer, RequestForm, longest_reply, simpler
from deeprepo.rlm.models.stream import Chat, Messages
from deeprepo.rlm.values import Completion, Prompt, Sampling, Usage

CONNECT = 10.0  # timeout for connecting, in seconds
MOST_REPLY = 32 << 20  # maximum bytes of a reply
MOST_HEADER, MOST_HEADERS = 64 << 10, 256  # bytes of one header, and headers
STREAMS = ("text/event-stream", "application/vnd.amazon.eventstream")
LIMITS = {"max_connections": 1000, "max_keepalive_connections": 256, "keepalive_expiry": 30.0}
WORK_FIELDS = ("choices", "content", "usage")  # fields of a reply with the model's output and its cost
FASTEST = 5_000  # maximum tokens per second that a model writes
SMALL_PROMPT = 2_000  # tokens; every model accepts a prompt of this size
MOST_SIZE_GUESSES = 6  # how often in a row an error is assumed to be about the prompt's length
SHORT_REPLY = 20  # tokens; shorter replies say little about the tokenizer
DENSEST = 1.5  # maximum ratio of reported to estimated tokens; what exceeds it is hidden thinking
KNOWN: dict[tuple[str, str], "Known"] = {}  # by the model's name and address
LEAVING = ContextVar[Callable[[], None] | None]("LEAVING", default=None)


class Known:
    """What this process knows about a model at an address."""

    def __init__(self, form: RequestForm) -> None:
        self.form = form
        self.accepted: set[tuple[str, object]] = set()  # features of forms that the server has accepted
        self.refused_forms: set[tuple[RequestForm, bool, bool]] = set()
        self.doubted = deque[dict[str, Any]]()  # fields that may have been left out needlessly
        # Tokens of the largest accepted prompt; how often since then an error was assumed to be about the length.
        self.largest = self.size_guesses = 0
        self.density = 1.0  # a prompt's tokens according to the server, divided by our estimate
        self.counted = self.guessed = 0.0  # tokens of complete replies according to the server, and our estimate


class HttpModel(ABC):
    """A model behind an HTTP API. Satisfies `deeprepo.rlm.values.Model`."""

    path: ClassVar[str]  # the endpoint's path
    assembly: ClassVar[type[Chat | Messages]]  # joins the events of a stream
    failure: ClassVar[type[Exception]]  # the library's base exception
    stream: ClassVar[type[Any]]  # the library's AsyncStream
    http: ClassVar[ModuleType] = httpx2
    answers: ClassVar[tuple[Answer, ...]]  # ways to request a structured answer, the preferred one first
    fields: ClassVar[frozenset[str]]  # fields of a form that some servers of this dialect reject
    sampling_names: ClassVar[Mapping[str, str]]  # the dialect's names for the fields of `Sampling`
    sampling = Sampling()
    account: int  # the same for models with the same address and key
    rate: prices.Rate | None = None  # its price, if the user has set one
    is_own = False  # whether its address is private, so that nobody bills its calls unless a price is known
    concurrency: int | None = None  # calls in flight, if the user has set a number
    tells_leaving = True  # it calls `Prompt.on_leaving` itself
    lacking: tuple[type[Exception], ...] = ()  # raised if a cloud finds no credentials
    remedy = ""  # the error's text in that case

    def __init__(self, name: str, url: str, timeout: float, form: RequestForm, open_client: Callable[[], Any]) -> None:
        self.name = name
        self._host, self._timeout = urlsplit(url).netloc, timeout
        self._server = f"{name.partition('/')[0]} at {self._host}"
        self._known = KNOWN.setdefault((name, url), Known(form))
        self._open = open_client
        self._form_search = asyncio.Lock()
        self._client: Any = None

    @abstractmethod
    def body(self, prompt: Prompt, form: RequestForm) -> dict[str, Any]:
        """Return the body of the request."""

    @abstractmethod
    def read(self, reply: Mapping[str, Any], prompt: Prompt, form: RequestForm) -> Completion:
        """Convert a reply to a Completion. Raises ProviderDown if it contains no message."""

    @abstractmethod
    def usage(self, report: Mapping[str, Any], prompt: Prompt, work: object) -> Usage:
        """Return the reported tokens. Missing numbers are estimated; `work` is the model's output."""

    async def complete(self, prompt: Prompt) -> Completion:
        """Send a request. If its form is rejected, send it in simpler forms, `prompt.requests` times at most.

        The form that worked is remembered. If it may be simpler than necessary, each later request tries to restore
        one of its options.
        """
        sent = list[RequestForm]()
        form = self._known.form
        doubted, kind = self._known.doubted, (prompt.answer is not None, prompt.tool is not None)
        restored = doubted.popleft() if doubted and not self._form_search.locked() else {}  # the server may accept it
        try:
            return await self._send_adapting(prompt, replace(form, **restored), sent)
        except Refusal as refusal:
            refused = refusal
        async with self._form_search:  # one call at a time searches for a form, and the others wait for its result
            for plainer in (self._known.form, self._plainest(prompt)):
                if plainer in sent or not refused.is_unexplained or self._own_parameter(refused):
                    continue
                if len(sent) >= prompt.requests or (plainer, *kind) in self._known.refused_forms:
                    continue
                try:
                    return await self._send_adapting(prompt, plainer, sent)
                except Refusal as refusal:
                    refused = refusal
                    self._known.refused_forms.add((plainer, *kind))
        error = self._refused(refused, prompt)
        error.requests = len(sent)
        raise error from None

    def price(self, usage: Usage) -> float | None:
        """Return the price of this usage in US dollars, or None if it is unknown."""
        return prices.dollars(self.name, usage, self.rate, is_own=self.is_own)

    async def close(self) -> None:
        """Close the client. A later call opens a new one."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _named_change(
        self, form: RequestForm, refusal: Refusal, prompt: Prompt, sent: list[RequestForm]
    ) -> dict[str, Any]:
        """Return how to simplify the form as the refusal demands, if the simpler form was not rejected yet.

        Returns nothing if the refusal names no option of the form.
        """
        # If the refusal names another parameter, its reason is about that one.
        has_reason = refusal.reason is not None and refusal.param in {"", "model"}
        if refusal.is_spoilt or refusal.is_about_prompt or has_reason or self._own_parameter(refusal):
            return {}
        most = longest_reply(refusal.message, refusal.cap)
        if most is not None:
            return {"most": most}
        if failures.too_long(refusal):
            return {}
        steps = simpler(form, prompt, self.answers, self.fields)
        named = (step.change for step in steps if step.names(refusal.words))
        return next((change for change in named if replace(form, **change) not in sent), {})

    async def _send_adapting(self, prompt: Prompt, form: RequestForm, sent: list[RequestForm]) -> Completion:
        """Return the reply to a request, simplifying its form as the refusals demand, and remember the form that worked."""
        before, is_plainest = self._known.form, form == self._plainest(prompt)
        while True:
            sent.append(form)
            try:
                completion = await self._ask(prompt, form)
            except Refusal as refusal:
                if refusal.is_cut_off:
                    return Completion("", Usage(), "length", cap=self._cap(prompt, form))
                form = replace(form, **self._named_change(form, refusal, prompt, sent))
                if form in sent or len(sent) >= prompt.requests:
                    raise
            except ProviderError as error:
                error.requests = len(sent)
                raise
            else:
                changes = {name: value for name, value in asdict(form).items() if value != getattr(before, name)}
                if is_plainest and len(changes) > 1:  # it is unknown which of them the server rejected
                    self._known.doubted.extend({name: getattr(before, name)} for name in changes)
                self._known.form = replace(self._known.form, **changes)
                self._known.accepted |= form.features(prompt)
                self._known.largest = max(self._known.largest, estimate(prompt, "").input)
                self._known.size_guesses = 0
                return replace(completion, cap=self._cap(prompt, form))

    def _plainest(self, prompt: Prompt) -> RequestForm:
        """Return the form without all options that this server has never accepted."""
        unknown = {field for field, _ in self._known.form.features(prompt) - self._known.accepted} | {"most"}
        steps = [step for step in simpler(self._known.form, prompt, self.answers, self.fields) if step.field in unknown]
        return replace(self._known.form, **{field: value for step in steps for field, value in step.change.items()})

    def _own_parameter(self, refusal: Refusal) -> str:
        """Return the caller's own parameter that a refusal names, or ""."""
        names = {*self.sampling.on_record, *self.sampling.extra_body}
        return next((name for name in names if re.search(rf"\b{re.escape(name)}\b", refusal.words)), "")

    def _cap(self, prompt: Prompt, form: RequestForm) -> int:
        """Return the maximum tokens of a reply in this form."""
        return min(form.cap(prompt), self.sampling.max_tokens or form.cap(prompt))

    def _refused(self, refusal: Refusal, prompt: Prompt) -> ProviderError:
        """Return the error for a request that was rejected in each form.

        It may be too long, unless the server has accepted a prompt of this length.
        """
        own = self._own_parameter(refusal)
        if own and refusal.is_unexplained:
            provider, _, model = self.name.partition("/")
            value = {**self.sampling.on_record, **self.sampling.extra_body}[own]
            return ProviderRefused(f"{provider} does not accept {own}={value!r} with {model}. Remove it from the Model")
        error = failures.translate(refusal, self.name, self._server, _texts(prompt))
        size = estimate(prompt, "").input
        is_long = size > max(self._known.largest, SMALL_PROMPT)
        if refusal.is_unexplained and is_long and self._known.size_guesses < MOST_SIZE_GUESSES:
            self._known.size_guesses += 1
            window, stated = failures.sizes_in(refusal.message, refusal.cap)
            is_compared = stated is not None and size / 2 <= stated <= 2 * size
            return PromptTooLong(f"{error}; or the prompt is too long", window if is_compared else None)
        return error

    async def _ask(self, prompt: Prompt, form: RequestForm) -> Completion:
        """Send one request.

        An error may be billed if the model had accepted the request (`may_be_billed`). Raises Refusal if the
        request itself was rejected, because another form may be accepted.
        """
        assembly, pieces, reply = self.assembly(), list[bytes](), dict[str, Any]()
        was_accepted = is_whole = False
        clock = asyncio.get_running_loop().time
        began = clock()
        failing = (ProviderError, Refusal, self.failure, self.http.HTTPError, aiohttp.ClientError, OSError, ValueError)
        LEAVING.set(prompt.on_leaving)
        try:
            response = await self._send(self._sampled(self.body(prompt, form)))
            was_accepted = True
            reply = await self._read(response, assembly, pieces)
            is_whole = True
            if (instead := failures.error_in_reply(reply)) is not None:
                raise failures.inside(instead)
            return self.read(reply, prompt, form)
        except self.lacking:
            raise AccountRefused(self.remedy) from None
        except failing as error:
            text = b"".join(pieces).decode("utf-8", "replace").strip()
            # The beginning of a JSON text is the part of the reply that arrived.
            written: object = assembly.so_far or (text if text[:1] in {"{", "["} and not is_whole else "")
            has_work = bool(written) or any(map(reply.get, WORK_FIELDS))
            cause = self._cause(error)
            if isinstance(cause, Refusal):
                cause.cap, cause.has_begun = self._cap(prompt, form), has_work
                if (cause.is_about_request or cause.is_cut_off) and not has_work:
                    raise cause from None
                failure = failures.translate(cause, self.name, self._server, _texts(prompt))
            else:
                failure = cause
            # An interrupted reply costs the prompt and what arrived. A reply that never began costs nothing. If the
            # connection was lost before that, caps count what the model may have written in that time.
            failure.may_be_billed |= has_work
            reported = reply.get("usage") if is_whole else assembly.usage
            reported = reported if isinstance(reported, Mapping) else {}
            if reported or has_work:
                failure.usage = self.usage(reported, prompt, written)
                if not is_whole:  # the server may have sent its count before the text; it bills at most the cap
                    arrived = min(self.estimate(prompt, written).output, self._cap(prompt, form))
                    counted = failure.usage.output if reported else 0
                    is_all = assembly.is_counted and 2 * counted >= arrived
                    failure.usage = replace(failure.usage, output=counted if is_all else max(counted, arrived))
            elif not was_accepted and not isinstance(failure, TimedOut) and failures.was_sent(error):
                written_by_now = int((clock() - began) * FASTEST)
                failure.usage = Usage()
                failure.worst = Usage(estimate(prompt, "").input, min(written_by_now, self._cap(prompt, form)))
            elif failure.may_be_billed and not isinstance(failure, TimedOut):
                failure.usage = Usage(self.estimate(prompt, "").input)
            raise failure from None

    def estimate(self, prompt: Prompt, work: object) -> Usage:
        """Estimate the tokens that the server counted, based on how it counted earlier texts."""
        guess, known_ = estimate(prompt, work), self._known
        written = guess.output * known_.counted / known_.guessed if known_.guessed else guess.output
        return replace(guess, input=round(guess.input * known_.density), output=round(written))

    def output(self, reported: int, prompt: Prompt, work: object) -> int:
        """Return the tokens of the model's output as reported, or an estimate if the server reports none for a text or a call."""
        written = {**work, "role": None} if isinstance(work, Mapping) else work
        is_empty = not any(written.values()) if isinstance(written, dict) else not written
        return reported if reported or is_empty else self.estimate(prompt, work).output

    def usage_of_whole(self, report: Mapping[str, Any], prompt: Prompt, work: object) -> Usage:
        """Return the usage of a complete reply, and learn from it how the server counts."""
        usage, guess, expected = self.usage(report, prompt, work), estimate(prompt, work), self.estimate(prompt, work)
        if usage.input != expected.input:  # the server reported it
            self._known.density = usage.input / guess.input
        if usage.output != expected.output and guess.output >= SHORT_REPLY:
            self._known.counted += min(usage.output, DENSEST * guess.output)
            self._known.guessed += guess.output
        return usage

    @property
    def longest_reply(self) -> int | None:
        """The maximum tokens that a reply may be given, or None without a known limit."""
        return min((one for one in (self.sampling.max_tokens, self._known.form.most) if one), default=None)

    @property
    def variant(self) -> str:
        """The sampling options as text. Added to the name in the journal, since replies depend on them."""
        said = self.sampling.on_record
        return f" {json.dumps(said, sort_keys=True, default=repr)}" if said else ""

    def sample(self, sampling: Sampling) -> None:
        """Set the sampling options of all requests. Raises UsageError for a parameter that the API lacks."""
        absent = [name for name in sampling.on_record if name not in {*self.sampling_names, "max_tokens", "extra_body"}]
        if absent:
            raise UsageError(f"{self.name} does not support {' or '.join(absent)}")
        self.sampling = sampling

    def _sampled(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the request with the caller's sampling options. They can only lower the reply's cap."""
        for name, value in self.sampling.on_record.items():
            if name in self.sampling_names:
                body[self.sampling_names[name]] = value
        for cap in TOKENS:
            if cap in body and self.sampling.max_tokens is not None:
                body[cap] = min(body[cap], self.sampling.max_tokens)
        return body | dict(self.sampling.extra_body)

    async def _send(self, body: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a stream of the library
        """Send one request."""
        self._client = self._client or self._open()
        return await self._client.post(
            self.path,
            cast_to=object,
            body=body,
            options={"headers": dict(self.sampling.extra_headers)},
            stream=True,
            stream_cls=self.stream[object],
        )

    async def _read(self, response: Any, assembly: Chat | Messages, pieces: list[bytes]) -> dict[str, Any]:  # noqa: ANN401 - as `_send` returns it
        """Return the whole reply. If it is not a stream, its pieces are also added to `pieces`."""
        try:
            kind = response.response.headers.get("content-type", "")
            if kind.startswith(STREAMS):
                async for event in response:
                    assembly.take(event)
                reply: object = assembly.whole(is_ended=getattr(response, "is_ended", False))
            else:
                async for piece in bounded(response.response.aiter_bytes()):
                    pieces.append(piece)  # noqa: PERF401 - one by one, because the rest may never arrive
                reply = _parse_whole_reply(b"".join(pieces), assembly)
        finally:
            await response.response.aclose()
        if not isinstance(reply, dict):
            raise ProviderDown(f"{self._server} ended its reply too early. Try again")
        return reply

    def _cause(self, error: Exception) -> Refusal | ProviderError:
        """Return the provider's error, or what happened to the connection."""
        if isinstance(error, (Refusal, ProviderError)):
            return error
        body, answer = getattr(error, "body", None), getattr(error, "response", None)
        if isinstance(answer, self.http.Response) and answer.status_code >= Http.MULTIPLE_CHOICES:
            return failures.read(answer.status_code, body, answer.headers)
        if body is not None:  # an error in the middle of a stream
            return failures.inside(body if isinstance(body, Mapping) else {"error": body})
        if isinstance(error, ValueError) and not isinstance(error, self.failure):  # incomplete JSON
            return ProviderDown(f"{self._server} stopped in the middle of its reply. Try again")
        return failures.unreachable(error, self.name, self._host, self._timeout)


async def frames(decoder: Any, pieces: AsyncIterator[bytes]) -> AsyncIterator[Any]:  # noqa: ANN401 - the library's
    """Yield the events of a stream that have data for us. The others keep the connection open, or are for other clients."""
    async for event in decoder.aiter_bytes(_without_mark(bounded(pieces))):
        data = event.data.strip()
        is_foreign = event.event not in {None, "error"} and data[:1] not in {"{", "["}
        if data and not is_foreign:
            yield event


async def _without_mark(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the pieces without a byte order mark at the beginning."""
    begin: bytes | None = b""
    async for piece in pieces:
        if begin is None:
            yield piece
        elif not codecs.BOM_UTF8.startswith(begin := begin + piece):
            yield begin.removeprefix(codecs.BOM_UTF8)
            begin = None


async def bounded(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the decompressed pieces of a reply. Raises ProviderDown if it is too long."""
    size = 0
    async for piece in pieces:
        size += len(piece)
        if size > MOST_REPLY:
            raise ProviderDown(f"the reply is longer than {MOST_REPLY >> 20} MiB: check the base URL")
        yield piece


def _parse_whole_reply(body: bytes, assembly: Chat | Messages) -> object:
    """Parse a reply that is not declared as a stream: JSON, or an undeclared stream.

    Raises Refusal for anything else, such as a proxy's error page.
    """
    text = body.decode("utf-8-sig", "replace").strip()
    if text.startswith(("data:", "event:", "retry:", "id:", ":")):
        rows = [line.removeprefix("data:").strip() for line in text.split("\n") if line.startswith("data:")]
        for row in filter(None, rows):
            assembly.take(json.loads(row) if row != "[DONE]" else None)
        return assembly.whole(is_ended="[DONE]" in rows)
    if text and text[0] not in "{[":
        raise Refusal(Http.OK, is_page=True)
    return json.loads(text)


def _texts(prompt: Prompt) -> str:
    """Return the text of a prompt, which must not appear in errors."""
    return "\n".join(message.text for message in prompt.messages)


def transport(
    maker: Callable[..., httpx2.AsyncClient], url: str, timeout: float | None, http: ModuleType = httpx2
) -> httpx2.AsyncClient:
    """Return the aiohttp-based HTTP client that both libraries provide.

    `timeout` is the maximum number of seconds between two pieces of a reply. Redirects are off, because they could
    send the prompt elsewhere. Raises AccountRefused for an unsupported proxy, such as SOCKS.
    """
    address, proxies = urlsplit(url), getproxies()
    proxy = "" if proxy_bypass(address.netloc) else proxies.get(address.scheme) or proxies.get("all") or ""
    times, limits = http.Timeout(None, connect=CONNECT, read=timeout), http.Limits(**LIMITS)
    context = _ssl_context(http, url.startswith("https://"))
    with suppress(ValueError):  # the library rejects some other proxies, even if they are for other addresses
        if "://" not in proxy or proxy.lower().startswith(("http://", "https://")):
            hooks = {"request": [_leaves]}
            client = maker(limits=limits, timeout=times, follow_redirects=False, verify=context, event_hooks=hooks)
            for one in (client._transport, *client._mounts.values()):  # noqa: SLF001 - the library offers no other way
                if (
                    opened := getattr(one, "get_client", None)
                ) is not None:  # httpx2's own transport has no such limits
                    one.get_client = partial(_with_room, opened)  # type: ignore[union-attr]
            return client
    raise AccountRefused(
        "HTTPS_PROXY, HTTP_PROXY or ALL_PROXY names a proxy that is not supported. It must begin with http:// or https://"
    )


def _with_room(opened: Callable[[], aiohttp.ClientSession]) -> aiohttp.ClientSession:
    """Open a session that reads the headers of gateways, which are longer and more than aiohttp's default allows."""
    session = opened()
    session._max_field_size, session._max_headers = MOST_HEADER, MOST_HEADERS  # noqa: SLF001 - the transport passes no options
    return session


async def _leaves(_: object) -> None:
    """Call `Prompt.on_leaving`: the library has built the request and connects now."""
    if (on_leaving := LEAVING.get()) is not None:
        on_leaving()


def load() -> None:
    """Open a client once, so that its imports are done and the certificates are read."""
    with suppress(OSError, AccountRefused):  # the first call reports unreadable certificates or a bad proxy
        asyncio.run(transport(httpx2.AsyncClient, "https://", None).aclose())


@cache
def _ssl_context(http: ModuleType, is_encrypted: bool) -> ssl.SSLContext:
    """Return the trusted certificates, cached because loading takes 45 ms. An http address needs none."""
    context: ssl.SSLContext = http.create_ssl_context() if is_encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return context


def count(tokens: object) -> int:
    """Return a token count from a reply, or 0 if it is not a valid number. No prompt or reply has as many as MOST_REPLY."""
    return max(0, int(tokens)) if isinstance(tokens, (int, float)) and tokens < MOST_REPLY else 0
