"""Translate a provider's refusals and failures into errors that say what happened and what to do.

The reason in the body decides, not the status, because gateways and local servers report errors with status 500 or
even 200. The server's message is quoted, without any part that may come from the prompt or may be a key.
"""

import json
import re
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus as Http
from typing import Any

import aiohttp

from deeprepo.rlm.errors import (
    AccountRefused,
    BadAnswer,
    ModelRefused,
    Overloaded,
    PromptRefused,
    PromptTooLong,
    ProviderDown,
    ProviderError,
    ProviderRefused,
    QuotaExhausted,
    RateLimited,
    TimedOut,
)
from deeprepo.rlm.models.forms import MISREAD, longest_reply, numbers_in
from deeprepo.rlm.models.renewal import reset_after, retry_after
from deeprepo.rlm.values import UNLISTED

TOO_LONG = re.compile(
    r"context.{0,10}(length|window|limit|size)|prompt length|(input|request|prompt|message|string).{0,40}too (long|large)"
    r"|too many (input |prompt )?tokens|exceed.{0,60}(token|context|length)|reduce the length of|reduce your (message|prompt)"
    r"|(token|prompt|input|sequence|context).{0,60}(exceed|longer than|larger than)|range of input"
    r"|max\w{0,20}.{0,20}(sequence|context|input|prompt|model) length|`inputs` tokens|input validation error.{0,40}tokens|request_too_large",
    re.IGNORECASE,
)
LENGTH = re.compile(r"token|length|context|too long", re.IGNORECASE)
# Too large for the account's limit per minute.
TOO_LARGE = re.compile(r"request too large|requested \d|reduce your message", re.IGNORECASE)
# The server cut off the reply, and sent an error instead of the beginning.
CUT_OFF = re.compile(r"output limit was reached|try again with higher max_?tokens", re.IGNORECASE)
UNSUPPORTED = re.compile(
    r"\brequires?\b|not (supported|enabled|implemented|allowed)|unsupported|unexpected|roles must alternate",
    re.IGNORECASE,
)
SPOILT = {"tool_use_failed", "json_validate_failed"}  # Groq checks the model's reply and sends a 400 if it is invalid
# The statuses that correspond to error types in a stream or in a 200, where there is no status. Includes Bedrock's types.
STATUSES_BY_TYPE = {
    529: "overloaded_error overloaded",
    504: "timeout_error modeltimeoutexception",
    503: "serviceunavailableexception modelnotreadyexception",
    429: "rate_limit_error rate_limit_exceeded too_many_requests throttlingexception resource_exhausted insufficient_quota",
    413: "request_too_large",
    404: "not_found_error model_not_found",
    403: "permission_error",
    402: "billing_error",
    401: "authentication_error invalid_api_key",
    400: "validationexception invalid_request_error invalid_argument context_length_exceeded exceed_context_size_error",
}
RETRIED = {Http.REQUEST_TIMEOUT, Http.CONFLICT, Http.FAILED_DEPENDENCY, Http.TOO_EARLY, 499}  # the last is nginx's
STATUS_OF = {word: status for status, words in STATUSES_BY_TYPE.items() for word in words.split()}
KEY_REFUSED = "{provider} refused the key (status {status}). Check that it is set, valid and allowed to use {model}"
PROXY_REFUSED = "the proxy refuses the connection. Check HTTPS_PROXY and HTTP_PROXY, with user and password if the proxy asks for them"
UNKNOWN_MODEL = "{provider} does not know the model {model} (status {status}). Check its name, the base URL and the permissions of the key"
# The meaning of a refusal by its text, whatever its status. The first matching row decides.
REASONS: tuple[tuple[str, type[ProviderError], str], ...] = (
    (  # not "exceeded your current quota", which Gemini uses for a rate limit
        (
            r"insufficient.{1,12}(quota|balance|credit|funds)|credit balance|out of credits?\b"
            r"|(balance|credits?|funds) (is|are) (too low|not enough|insufficient|exhausted)|余额不足|额度不足|额度已用尽|欠费"
        ),
        QuotaExhausted,
        "{provider}: the account has no credit left. Add credit, or use another provider",
    ),
    (
        (
            r"(usage|spend(ing)?|billing|monthly)( \w+)? (limits?|caps?)\b.{0,80}(reach|exceed|hit)|\bbudget(_| has been | )exceeded|exceeded.?budget"
            r"|(reach|exceed|hit).{0,40}(usage|spend(ing)?|billing|monthly)( \w+)? (limit|cap)"
        ),
        QuotaExhausted,
        "{provider}: the account has reached its usage limit. Raise the limit, or use another provider",
    ),
    (
        r"only authorized for use with|not authorized for (use with )?this (client|application)",
        AccountRefused,
        "{provider}: this key is for another program. Create an API key for deeprepo",
    ),
    (
        r"api.?key.{0,20}(not valid|invalid)|(incorrect|invalid) api.?key|no.connected.db|no_db_connection",
        AccountRefused,
        KEY_REFUSED,
    ),
    (
        r"no models? (is |are )?loaded|model is not loaded|load a model",
        ModelRefused,
        "{provider} has no model loaded. Load {model} in the server, then try again",
    ),
    (
        r"(loading|warming up).{0,20}model|model.{0,40}(is|still) (currently )?loading",
        ProviderDown,
        "{provider} is still loading {model}. Try again in a minute",
    ),
    (
        r"(requires|needs) more (system|gpu|video)? ?memory|out of memory|insufficient memory|cuda error|failed to allocate",
        ModelRefused,
        "the {provider} server has too little memory for {model}. Use a smaller model or context, or a larger machine",
    ),
    (
        (
            r"model.{0,100}(not found|not exist|no such|unknown|\binvalid\b|not a valid|deprecated|decommissioned|retired)"
            r"|(unknown|invalid|no such) model|not a valid model|model_not_(found|supported)|no available channels?|模型不存在|无可用渠道"
        ),
        ModelRefused,
        UNKNOWN_MODEL,
    ),
    (
        r"must be verified",
        ProviderRefused,
        "{provider} serves {model} only to verified organizations. Verify yours in its settings, or use another model",
    ),
    (
        r"data policy|privacy settings|guardrail restrictions",
        ModelRefused,
        "{provider} has no {model} server that meets the account's data policy. Check its privacy settings",
    ),
    (
        r"unsupported_country|(country|region).{0,40}not supported|not available in your (country|region|location)",
        AccountRefused,
        "{provider} does not serve this region. Use another provider",
    ),
)
# A daily limit, which is too long to wait for.
A_DAY = re.compile(r"per[ _-]?day|\bdaily\b|\b[RT]PD\b", re.IGNORECASE)
# A refusal because of the account, not because of the prompt.
ACCOUNT = re.compile(
    r"\b(account|organi[sz]ation|api.?key)\b.{0,40}\b(flagged|suspended|blocked|moderation)", re.IGNORECASE
)
MODERATED = re.compile(
    r"content.?filter|content.?policy|content management policy|moderation|\bflagged\b|responsible.?ai|data_inspection|inappropriate",
    re.IGNORECASE,
)
SAYING = ("message", "detail", "msg", "status_msg", "error_description")  # fields with the reason
WORDS = (*SAYING, "raw", "reason", "reasons", "title")
CODE = re.compile(r"[a-z][a-z0-9_.\[\]]{0,47}")  # an error code that may be shown; it can't be a key or a sentence
DEEPEST, MOST_LAYERS = 5, 20  # maximum depth that is read in a body, and maximum parts of each object
STATUSES = range(300, 600)  # statuses of failures
OVERLOADED = 529  # Anthropic's own status
QUOTE_CHARS = 160  # quoted characters of the server's message
USEFUL = 1_024  # tokens; a shorter reply is no use
SHARED = 12  # a message that shares so many characters with the prompt is not quoted
KEY_LIKE = re.compile(r"[\w+/=.-]{16,400}+")


