"""The answer to a prompt of pairs: the uses that do not hold any more, and what stays in doubt. Nothing in it is believed yet."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import Field, field_validator

from bot.findings import read, strangers
from bot.findings.strangers import Consequence, Quote, SeverityAndCategory, Stranger, Title, Trigger
from bot.values import Category, Finding, Schema, Severity, Source

NAME = "pairs"
MAX_BROKEN, MAX_DOUBTS, DOUBT_CHARS = 12, 6, 400


class BrokenUse(SeverityAndCategory):
    """A use that does not hold any more."""

    change: Quote = Field(
        description="the changed line that breaks it: its file, and the line verbatim without its sign"
    )
    use: Quote = Field(description="the line that breaks: its file, and the line verbatim")
    title: Title
    why: str = Field(default="", description="step by step: what arrives at the use now, and what it does with it")
    trigger: Trigger = ""
    consequence: Consequence = ""
    severity: Severity = "medium"
    category: Category = "contract"


class PairsAnswer(Stranger):
    """The whole reply."""

    broken: tuple[BrokenUse, ...] = Field(default=(), description="one entry for each defect; usually none or one")
    doubts: tuple[str, ...] = Field(
        default=(),
        description=f"at most {MAX_DOUBTS} uses that break if code which is not shown does what its name says: one sentence each, with the"
        " file of the use and the code that would settle it. Usually empty",
    )

    @field_validator("broken", mode="before")
    @classmethod
    def _within_bounds(cls, value: object) -> object:
        rows = value if isinstance(value, (list, tuple)) else ()
        return [row for row in rows if isinstance(row, Mapping)][:MAX_BROKEN]

    @field_validator("doubts", mode="before")
    @classmethod
    def _sentences(cls, value: object) -> object:
        rows = value if isinstance(value, (list, tuple)) else ()
        sentences = [text for row in rows if isinstance(row, str) and (text := " ".join(row.split())[:DOUBT_CHARS])]
        return sentences[:MAX_DOUBTS]


@lru_cache(maxsize=1)
def schema() -> Schema:
    """What the reader of pairs is asked to hand in."""
    return Schema(
        NAME,
        "Hand in the uses that do not hold any more.",
        strangers.schema(PairsAnswer),
        forgiven=frozenset({"doubts"}),
    )


def answer(data: Mapping[str, Any] | None, source: Source) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """The findings of a reply, and its doubts. Raises BadAnswer if the reply does not fit the schema."""
    reply = strangers.answer(data or {}, PairsAnswer)
    return tuple(_finding(one, source) for one in reply.broken if one.change.quote.strip()), reply.doubts


def _finding(one: BrokenUse, source: Source) -> Finding:
    return read.finding_of(one, one.change.path, one.change.quote, [one.use], source)
