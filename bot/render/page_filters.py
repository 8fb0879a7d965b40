"""The filters of HTML pages for dollars, durations, times and shares. None becomes a dash."""

import re
from collections.abc import Callable
from datetime import UTC, datetime

from markupsafe import Markup, escape

from bot.render.disarm import line

NONE = "\N{EN DASH}"
_CODE = re.compile(r"`([^`]+)`")
MINUTE, HOUR = 60, 3600
CENT = 0.01


def page_filters() -> dict[str, Callable[..., str]]:
    """Return the filters by name."""
    return {form.__name__: form for form in (usd, duration, day, day_and_time, iso, number, percent, one_line, prose)}


def usd(value: float | None) -> str:
    """Return dollars with cents, or two significant digits below a cent."""
    if value is None:
        return NONE
    if not value:
        return "$0"
    return f"${value:,.2f}" if value >= CENT else f"${value:.2g}"


def duration(seconds: float | None) -> str:
    """Return a duration, such as "8 s", "3 min 20 s" or "1 h 05 min"."""
    if seconds is None:
        return NONE
    whole = round(seconds)
    if whole != seconds and seconds < 10:  # noqa: PLR2004 - below this a tenth matters
        return f"{seconds:.1f} s"
    if whole < MINUTE:
        return f"{whole} s"
    if whole < HOUR:
        return f"{whole // MINUTE} min" + (f" {whole % MINUTE:02} s" if whole % MINUTE else "")
    return f"{whole // HOUR} h {whole % HOUR // MINUTE:02} min"


def day(seconds: float) -> str:
    """Return the day of a time in seconds since 1970, such as "21 Nov"."""
    return f"{_moment(seconds):%-d %b}"


def day_and_time(seconds: float) -> str:
    """Return the day and time, such as "21 Nov, 14:05"."""
    return f"{_moment(seconds):%-d %b, %H:%M}"


def iso(seconds: float) -> str:
    """Return the time in ISO 8601."""
    return f"{_moment(seconds):%Y-%m-%dT%H:%M:%SZ}"


def number(value: float | None) -> str:
    """Return a count with thousands separators."""
    return NONE if value is None else f"{value:,.0f}"


def percent(value: float | None) -> str:
    """Return a share between 0 and 1 as a percentage."""
    return NONE if value is None else f"{100 * value:.0f}%"


def one_line(value: str | None, most: int = 200) -> str:
    """Return untrusted text on one line, without invisible characters, cut to `most` characters."""
    text = line(value or "")
    return text if len(text) <= most else f"{text[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


def prose(value: str | None, most: int = 200) -> Markup:
    """Return a sentence as HTML on one line, with text between backticks as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(one_line(value, most)))))  # noqa: S704 - escaped


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
