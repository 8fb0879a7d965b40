"""A leaked secret must not leak again through the review: what a finding about a secret quotes is masked in every output."""

import re
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar

from bot.values import Review

SHOWN = 4  # characters that let the author recognise the secret, of one at least three times as long
MIN_SECRET = 6
# What may repeat code. Names, states and paths stay as they are: a secret is no reason to lose the place.
WORDS = "pull title body findings finding quote why consequence trigger suggestion evidence note summary notes"
FREE = frozenset([*WORDS.split(), "turns", "said", "code", "observation", "output", "error"])

_LITERAL = re.compile(r"""(["'`])(.+?)\1""")
_LOGIN = re.compile(r"://[^\s:/@]*:([^\s@/]+)@")
_RUN = re.compile(r"[A-Za-z0-9+/_.~-]{16,}={0,2}")  # a token without quotes around it
_ASSIGNED = re.compile(r"[=:]\s*([^\s'\"`,;#]+)")
_BREAK = re.compile(r"\\[nrt]")  # as written in a string literal
_LABEL = "PRIVATE KEY"  # of a key's first line: no secret itself

Value = TypeVar("Value")


def secrets(review: Review) -> Review:
    """The review with every secret that a finding of the category "secret" quotes masked, wherever else it stands."""
    found = {
        value
        for placed in review.findings
        if placed.finding.category == "secret"
        for quote in (placed.finding.quote, *(item.quote for item in placed.finding.evidence))
        for value in _values(quote)
    }
    if not found:
        return review
    anyone = re.compile("|".join(re.escape(value) for value in sorted(found, key=lambda value: (-len(value), value))))
    return _masked(review, anyone)


def mask(secret: str) -> str:
    """The first characters of a secret, where it is long enough to give them away."""
    return f"{secret[:SHOWN]}***" if len(secret) >= 3 * SHOWN else "***"


def _values(quote: str) -> set[str]:
    """What may be secret in the quoted lines: string literals, logins in addresses, long tokens, what is assigned."""
    found: set[str] = set()
    for line in _BREAK.sub("\n", quote).split("\n"):
        values = [literal[2] for literal in _LITERAL.finditer(line)]
        values += _LOGIN.findall(line) + _ASSIGNED.findall(line)
        values += [run for run in _RUN.findall(line) if any(map(str.isdigit, run)) or _LABEL in quote]
        found |= {value for value in values if len(value) >= MIN_SECRET and _LABEL not in value}
    return found


def _masked(value: Value, anyone: re.Pattern[str]) -> Value:
    """The same value with the secrets masked in every text that it holds."""
    if isinstance(value, str):
        return anyone.sub(lambda found: mask(found[0]), value)  # type: ignore[return-value]
    if isinstance(value, tuple):
        return tuple(_masked(item, anyone) for item in value)  # type: ignore[return-value]
    if is_dataclass(value) and not isinstance(value, type):
        names = [item.name for item in fields(value) if item.name in FREE]
        return replace(value, **{name: _masked(getattr(value, name), anyone) for name in names})
    return value
