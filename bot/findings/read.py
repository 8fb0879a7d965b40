"""A worker's structured answer: its schema, and the findings read from it. Nothing in it is believed yet."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bot import render
from bot.values import SEVERITIES, Claim, Evidence, Finding, Schema

if TYPE_CHECKING:
    from bot.findings.strangers import LooseFinding

CATEGORIES = (
    "logic", "broken-caller", "contract", "crash", "concurrency", "resource", "security", "data-loss", "performance", "test", "other",
)  # fmt: skip
CLAIMS = ("undefined", "unused", "unpassed", "no-file")
TEXT = {"type": "string"}


def strict(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON schema object in the strict form: every property required, nothing else allowed."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def text(description: str) -> dict[str, Any]:
    """A text of such an object."""
    return {"type": "string", "description": description}


FINDING = strict(
    path=text("the file, as it is named in the prompt"),
    quote=text("the line or lines that the finding is about, copied verbatim without sign and line number"),
    line={"type": "integer", "description": "line number of the first quoted line"},
    title=text("one sentence that names the defect, at most 90 characters"),
    why=text("the mechanism: what happens, step by step"),
    consequence=text("what a user or a caller notices"),
    trigger=text("a concrete input, call or order of events that makes it happen"),
    severity={"type": "string", "enum": list(SEVERITIES)},
    category={"type": "string", "enum": list(CATEGORIES)},
    evidence={
        "type": "array",
        "items": strict(path=TEXT, quote=TEXT),
        "description": "further verbatim quotes that prove it: the caller, the definition, the reader",
    },
    claims={
        "type": "array",
        "items": strict(says={"type": "string", "enum": list(CLAIMS)}, name=TEXT),
        "description": "what the finding takes for granted about the whole repository: name is not defined, not read, not passed by any caller; no such file. Empty if nothing",
    },
    suggestion={
        "type": ["string", "null"],
        "description": "replacement for the quoted lines, complete; null if unsure",
    },
)
ANSWER = Schema(
    name="review",
    description="Hand in the review of the code in the prompt.",
    parameters=strict(
        answer=text("the reply to the question in at most three sentences"),
        findings={"type": "array", "items": FINDING},
    ),
)


def answer(data: Mapping[str, Any] | None, source: str) -> tuple[str, tuple[Finding, ...]]:
    """The reply's text and its findings. Raises BadAnswer where the reply does not fit the schema."""
    from bot.findings import strangers  # pydantic takes longer to import than the whole engine

    read = strangers.answer(data)
    return read.answer, tuple(_finding(found, source) for found in read.findings)


def _finding(found: "LooseFinding", source: str) -> Finding:
    return Finding(
        path=render.named(found.path),
        quote=found.quote,
        title=found.title.strip(),
        why=found.why.strip(),
        consequence=found.consequence.strip(),
        severity=found.severity,
        category=found.category if found.category in CATEGORIES else "other",
        source=source,
        start=max(0, found.line),
        evidence=tuple(Evidence(render.named(item.path), item.quote) for item in found.evidence if item.quote.strip()),
        suggestion=found.suggestion,
        trigger=found.trigger.strip(),
        claims=tuple(
            Claim(c.says, c.name.strip("` ()")) for c in found.claims if c.says in CLAIMS and c.name.strip("` ()")
        ),
    )
