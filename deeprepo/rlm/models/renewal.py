"""When a provider takes requests again: the seconds that it asks for, or until a limit is renewed."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

NUMBER = re.compile(r"\d+(\.\d+)?")
LONGEST_RESET = 60.0  # seconds to wait for a limit whose renewal is only derived
AGAIN = re.compile(r"(?:retry|try again) (?:in|after) (\d\S*)", re.IGNORECASE)
DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|[smh])?")
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0}
SINCE_1970 = 1e9  # a larger number of seconds is a time


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait, from `retry-after-ms` or `retry-after` (seconds or an HTTP date), or None."""
    exact, text = headers.get("retry-after-ms", "").strip(), headers.get("retry-after", "").strip()
    if NUMBER.fullmatch(exact):
        return float(exact) / 1000
    if NUMBER.fullmatch(text):
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):  # not a date, or a date without a time zone
        return None


def reset_after(headers: Mapping[str, str], layers: Iterable[Mapping[str, Any]], message: str) -> float | None:
    """Return the seconds until a used-up limit is renewed, at most LONGEST_RESET, from the body or other headers, or None."""
    waits = [seconds_of(str(layer["retryDelay"])) for layer in layers if layer.get("retryDelay")]
    waits += [seconds_of(match[1]) for match in AGAIN.finditer(message)]
    for name, value in headers.items():
        if (
            "ratelimit" in name
            and "reset" in name
            and headers.get(name.replace("reset", "remaining"), "").strip() == "0"
        ):
            waits.append(seconds_of(value))
    return min(LONGEST_RESET, max(waits)) if waits else None


def seconds_of(text: str) -> float:
    """Return the seconds in "1m2.5s" or "20ms", or until a date or a Unix time in seconds or milliseconds. 0 for other text."""
    with suppress(ValueError):
        return max(0.0, (datetime.fromisoformat(text) - datetime.now(UTC)).total_seconds())
    seconds = sum(float(number) * UNITS[unit or "s"] for number, unit in DURATION.findall(text))
    if seconds > SINCE_1970:
        seconds = seconds / (1 if seconds < 1000 * SINCE_1970 else 1000) - datetime.now(UTC).timestamp()
    return max(0.0, seconds)