@dataclass(eq=False, repr=False)
class Refusal(Exception):  # noqa: N818 - an outcome that another form of the request may change
    """An HTTP answer other than 2xx, or the same inside a 200. `message` is for matching only."""

    status: int
    message: str = ""
    code: str = ""
    param: str = ""
    retry_after: float | None = None
    reset_after: float | None = None  # seconds until a limit is renewed, if no `retry-after` was sent
    is_page: bool = False  # the page of a proxy or a firewall, or other text that is not an API response
    sent_status: int = 0  # the actual HTTP status, if `status` was derived from the body
    cap: int = 0  # maximum tokens of the reply that was asked for
    has_begun: bool = False  # whether a part of the reply had arrived

    @property
    def words(self) -> str:
        """Its complete text, for matching."""
        return f"{self.code} {self.param} {self.message}"

    @property
    def is_about_request(self) -> bool:
        """Whether the request itself was rejected, so another form may work. Some local servers send a 500 or 501."""
        is_said = (
            self.status in {Http.INTERNAL_SERVER_ERROR, Http.NOT_IMPLEMENTED}
            and (self.is_misread or UNSUPPORTED.search(self.message))
            and self.reason is None
        )
        is_affordable = self.status == Http.PAYMENT_REQUIRED and longest_reply(self.message, self.cap) is not None
        return self.status in {Http.BAD_REQUEST, Http.NOT_FOUND, Http.UNPROCESSABLE_ENTITY} or bool(
            is_said or is_affordable
        )

    @property
    def is_cut_off(self) -> bool:
        """Whether the server sent this instead of a reply that was too long."""
        return CUT_OFF.search(self.message) is not None

    @property
    def is_misread(self) -> bool:
        """Whether llama.cpp's template or its parser of tool calls failed."""
        return self.status >= Http.INTERNAL_SERVER_ERROR and MISREAD.search(self.message) is not None

    @property
    def is_spoilt(self) -> bool:
        """Whether the model's own reply was invalid."""
        return self.code in SPOILT or (self.has_begun and self.is_misread)

    @property
    def is_about_prompt(self) -> bool:
        """Whether the provider's content filter rejected this prompt."""
        is_moderated = MODERATED.search(self.words) and not ACCOUNT.search(self.message)
        return self.status in {Http.BAD_REQUEST, Http.FORBIDDEN} and bool(is_moderated)

    @property
    def is_unexplained(self) -> bool:
        """Whether the reason is unknown, so that any part of the request may be the cause."""
        is_understood = (
            self.is_spoilt or self.is_misread or self.is_about_prompt or self.reason is not None or too_long(self)
        )
        return self.is_about_request and self.status != Http.NOT_FOUND and not is_understood

    @property
    def reason(self) -> tuple[type[ProviderError], str] | None:
        """The error and its text according to REASONS, or None."""
        if self.is_page:
            return None
        found = (row for row in REASONS if re.search(row[0], self.words, re.IGNORECASE))
        return next(((kind, sentence) for _, kind, sentence in found), None)


