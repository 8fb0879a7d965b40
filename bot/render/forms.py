"""How a page writes figures: dollars, seconds, moments, shares. A figure that nobody knows is a dash."""

import re
from collections.abc import Callable
from datetime import UTC, datetime

from markupsafe import Markup, escape

from bot.render.disarm import line

NONE = "\N{EN DASH}"
_CODE = re.compile(r"`([^`]+)`")
MINUTE, HOUR = 60, 3600
CENT = 0.01


def forms() -> dict[str, Callable[..., str]]:
    """Return the filters, by name."""
    return {form.__name__: form for form in (usd, took, day, moment, iso, many, share, one_line, prose)}


def usd(value: float | None) -> str:
    """Return dollars: with cents, and below a cent with two digits that say something."""
    if value is None:
        return NONE
    if not value:
        return "$0"
    return f"${value:,.2f}" if value >= CENT else f"${value:.2g}"


def took(seconds: float | None) -> str:
    """Return a length of time, in at most two units: "8 s", "3 min 20 s", "1 h 05 min"."""
    if seconds is None:
        return NONE
    whole = round(seconds)
    if whole != seconds and seconds < 10:  # noqa: PLR2004 - where a tenth says something
        return f"{seconds:.1f} s"
    if whole < MINUTE:
        return f"{whole} s"
    if whole < HOUR:
        return f"{whole // MINUTE} min" + (f" {whole % MINUTE:02} s" if whole % MINUTE else "")
    return f"{whole // HOUR} h {whole % HOUR // MINUTE:02} min"


def day(seconds: float) -> str:
    """Return a day: "21 Nov"."""
    return f"{_moment(seconds):%-d %b}"


def moment(seconds: float) -> str:
    """Return a day and a time: "21 Nov, 14:05"."""
    return f"{_moment(seconds):%-d %b, %H:%M}"


def iso(seconds: float) -> str:
    """Write a moment for machines."""
    return f"{_moment(seconds):%Y-%m-%dT%H:%M:%SZ}"


def many(value: float | None) -> str:
    """Return a count, with commas."""
    return NONE if value is None else f"{value:,.0f}"


def share(value: float | None) -> str:
    """Return a part of a whole, in percent."""
    return NONE if value is None else f"{100 * value:.0f}%"


def one_line(value: str | None, most: int = 200) -> str:
    """Return a stranger's words on one line, without characters that cannot be seen; cut where they are too long."""
    text = line(value or "")
    return text if len(text) <= most else f"{text[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


def prose(value: str | None, most: int = 200) -> Markup:
    """Write a sentence or a title like `shown`, with what is between backticks as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(one_line(value, most)))))  # noqa: S704 - escaped before


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
