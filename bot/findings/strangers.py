"""The shape of a worker's answer as pydantic reads it: models' JSON is strangers' JSON."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from bot.errors import BadAnswer
from bot.values import SEVERITIES, Severity

MAX_FINDINGS = 20


class Stranger(BaseModel):
    """Models' JSON: unknown keys are ignored, missing text is empty."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Quote(Stranger):
    """A quote and its file."""

    path: str = ""
    quote: str = ""


class Claimed(Stranger):
    """A claim of existence."""

    says: str = ""
    name: str = ""


class LooseFinding(Stranger):
    """One finding."""

    path: str
    quote: str
    title: str
    line: int = 0
    why: str = ""
    consequence: str = ""
    trigger: str = ""
    severity: Severity = "medium"
    category: str = "other"
    evidence: tuple[Quote, ...] = ()
    claims: tuple[Claimed, ...] = ()
    suggestion: str | None = None

    @field_validator("severity", mode="before")
    @classmethod
    def _known(cls, value: object) -> object:
        return value if value in SEVERITIES else "medium"


class LooseAnswer(Stranger):
    """The whole reply."""

    answer: str = ""
    findings: tuple[LooseFinding, ...] = Field(default=(), max_length=MAX_FINDINGS)


def answer(data: Mapping[str, Any] | None) -> LooseAnswer:
    """The reply. Raises BadAnswer where it does not fit the schema."""
    try:
        return LooseAnswer.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadAnswer(
            f"the answer does not fit the schema: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        ) from error