def read(status: int, body: object, headers: Mapping[str, str]) -> Refusal:
    """Return the refusal in a failed answer, in any dialect.

    Gateways wrap the provider's answer, so every depth is searched.
    """
    layers = list(_layers(body, DEEPEST))
    is_page = isinstance(body, str) and body.lstrip()[:1] == "<"
    texts = [str(layer[name]) for layer in layers for name in WORDS if layer.get(name)]
    message = "" if is_page else "\n".join(dict.fromkeys(texts)) or (body if isinstance(body, str) else "")
    codes = (str(layer[name]) for layer in layers for name in ("code", "type") if layer.get(name))
    code = next((code for code in codes if not code.lstrip("-").isdigit()), "")
    param = next((str(layer["param"]) for layer in layers if layer.get("param")), "")
    wait = retry_after(headers)
    reset = reset_after(headers, layers, message) if wait is None else None
    return Refusal(status, message[:4000], code, param, wait, reset, is_page)


def _layers(body: object, depth: int) -> Iterator[Mapping[str, Any]]:
    """Yield the objects in a body, outer ones first. JSON inside a string is parsed too."""
    if isinstance(body, str) and body.lstrip()[:1] in {"{", "["}:
        try:
            body = json.loads(body)
        except (ValueError, RecursionError):
            return
    if isinstance(body, list) and depth:
        for part in body[:MOST_LAYERS]:
            yield from _layers(part, depth - 1)
    if isinstance(body, Mapping):
        inner = body.get("error")
        if not isinstance(inner, Mapping):  # next to an `error`, the other fields don't describe the error
            yield {**body, **({"message": inner} if isinstance(inner, str) else {})}
        for part in list(body.values())[:MOST_LAYERS] if depth else ():
            yield from _layers(part, depth - 1)


