"""A leaked secret must not leak again through the review: what a finding about a secret quotes is masked in every output."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar

from bot.values import Finding, Placed, Review

SHOWN = 4  # characters that let the author recognise the secret, of one at least three times as long
MIN_SECRET = 6
# What may repeat code. Names, states and paths stay as they are: a secret is no reason to lose the place.
WORDS = (
    "pull title body findings finding quote why consequence trigger suggestion replacement evidence note summary notes"
)
LISTS = "failure still fixed kept_back issues asks missing suppressed reason unproven turns said code observation output error walkthrough overview themes rows phrase first"
FREE = frozenset([*WORDS.split(), *LISTS.split()])

_LITERAL = re.compile(r"""(["'`])(.+?)\1""")
_LOGIN = re.compile(r"://[^\s:/@]*:([^\s@/]+)@")
_RUN = re.compile(r"[A-Za-z0-9+/_.~-]{16,}={0,2}")  # a token without quotes around it
_ASSIGNED = re.compile(r"[=:]\s*([^\s'\"`,;#]+)")
_BREAK = re.compile(r"\\[nrt]")  # as written in a string literal
_LABEL = "PRIVATE KEY"  # of a key's first line: no secret itself

Value = TypeVar("Value")


def secrets(review: Review) -> Review:
    """The review with every secret that a finding of the category "secret" quotes masked, wherever else it stands."""
    return masked(review, tuple(_all(review)))


def masked(value: Value, findings: Iterable[Finding]) -> Value:
    """A value with every secret masked that one of the findings quotes."""
    found = {
        value
        for finding in findings
        if finding.category == "secret"
        for quote in (finding.quote, *(item.quote for item in finding.evidence))
        for value in _values(quote)
    }
    if not found:
        return value
    anyone = re.compile("|".join(re.escape(value) for value in sorted(found, key=lambda value: (-len(value), value))))
    return _masked(value, anyone)


def _all(review: Review) -> Iterator[Finding]:
    yield from (placed.finding for placed in review.findings)
    yield from (*review.still, *review.fixed, *review.kept_back, *review.unproven)
    yield from (item.finding for item in review.suppressed)


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
        changed = replace(value, **{name: _masked(getattr(value, name), anyone) for name in names})
        return _uncommitted(value, changed)
    return value


def _uncommitted(before: Value, after: Value) -> Value:
    """A replacement with a mask in it must not be committed: it is shown as words."""
    if isinstance(before, Placed) and isinstance(after, Placed) and before.replacement != after.replacement:
        return replace(after, replacement=None, refused="secret")
    return after
