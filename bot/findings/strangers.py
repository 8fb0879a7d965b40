"""A worker's answer as a pydantic model: the schema that is sent is derived from it, and the reply is read by it.

Models' JSON is strangers' JSON. The schema asks for everything, in the strict form that providers demand; the reading forgives what
can be forgiven: a missing text is empty, an unknown severity is medium, an unknown key is nobody's business.
"""

from collections.abc import Mapping
from types import UnionType
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic.fields import FieldInfo

from bot.errors import BadAnswer
from bot.values import CATEGORIES, SEVERITIES, Category, Severity
from bot.values.finding import Existence
from bot.values.review import LookUpKind

CLAIMS, LOOK_UPS = get_args(Existence), get_args(LookUpKind)
MAX_FINDINGS = 20
MAX_LOOK_UPS, MAX_JOINT_LOOK_UPS = 6, 12  # of one answer; of one about several claims
MAX_FILES = 400  # of one answer, with a phrase each
MAX_UNSETTLED, UNSETTLED_CHARS = 3, 400
TYPES: Mapping[object, str] = {str: "string", int: "integer", bool: "boolean", type(None): "null"}
Answer = TypeVar("Answer", bound="Stranger")


class Stranger(BaseModel):
    """Models' JSON: unknown keys are ignored, missing text is empty."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class SeverityAndCategory(Stranger):
    """What has a severity and a category: an unknown one counts as medium, and as other."""

    @field_validator("severity", mode="before", check_fields=False)
    @classmethod
    def _known_severity(cls, value: object) -> object:
        return value if value in SEVERITIES else "medium"

    @field_validator("category", mode="before", check_fields=False)
    @classmethod
    def _known_category(cls, value: object) -> object:
        return value if value in CATEGORIES else "other"


class Quote(Stranger):
    """A quote and its file."""

    path: str = ""
    quote: str = ""


class ClaimFields(Stranger):
    """A claim of existence."""

    says: Existence = Field(
        description="undefined: nothing defines name; unused: nothing reads it; unpassed: no caller passes this parameter; unset:"
        " nothing gives it a value; not-overridden: the class `of` does not override it; only-caller: `of` alone calls it; unsent:"
        " nothing raises, sends or emits it; no-file: there is no such file"
    )
    name: str = ""
    of: str = Field(default="", description="the function, class or caller that the claim is about, or empty")


Title = Annotated[str, Field(description="one sentence that names the defect, at most 90 characters")]
Consequence = Annotated[str, Field(description="what a user or a caller notices")]
Trigger = Annotated[str, Field(description="a concrete input, call or order of events that makes it happen")]


class LooseFinding(SeverityAndCategory):
    """One finding."""

    path: str = Field(description="the file, as it is named in the prompt")
    quote: str = Field(
        description="the line or lines that the finding is about, copied verbatim without sign and line number"
    )
    line: int = Field(
        default=0, exclude=True
    )  # nobody is asked for it: code finds the quote. Of a reply that has it, it decides between several
    title: Title
    why: str = Field(default="", description="the mechanism: what happens, step by step")
    consequence: Consequence = ""
    trigger: Trigger = ""
    severity: Severity = "medium"
    category: Category = "other"
    evidence: tuple[Quote, ...] = Field(
        default=(), description="further verbatim quotes that prove it: the caller, the definition, the reader"
    )
    claims: tuple[ClaimFields, ...] = Field(
        default=(),
        description="what the finding takes for granted about the whole repository, without its tests. Empty if nothing",
    )
    suggestion: str | None = Field(
        default=None, description="replacement for the quoted lines, complete; null if unsure"
    )

    @field_validator("claims", mode="before")
    @classmethod
    def _known_claims(cls, value: object) -> object:
        """What nobody can look up is left out."""
        if not isinstance(value, (list, tuple)):
            return value
        return [row for row in value if not isinstance(row, Mapping) or row.get("says") in CLAIMS]


class LooseLookUp(Stranger):
    """Code that a reader asks to see."""

    kind: LookUpKind = Field(
        description="definition: of a name; uses: where a name is called, read, imported or overridden; search: lines of the"
        " repository that match a pattern; lines: of a file"
    )
    name: str = Field(
        default="",
        description="the name; of a search its Perl-compatible pattern, which matches within a line; else empty",
    )
    path: str = Field(
        default="", description="the file of lines; else a glob such as src/**/*.{ts,tsx} that narrows it, or empty"
    )
    start: int = Field(
        default=0, description="first line of lines; of a long definition the line that matters; 0 otherwise"
    )
    end: int = Field(default=0, description="last line of these; 0 otherwise")
    before: bool = Field(default=False, description="true: as it was before the change")


class LooseAnswer(Stranger):
    """The whole reply."""

    answer: str = Field(default="", description="the reply to the question in at most three sentences")
    findings: tuple[LooseFinding, ...] = Field(default=(), max_length=MAX_FINDINGS)


class FinalAnswer(LooseAnswer):
    """The whole reply of a reader who can ask for nothing more."""

    unsettled: tuple[str, ...] = Field(
        default=(),
        description=f"suspicions of a defect that its users would notice, which nothing you have seen proves or refutes, at most {MAX_UNSETTLED}:"
        " each one sentence that names the code of this repository which would settle it. No caveats, no remarks, nothing that you hold to"
        " be fine. Usually empty",
    )

    @field_validator("unsettled", mode="before")
    @classmethod
    def _sentences(cls, value: object) -> object:
        rows = value if isinstance(value, (list, tuple)) else ()
        sentences = [text for row in rows if isinstance(row, str) and (text := " ".join(row.split())[:UNSETTLED_CHARS])]
        return sentences[:MAX_UNSETTLED]


class Wishes(Stranger):
    """What a reply asks to see first. A wish that cannot be read is left out."""

    most: ClassVar[int] = MAX_LOOK_UPS

    look_ups: tuple[LooseLookUp, ...] = Field(
        default=(),
        description=f"code to see before the final answer, at most {MAX_LOOK_UPS}; empty in the final answer, and if what is shown decides",
    )

    @field_validator("look_ups", mode="before")
    @classmethod
    def _readable(cls, value: object) -> object:
        rows = value if isinstance(value, (list, tuple)) else ()
        known_rows = [row for row in rows if isinstance(row, Mapping) and row.get("kind") in LOOK_UPS]
        return [_plain(row) for row in known_rows[: cls.most]]


class JointWishes(Wishes):
    """What a reply about several claims asks to see first."""

    most: ClassVar[int] = MAX_JOINT_LOOK_UPS

    look_ups: tuple[LooseLookUp, ...] = Field(
        default=(),
        description=f"code to see before the final answer, at most {MAX_JOINT_LOOK_UPS} for all claims; empty in the final answer, and if what is shown decides",
    )


class SaidParts(Stranger):
    """What a reader of some parts says that the change does."""

    files: tuple[str, ...] = Field(
        default=(), description="each file as: path | theme, 1-3 words | what changes, 12 words at most"
    )

    @field_validator("files", mode="before")
    @classmethod
    def _readable(cls, value: object) -> object:
        rows = value if isinstance(value, (list, tuple)) else ()
        return [row for row in rows[:MAX_FILES] if isinstance(row, str)]


class SaidWhole(SaidParts):
    """What a reader of the whole change says that it does."""

    overview: str = Field(default="", description="what the whole change does and why it matters, 2-4 sentences")
    look_first: str = Field(default="", description="path of the riskiest file")

    @field_validator("overview", "look_first", mode="before")
    @classmethod
    def _text(cls, value: object) -> object:
        return value if isinstance(value, str) else ""


class AskingAnswer(Wishes, FinalAnswer):
    """The whole reply of a reader who may ask to see more."""


class LooseLook(Stranger):
    """The reply to a question about files. `found` is None if nobody said."""

    answer: str = Field(default="", description="the reply to the question in at most three sentences")
    found: bool | None = Field(
        default=None,
        description="false where the shown text does not hold what the question asks for; say so rather than guess",
        json_schema_extra={"type": "boolean"},
    )
    quotes: tuple[Quote, ...] = Field(
        default=(),
        description="the verbatim lines that the reply rests on, with their file; none where nothing was found",
    )
    findings: tuple[LooseFinding, ...] = Field(default=(), max_length=MAX_FINDINGS)

    @field_validator("found", mode="before")
    @classmethod
    def _read_found(cls, value: object) -> object:
        return value if isinstance(value, bool) else None

    @field_validator("quotes", mode="before")
    @classmethod
    def _readable(cls, value: object) -> object:
        rows = value if isinstance(value, (list, tuple)) else ()
        return [{key: str(text) for key, text in row.items()} for row in rows if isinstance(row, Mapping)]


def _plain(row: Mapping[str, object]) -> dict[str, object]:
    """A wish in the types that it should have."""
    texts = {name: "" if row.get(name) is None else str(row[name]) for name in ("kind", "name", "path")}
    numbers = {name: n if type(n := row.get(name)) is int else 0 for name in ("start", "end")}
    return {**texts, **numbers, "before": row.get("before") is True}


def schema(model: type[Stranger], *more: type[Stranger]) -> dict[str, Any]:
    """A model as a JSON schema in the strict form: every property required, nothing else allowed, one definition in place.

    `more`: models whose properties follow those of the first.
    """
    fields = ((name, field) for one in (model, *more) for name, field in one.model_fields.items())
    properties = {name: _property(field) for name, field in fields if not field.exclude}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _property(field: FieldInfo) -> dict[str, Any]:
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    property_schema = {"description": field.description} if field.description else {}
    return {**_kind(field.annotation), **extra, **property_schema}


def _kind(annotation: Any) -> dict[str, Any]:  # noqa: ANN401 - an annotation is any object
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return {"type": "string", "enum": list(parts)}
    if origin is tuple:
        return {"type": "array", "items": _kind(parts[0])}
    if origin is UnionType:
        return {"type": [TYPES[part] for part in parts]}
    if isinstance(annotation, type) and issubclass(annotation, Stranger):
        return schema(annotation)
    return {"type": TYPES[annotation]}


def answer(data: Mapping[str, Any] | None, model: type[Answer]) -> Answer:
    """The reply. Raises BadAnswer if it does not fit the model."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadAnswer(
            f"the answer does not fit the schema: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        ) from error