def error_in_reply(reply: Mapping[str, object]) -> Mapping[str, object] | None:
    """Return the error in a 200 without a reply, such as `{"detail": ...}` or `{"base_resp": {...}}`, or None."""
    if reply.get("error"):
        return reply
    if any(reply.get(name) for name in ("choices", "content")):
        return None
    texts = [layer for layer in _layers(reply, DEEPEST) if any(isinstance(layer.get(name), str) for name in SAYING)]
    return texts[0] if texts else None


def inside(reply: Mapping[str, object]) -> Refusal:
    """Return a failure that is reported in a 200 or in a stream. Its status, if any, is in the body."""
    error = reply.get("error", reply)
    fields = error if isinstance(error, Mapping) else {}
    status = fields.get("code")
    if isinstance(status, str) and status.isdigit():
        status = int(status)
    is_told = isinstance(status, int) and status in STATUSES
    if not isinstance(status, int) or not is_told:
        words = (str(fields.get(name) or "").lower() for name in ("code", "type", "status"))
        status = next((STATUS_OF[word] for word in words if word in STATUS_OF), int(Http.BAD_GATEWAY))
    refusal = read(status, reply, {})
    refusal.sent_status = 0 if is_told else int(Http.OK)
    return refusal


def too_long(refusal: Refusal) -> bool:
    """Return whether the prompt is too long for the model's window or the account's limit per minute."""
    if refusal.status == Http.TOO_MANY_REQUESTS:  # OpenAI and Groq: one request exceeds the limit per minute
        return bool(TOO_LARGE.search(refusal.message)) and "too large" in refusal.message.lower()
    if longest_reply(refusal.message, refusal.cap) is not None:
        return False
    if refusal.status >= Http.INTERNAL_SERVER_ERROR:  # Ollama, xinference and gateways
        return bool(TOO_LONG.search(refusal.message) and LENGTH.search(refusal.message))
    return refusal.status == Http.REQUEST_ENTITY_TOO_LARGE or bool(TOO_LONG.search(refusal.words))


def translate(refusal: Refusal, name: str, server: str = "", prompt: str = "") -> ProviderError:
    """Return the error for a failed request to the model `name`. Text from `prompt` is not quoted."""
    error = _error(refusal, name, server)
    said = "" if isinstance(error, (PromptTooLong, RateLimited)) or refusal.is_page else quote(refusal.message, prompt)
    if said:
        error.args = (f'{error}. It says: "{said}"',)
    error.may_be_billed = refusal.is_spoilt
    return error


def quote(message: str, prompt: str) -> str:
    """Return the beginning of a server's message, or "" if it may repeat the prompt. Possible keys become "[...]"."""
    words = " ".join(message.split())[: 2 * QUOTE_CHARS]
    text = KEY_LIKE.sub(lambda run: "[...]" if re.search(r"\d", run[0]) else run[0], words)[:QUOTE_CHARS]
    low, whole = text.lower(), " ".join(prompt.split()).lower()
    if any(low[at : at + SHARED] in whole for at in range(len(low) - SHARED + 1)):
        return ""
    return text.replace('"', "'").rstrip(" .")


