"""What the heads of replies say about rate limits: what is left, and when to come again."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from bot.values import Allowance

NUMBER = re.compile(r"\d+(\.\d+)?")
DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
SECONDS = (86_400.0, 3_600.0, 60.0, 1.0, 0.001)
EPOCH = 1_000_000_000  # from here on a number is a date; from a thousand times that, in milliseconds
AGAIN = re.compile(
    r"(?:try again|retry) in (?:about )?((?:\d+(?:\.\d+)?\s?(?:ms|seconds?|minutes?|[dhms])\s?)+)", re.IGNORECASE
)
TOKENS = (
    ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"),
    ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("x-ratelimit-remaining-tokens-minute", "x-ratelimit-reset-tokens-minute"),
    ("x-ratelimitbysize-remaining-minute", ""),  # Mistral, Together
    ("x-tokenlimit-remaining", "x-tokenlimit-reset"),
)
REQUESTS = (
    "anthropic-ratelimit-requests-remaining",
    "x-ratelimit-remaining-requests",
    "x-ratelimit-remaining-req-minute",
    "x-ratelimit-remaining",
)


def allowance(headers: Mapping[str, str], now: datetime | None = None) -> Allowance | None:
    """What a reply's head leaves of requests and tokens; None when it says neither. Of several counts of tokens, the smallest."""
    counts = [(n, reset) for name, reset in TOKENS if (n := _count(headers.get(name))) is not None]
    requests = next((n for name in REQUESTS if (n := _count(headers.get(name))) is not None), None)
    if not counts and requests is None:
        return None
    tokens, name = min(counts) if counts else (None, "")
    return Allowance(requests, tokens, until(headers.get(name, ""), now))


def until(text: str, now: datetime | None = None) -> float | None:
    """Seconds until a time: "6m0s", "120ms", "1.5", a date by RFC 3339 or HTTP, seconds or milliseconds since 1970."""
    text, now = text.strip(), now or datetime.now(UTC)
    if NUMBER.fullmatch(text):
        value = float(text)
        since = value / 1000 if value >= EPOCH * 1000 else value
        return max(0.0, since - now.timestamp()) if since >= EPOCH else value
    if text and (parts := DURATION.fullmatch(text.lower())) is not None:
        return sum(float(part) * unit for part, unit in zip(parts.groups(), SECONDS, strict=True) if part)
    then = _date(text)
    return None if then is None else max(0.0, (then - now).total_seconds())


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds to wait, from `retry-after-ms` or `retry-after` (seconds or an HTTP date); None where no time is named."""
    exact = headers.get("retry-after-ms", "").strip()
    return float(exact) / 1000 if NUMBER.fullmatch(exact) else until(headers.get("retry-after", ""), now)


def seconds_in(message: str) -> float | None:
    """Seconds to wait, from a sentence such as "Please try again in 6m0s"."""
    match = AGAIN.search(message)
    if match is None:
        return None
    text = re.sub(r"\s|(?<=[sm])(?:econds?|inutes?)|(?<=\d)\.(?!\d)", "", match[1])
    return until(text)


def _count(text: str | None) -> int | None:
    return int(float(text)) if text and NUMBER.fullmatch(text.strip()) else None


def _date(text: str) -> datetime | None:
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            then = read(text)
        except ValueError:
            continue
        return then if then.tzinfo else then.replace(tzinfo=UTC)
    return None
