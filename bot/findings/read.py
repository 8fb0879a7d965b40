"""A worker's structured answer: its schema, and the findings read from it. Nothing in it is believed yet."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from bot.errors import BadAnswer
from bot.values import SEVERITIES, Evidence, Finding, Schema, Severity

CATEGORIES = (
    "logic", "broken-caller", "contract", "crash", "concurrency", "resource", "security", "data-loss", "performance", "test", "other",
)  # fmt: skip
TEXT, MAX_FINDINGS = {"type": "string"}, 20


def _object(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON schema object in the strict form: every property required, nothing else allowed."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


FINDING = _object(
    path=_text("the file, as it is named in the prompt"),
    quote=_text("the line or lines that the finding is about, copied verbatim without sign and line number"),
    line={"type": "integer", "description": "line number of the first quoted line"},
    title=_text("one sentence that names the defect, at most 90 characters"),
    why=_text("the mechanism: what happens, step by step"),
    consequence=_text("what a user or a caller notices"),
    trigger=_text("a concrete input, call or order of events that makes it happen"),
    severity={"type": "string", "enum": list(SEVERITIES)},
    category={"type": "string", "enum": list(CATEGORIES)},
    evidence={
        "type": "array",
        "items": _object(path=TEXT, quote=TEXT),
        "description": "further verbatim quotes that prove it: the caller, the definition, the reader",
    },
    suggestion={
        "type": ["string", "null"],
        "description": "replacement for the quoted lines, complete; null if unsure",
    },
)
ANSWER = Schema(
    name="review",
    description="Hand in the review of the code in the prompt.",
    parameters=_object(
        answer=_text("the reply to the question in at most three sentences"),
        findings={"type": "array", "items": FINDING},
    ),
)


class _Stranger(BaseModel):
    """Models' JSON: unknown keys are ignored, missing text is empty."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class _Quote(_Stranger):
    path: str = ""
    quote: str = ""


class _Found(_Stranger):
    path: str
    quote: str
    title: str
    line: int = 0
    why: str = ""
    consequence: str = ""
    trigger: str = ""
    severity: Severity = "medium"
    category: str = "other"
    evidence: tuple[_Quote, ...] = ()
    suggestion: str | None = None

    @field_validator("severity", mode="before")
    @classmethod
    def _known(cls, value: object) -> object:
        return value if value in SEVERITIES else "medium"


class _Answer(_Stranger):
    answer: str = ""
    findings: tuple[_Found, ...] = Field(default=(), max_length=MAX_FINDINGS)


def answer(data: Mapping[str, Any] | None, source: str) -> tuple[str, tuple[Finding, ...]]:
    """The reply's text and its findings. Raises BadAnswer where the reply does not fit the schema."""
    try:
        read = _Answer.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadAnswer(
            f"the answer does not fit the schema: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        ) from error
    return read.answer, tuple(_finding(found, source) for found in read.findings)


def _finding(found: _Found, source: str) -> Finding:
    return Finding(
        path=found.path,
        quote=found.quote,
        title=found.title.strip(),
        why=found.why.strip(),
        consequence=found.consequence.strip(),
        severity=found.severity,
        category=found.category if found.category in CATEGORIES else "other",
        source=source,
        start=max(0, found.line),
        evidence=tuple(Evidence(item.path, item.quote) for item in found.evidence if item.quote.strip()),
        suggestion=found.suggestion,
        trigger=found.trigger.strip(),
    )