def _error(refusal: Refusal, name: str, server: str) -> ProviderError:  # noqa: C901, PLR0911, PLR0912 - one sentence per kind
    provider, _, model = name.partition("/")
    server = server or provider  # with the address, which alone tells such servers apart
    provider = server if provider in UNLISTED else provider
    status, words = refusal.status, refusal.words
    said = "".join(f", {part}" for part in (refusal.code, refusal.param) if CODE.fullmatch(part))
    shown = refusal.sent_status or status
    names = {"provider": provider, "model": model, "status": shown}
    is_limit = status in {Http.TOO_MANY_REQUESTS, OVERLOADED} or (
        (status == Http.SERVICE_UNAVAILABLE and "overload" in words.lower())
        or (status == Http.BAD_GATEWAY and "rate limit" in words.lower())
    )
    if status == Http.PROXY_AUTHENTICATION_REQUIRED:
        return AccountRefused(f"no answer from {server}: {PROXY_REFUSED}")
    if refusal.is_spoilt:
        return BadAnswer(f"{model} wrote an answer that {provider} could not read (status {shown}{said}). Try again")
    if refusal.is_page and not is_limit and status < Http.INTERNAL_SERVER_ERROR and not too_long(refusal):
        failure = ProviderDown if status == Http.OK else AccountRefused
        return failure(
            f"{server} sent a web page or other text instead of an API response (status {shown}). "
            "Check the base URL, proxies and firewalls"
        )
    if refusal.is_about_prompt:
        return PromptRefused(
            f"the content filter of {provider} refused a prompt (status {shown}{said}), so what it contains was not read"
        )
    if status == Http.PAYMENT_REQUIRED:
        return QuotaExhausted(REASONS[0][2].format(**names))
    if too_long(refusal):
        return _too_long(refusal, name)
    if refusal.is_misread:
        return ProviderRefused(
            f"{provider} could not read what {model} wrote, or its chat template rejects the dialogue (status {shown}{said})"
        )
    if is_limit and A_DAY.search(words) and refusal.retry_after is None:
        return QuotaExhausted(
            f"{provider} refused more calls today, because this key reached its daily limit (status {shown}). Try again tomorrow, or use another provider"
        )
    reason = refusal.reason
    # If the server names a time for a retry, it is only temporarily unavailable, unless the account has no credit.
    is_appointment = status >= Http.INTERNAL_SERVER_ERROR and refusal.retry_after is not None
    if reason is not None and not (is_appointment and not issubclass(reason[0], AccountRefused)):
        return reason[0](reason[1].format(**names))
    if is_limit or is_appointment:
        wait = f", try again in {refusal.retry_after:g} s" if refusal.retry_after is not None else ""
        after = refusal.reset_after if refusal.retry_after is None else refusal.retry_after
        if status == Http.TOO_MANY_REQUESTS:
            return RateLimited(f"{provider} asked for fewer calls (status {shown}){wait}", after)
        return Overloaded(f"{provider} is overloaded (status {shown}){wait}", after)
    if status >= Http.INTERNAL_SERVER_ERROR or status in RETRIED:
        return ProviderDown(f"{provider} had an internal error (status {shown}{said}). Try again later")
    if status == Http.FORBIDDEN and "model" not in words.lower():
        return ModelRefused(KEY_REFUSED.format(**names))
    if status == Http.UNAUTHORIZED:
        return AccountRefused(KEY_REFUSED.format(**names))
    if status in {Http.FORBIDDEN, Http.NOT_FOUND}:
        return ModelRefused(UNKNOWN_MODEL.format(**names))
    if status < Http.BAD_REQUEST:
        return AccountRefused(f"the base URL of {provider} redirects (status {shown}). Configure the final address")
    return ProviderRefused(
        f"{provider} refused the request to {model} (status {shown}{said}). Check that it is a chat model, or use another model"
    )


