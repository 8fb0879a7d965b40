"""A provider's refusals and failures as our own errors, each a sentence that says what to do.

The provider's own message is read but never repeated: it may quote the prompt or the key. Its error code is repeated.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus as Http

from bot.errors import BadAnswer, ProviderDown, ProviderError, ProviderRefused, RateLimited

TOO_LONG = re.compile(
    r"context.{0,10}(length|window|limit)|prompt is too long|too many (input )?tokens|(input|request|prompt).{0,20}too (long|large)"
    r"|exceeds? .{0,40}(token|context)",
    re.IGNORECASE,
)
# Not "exceeded your current quota": Gemini says that of a rate limit.
NO_CREDIT = re.compile(r"insufficient.(quota|balance|credit|funds)|credit balance", re.IGNORECASE)
BAD_KEY = re.compile(r"api.?key.{0,20}(not valid|invalid)|(incorrect|invalid) api.?key", re.IGNORECASE)
NO_MODEL = re.compile(
    r"model.{0,100}(not found|not exist|no such|unknown|invalid|not a valid|deprecated|retired)"
    r"|(unknown|invalid|no such) model|not a valid model|model_not_found",
    re.IGNORECASE,
)
SPOILT = {"tool_use_failed", "json_validate_failed"}  # Groq checks the model's reply and answers 400 where it is broken
CODE = re.compile(r"[a-z][a-z0-9_.\[\]]{0,47}")  # what may be repeated: never a key, never a sentence
STATUSES = range(300, 600)  # of answers that are none
OVERLOADED = 529  # Anthropic's own; the rest have names


@dataclass(frozen=True, slots=True)
class Refusal:
    """An HTTP answer other than 2xx, or the same inside a 200. `message` is for matching only."""

    status: int
    message: str = ""
    code: str = ""
    param: str = ""
    retry_after: float | None = None

    @property
    def words(self) -> str:
        """Everything it says, for matching."""
        return f"{self.code} {self.param} {self.message}"


def read(status: int, body: object, headers: Mapping[str, str], now: datetime | None = None) -> Refusal:
    """What a failed answer says, in either dialect, with or without the outer `error`."""
    outer = body[0] if isinstance(body, list) and body else body  # Gemini wraps its errors in a list
    found = outer.get("error", outer) if isinstance(outer, Mapping) else outer
    wait = retry_after(headers, now or datetime.now(UTC))
    if not isinstance(found, Mapping):
        return Refusal(status, str(found or "")[:2000], retry_after=wait)
    code = found.get("code") or found.get("type")
    if isinstance(code, int):
        code = found.get("type") or ""
    return Refusal(status, str(found.get("message") or "")[:2000], str(code or ""), str(found.get("param") or ""), wait)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait, from `retry-after-ms` or `retry-after` (seconds or an HTTP date); None where no time is named."""
    exact = headers.get("retry-after-ms", "")
    if re.fullmatch(r"\d+(\.\d+)?", exact):
        return float(exact) / 1000
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    try:
        then = parsedate_to_datetime(text)
    except ValueError:
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - now).total_seconds())


def translate(refusal: Refusal, name: str) -> ProviderError:
    """The error to raise for a refused or failed request of the model `name`."""
    provider, _, model = name.partition("/")
    if refusal.status in {Http.TOO_MANY_REQUESTS, OVERLOADED} and not _no_credit(refusal):
        why = "is overloaded" if refusal.status == OVERLOADED else "asks for fewer calls"
        wait = f", try again in {refusal.retry_after:g} s" if refusal.retry_after is not None else ""
        return RateLimited(f"{provider} {why} (status {refusal.status}){wait}", refusal.retry_after)
    said = "".join(f", {part}" for part in (refusal.code, refusal.param) if CODE.fullmatch(part))
    kind, sentence = next((kind, sentence) for applies, kind, sentence in RULES if applies(refusal))
    return kind(sentence.format(provider=provider, model=model, name=name, status=refusal.status, said=said))


def _no_credit(refusal: Refusal) -> bool:
    return refusal.status == Http.PAYMENT_REQUIRED or (
        refusal.status < Http.INTERNAL_SERVER_ERROR and bool(NO_CREDIT.search(refusal.words))
    )


def _key_refused(refusal: Refusal) -> bool:
    if refusal.status == Http.FORBIDDEN:
        return "model" not in refusal.words.lower()
    return refusal.status == Http.UNAUTHORIZED or bool(BAD_KEY.search(refusal.message))


Rule = tuple[Callable[[Refusal], bool], type[ProviderError], str]
RULES: tuple[Rule, ...] = (  # the first that applies
    (
        lambda r: r.code in SPOILT,
        BadAnswer,
        "{model} wrote an answer that {provider} could not read (status {status}{said}): ask again",
    ),
    (
        _no_credit,
        ProviderRefused,
        "{provider}: the account behind the key has no credit left: add some, or use another provider",
    ),
    (
        lambda r: r.status >= Http.INTERNAL_SERVER_ERROR or r.status in {Http.REQUEST_TIMEOUT, Http.CONFLICT},
        ProviderDown,
        "{provider} failed on its side (status {status}{said}): try again later",
    ),
    (
        _key_refused,
        ProviderRefused,
        "{provider} refuses the key (status {status}): check that it is set, valid and allowed to use {model}",
    ),
    (
        lambda r: r.status == Http.REQUEST_ENTITY_TOO_LARGE or bool(TOO_LONG.search(r.words)),
        ProviderRefused,
        "the prompt is too long for {name} (status {status}): use a model with a larger context, or smaller units",
    ),
    (
        lambda r: r.status in {Http.FORBIDDEN, Http.NOT_FOUND} or bool(NO_MODEL.search(r.words)),
        ProviderRefused,
        "unknown model {model} at {provider} (status {status}): check its name, the base URL and that the key may use it",
    ),
    (
        lambda r: r.status < Http.BAD_REQUEST,
        ProviderRefused,
        "the base URL of {provider} redirects (status {status}): configure the final address",
    ),
    (lambda _: True, ProviderRefused, "{provider} refuses the request to {model} (status {status}{said})"),
)


def unreachable(error: BaseException, name: str, host: str, timeout: float) -> ProviderDown:
    """The error to raise where no whole answer came back."""
    provider = name.partition("/")[0]
    if _timed_out(error):
        return ProviderDown(
            f"{provider} ({host}) did not answer within {timeout:g} s: try again later, or allow more time"
        )
    return ProviderDown(
        f"no answer from {provider} at {host}: check the connection, the base URL and that the service runs"
    )


def _timed_out(error: BaseException | None) -> bool:
    """Looked up in the cause: the transport reports a refused or dropped connection as a time-out too."""
    while error is not None:
        if isinstance(error, TimeoutError):
            return True
        error = error.__cause__ or error.__context__
    return False
