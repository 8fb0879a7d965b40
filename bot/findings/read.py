"""A worker's structured answer: the schema that asks for it, and the findings read from it. Nothing in it is believed yet."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

from bot import render
from bot.values import Category, Claim, Evidence, FileNote, Finding, LookUp, ReaderNotes, Schema, Severity, Side, Source

if TYPE_CHECKING:
    from bot.findings.strangers import LooseFinding, Quote

Extent = Literal["none", "parts", "whole"]
NOTE_PARTS = 3  # of what is said of a file: path, theme, phrase


class DefectWords(Protocol):
    """What a reply says of one defect."""

    title: str
    why: str
    consequence: str
    trigger: str
    severity: Severity
    category: Category


def strict(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON schema object in the strict form: every property required, nothing else allowed."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def text(description: str) -> dict[str, Any]:
    """A text of such an object."""
    return {"type": "string", "description": description}


def with_field(base: Schema, name: str, field: Mapping[str, Any]) -> Schema:
    """Add a field to an answer, in each form in which it is asked for; a record without it still counts."""
    final = _with_field(base.final, name, field) if base.final is not None else None
    return replace(_with_field(base, name, field), final=final)


def _with_field(base: Schema, name: str, field: Mapping[str, Any]) -> Schema:
    parameters = dict(base.parameters)
    parameters["properties"] = {**parameters["properties"], name: field}
    parameters["required"] = [*parameters["required"], name]
    return replace(base, parameters=parameters, forgiven=base.forgiven | {name})


@lru_cache(maxsize=len(get_args(Extent)))
def schema(walkthrough: Extent = "none") -> Schema:
    """What a worker is asked to hand in. `walkthrough`: of how much it says what the change does."""
    from bot.findings import strangers  # pydantic takes longer to import than the whole engine

    tool = "review", "Hand in the review of the code in the prompt."
    more = {"none": (), "parts": (strangers.SaidParts,), "whole": (strangers.SaidWhole,)}[walkthrough]
    forgiven = frozenset({"unsettled", *(name for one in more for name in one.model_fields)})
    last, asking = (strangers.schema(form, *more) for form in (strangers.FinalAnswer, strangers.AskingAnswer))
    final = Schema(*tool, last, forgiven=forgiven)
    return Schema(*tool, asking, final, forgiven | {"look_ups"})


@lru_cache(maxsize=2)
def wishes(*, are_several: bool = False) -> Mapping[str, Any]:
    """The field in which any structured answer may ask to see more code. `are_several`: it is about several claims."""
    from bot.findings import strangers

    form = strangers.JointWishes if are_several else strangers.Wishes
    return dict(strangers.schema(form)["properties"])


def asking(name: str, description: str, properties: Mapping[str, Any]) -> Schema:
    """Build the form of an answer that may ask to see more code first, with the form of the last answer."""
    final = Schema(name, description, strict(**properties))
    return Schema(name, description, strict(**properties, **wishes()), final, frozenset(wishes()))


def look_ups(data: Mapping[str, Any] | None, *, are_several: bool = False) -> tuple[LookUp, ...]:
    """What a reply asks to see, each once; nothing where it asks for nothing that can be read. `are_several`: it is about several claims."""
    from bot.findings import strangers

    form = strangers.JointWishes if are_several else strangers.Wishes
    wishes = form.model_validate({"look_ups": (data or {}).get("look_ups")}).look_ups
    sides: dict[bool, Side] = {True: "base", False: "head"}
    look_ups_wished = (LookUp(one.kind, one.name, one.path, one.start, one.end, sides[one.before]) for one in wishes)
    return tuple(dict.fromkeys(look_ups_wished))


def open_suspicions(data: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The suspicions that a final answer leaves open, as sentences."""
    from bot.findings import strangers

    return strangers.FinalAnswer.model_validate({"unsettled": (data or {}).get("unsettled")}).unsettled


def reader_notes(data: Mapping[str, Any] | None, *, whole: bool) -> ReaderNotes | None:
    """What a reply says that the change does; None if it says nothing that can be read."""
    from bot.findings import strangers

    names = strangers.SaidWhole.model_fields
    reply = strangers.SaidWhole.model_validate({name: (data or {}).get(name) for name in names})
    rows = ([part.strip() for part in row.split("|", 2)] for row in reply.files)
    files = tuple(FileNote(render.original_name(row[0]), row[1], row[2]) for row in rows if len(row) == NOTE_PARTS)
    notes = ReaderNotes(reply.overview if whole else "", render.original_name(reply.look_first) if whole else "", files)
    return notes if notes.files or notes.overview.strip() else None


def answer(data: Mapping[str, Any] | None, source: Source) -> tuple[str, tuple[Finding, ...]]:
    """The reply's text and its findings. Raises BadAnswer if the reply does not fit the schema."""
    from bot.findings import strangers

    read = strangers.answer(data, strangers.LooseAnswer)
    return read.answer, findings(read.findings, source)


def findings(loose_findings: Iterable["LooseFinding"], source: Source) -> tuple[Finding, ...]:
    """What a reply reports, as findings of its source."""
    return tuple(_finding(one, source) for one in loose_findings)


def _finding(loose_finding: "LooseFinding", source: Source) -> Finding:
    return replace(
        finding_of(loose_finding, loose_finding.path, loose_finding.quote, loose_finding.evidence, source),
        start=max(0, loose_finding.line),
        suggestion=loose_finding.suggestion,
        claims=tuple(
            Claim(c.says, name, c.of.strip("` ()")) for c in loose_finding.claims if (name := c.name.strip("` ()"))
        ),
    )


def finding_of(words: DefectWords, path: str, quote: str, proofs: Iterable["Quote"], source: Source) -> Finding:
    """Return what a reply says of a defect as a finding about a quoted line."""
    return Finding(
        path=render.original_name(path),
        quote=quote,
        title=words.title.strip(),
        why=words.why.strip(),
        consequence=words.consequence.strip(),
        severity=words.severity,
        category=words.category,
        sources=(source,),
        evidence=tuple(Evidence(render.original_name(one.path), one.quote) for one in proofs if one.quote.strip()),
        trigger=words.trigger.strip(),
    )