def sizes_in(message: str, cap: int) -> tuple[int | None, int | None]:
    """Return the sizes of the window and of the prompt that a refusal states, in any wording. `cap`: of the reply that was asked for.

    Numbers that add up describe the request. Of two others, the smaller one is the window, unless a prompt of that size
    would fit into a window of the other size with a smaller reply.
    """
    numbers = set(numbers_in(message))
    sums = [(a, b) for a in numbers for b in numbers if 0 < a < b and a + b in numbers]
    parts = next(((a, b) for a, b in sums if cap in (a, b)), sums[0] if sums else ())
    prompt = max((part for part in parts if part != cap), default=None)
    described = {cap, *(number for a, b in sums for number in (a, b, a + b))}
    rest = sorted(number for number in numbers - described if number >= USEFUL)
    if prompt is not None or len(rest) < 2:  # noqa: PLR2004 - the window and the prompt
        return (rest[0] if rest else None), prompt
    window, prompt = rest[0], rest[-1]
    return (prompt, window) if window + USEFUL < prompt < window + cap else (window, prompt)


def _too_long(refusal: Refusal, name: str) -> PromptTooLong:
    window, size = sizes_in(refusal.message, refusal.cap)
    limit = f", whose limit is {window:,} tokens" if window else ""
    why = f"the prompt is too long for {name}{limit} (status {refusal.status}). Use a model with a larger context window, or send less text"
    is_about_bytes = refusal.status == Http.REQUEST_ENTITY_TOO_LARGE
    return PromptTooLong(why, window, size, 0 if is_about_bytes else refusal.cap)


NO_CONNECTION = (
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.ClientProxyConnectionError,
    aiohttp.ClientHttpProxyError,
    aiohttp.InvalidURL,
    ConnectionRefusedError,
)


def unreachable(error: BaseException, name: str, host: str, seconds: float) -> ProviderDown:
    """Return the error for a failed connection. `seconds`: the timeout."""
    provider = name.partition("/")[0]
    if _is_or_comes_from(error, TimeoutError) and not _is_or_comes_from(error, aiohttp.ConnectionTimeoutError):
        return TimedOut(
            f"{provider} ({host}) sent nothing for {seconds:g} s. Try again later, or allow more time (setting `timeout`)"
        )
    why = next((why for kind, why in CONNECTIONS if _is_or_comes_from(error, kind)), "")
    return ProviderDown(
        f"no answer from {provider} at {host}"
        + (f": {why}" if why else ". Check the connection, the base URL and that the service is running")
    )


CONNECTIONS: tuple[tuple[type[BaseException], str], ...] = (
    (
        ssl.SSLCertVerificationError,
        "its certificate is not trusted. If it is your own, set SSL_CERT_FILE to its certificate authority",
    ),
    (ssl.SSLError, "it does not support https. For an http server, start the base URL with http://"),
    (aiohttp.ClientHttpProxyError, PROXY_REFUSED),
    (aiohttp.ClientProxyConnectionError, "the proxy does not answer. Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY"),
    (
        aiohttp.InvalidURL,
        "the base URL or the proxy's address is not valid. A proxy must begin with http:// or https://",
    ),
)


def was_sent(error: BaseException) -> bool:
    """Return whether the request may have reached the provider, because it failed after connecting."""
    return _is_or_comes_from(error, (aiohttp.ClientError, OSError)) and not _is_or_comes_from(error, NO_CONNECTION)


def _is_or_comes_from(error: BaseException | None, kind: type[BaseException] | tuple[type[BaseException], ...]) -> bool:
    """Return whether an error or one of its causes is of this kind. The transport reports other errors as time-outs."""
    while error is not None:
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False
