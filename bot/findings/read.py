"""Define the schema of a worker's structured answer, and read findings from it.

Nothing is verified yet. `llm.schema` has already checked required fields. Optional fields (`forgiven`) are
read as far as possible.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal, get_args

from bot import render
from bot.values import (
    CATEGORIES,
    SEVERITIES,
    Basis,
    Evidence,
    FileNote,
    Finding,
    LookUp,
    ReaderNotes,
    Side,
    Source,
)
from bot.values.review import LookUpKind
from deeprepo.rlm.values import Schema

Extent = Literal["none", "parts", "whole"]
# Each form has a different name, so that a model that sees several forms doesn't confuse them.
FORM_NAMES = {"none": "review", "parts": "review_of_parts", "whole": "review_of_change"}
FINAL = "final_"  # begins the name of a form that offers no requests for code
Row = Mapping[str, Any]
EMPTY = "{} filled in the form and judged nothing: the model may not be suitable for this work"
MAX_FINDINGS = 30
MAX_LOOK_UPS = 6  # per answer
FILE_PARTS = 3  # of what a summary says about a file: a line, its theme and a phrase
MAX_FILE_PHRASES = 400  # per answer, each with a phrase


def strict(**properties: Row) -> dict[str, Any]:
    """Return a JSON schema object in strict form: every property is required, and no others are allowed."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def text(description: str = "") -> dict[str, Any]:
    """Return the schema of a text property."""
    return {"type": "string", "description": description} if description else {"type": "string"}


def many(items: Row, description: str = "") -> dict[str, Any]:
    """Return the schema of a list property."""
    return {"type": "array", "items": items} | ({"description": description} if description else {})


def one_of(words: Iterable[str], description: str = "") -> dict[str, Any]:
    """Return the schema of a property with one of these words."""
    return {"type": "string", "enum": list(words)} | ({"description": description} if description else {})


QUOTE = strict(path=text(), quote=text())
TITLE_FORM = text(f"one sentence that names the defect, at most {render.TITLE_CHARS} characters")
CONSEQUENCE = text("what a user, a caller or a reader then notices, at most 12 words")
TRIGGER = text("when it happens, at most 12 words: a concrete input, call or order of events; for a text: who reads it")
ANSWER = text("the reply to the question in one or two sentences")
_FIELDS: Mapping[str, Row] = {
    "path": text("the file, as it is named in the prompt"),
    "quote": text("the line or lines that the finding is about, copied verbatim without sign and line number"),
    "title": TITLE_FORM,
    "why": text("the mechanism, at most 30 words"),
    "consequence": CONSEQUENCE,
    "trigger": TRIGGER,
    "severity": one_of(SEVERITIES),
    "category": one_of(CATEGORIES),
    "evidence": many(
        QUOTE,
        "one verbatim line of each other place that it breaks or that proves it, such as the caller; at most two, and empty if the quote shows the defect",
    ),
    "suggestion": {
        "type": ["string", "null"],
        "description": "replacement for the quoted lines, complete; null if unsure",
    },
}
FINDINGS = many(strict(**_FIELDS))
JUDGED = "each file whose change you have judged, as: path | number of a changed line"
LEFT_OUT = "; what you leave out counts as not reviewed"
FILES = many(text(), JUDGED + LEFT_OUT)
# what a reader of the diff hands in; others look up the rest
DIFF_FORM = Schema(
    f"{FINAL}review_of_diff",
    "Hand in what you found in the diff.",
    strict(
        findings=many(
            strict(**{name: _FIELDS[name] for name in ("path", "quote", "title", "why", "severity", "category")})
        ),
        files=FILES,
    ),
    forgiven=frozenset({"files"}),
)
_LOOK_UP = strict(
    kind=one_of(
        get_args(LookUpKind),
        "definition: of a name; uses: where a name is called, read, imported or overridden; search: lines of the"
        " repository that match a pattern; lines: of a file; files: the paths in a folder, or that a glob takes",
    ),
    name=text("the name; of a search its Perl-compatible pattern, which matches within a line; else empty"),
    path=text(
        "the file of lines; the folder or glob of files; else a glob such as src/**/*.{ts,tsx} that narrows it, or empty"
    ),
    start={
        "type": "integer",
        "description": "first line of lines; of a long definition the line that matters; 0 otherwise",
    },
    end={"type": "integer", "description": "last line of these; 0 otherwise"},
    before={"type": "boolean", "description": "true: as it was before the change"},
)
_WITHDRAWN = many(
    {"type": "integer"},
    "in an answer after look-ups: the numbers of those of your findings, the first is 1, that what you have seen shows to be wrong; else empty",
)
_NOTES = {
    "files": many(text(), f"{JUDGED} | theme, 1-3 words | what changes, 12 words at most{LEFT_OUT}"),
    "overview": text("what the whole change does and why it matters, 2-4 sentences"),
    "look_first": text("path of the riskiest file"),
}


def with_field(base: Schema, name: str, field: Row) -> Schema:
    """Add a field to every form of an answer. A recorded answer without it is still valid."""
    parameters = dict(base.parameters)
    parameters["properties"] = {**parameters["properties"], name: field}
    parameters["required"] = [*parameters["required"], name]
    final = with_field(base.final, name, field) if base.final is not None else None
    own_name = f"{base.name}_with_{name}"
    return replace(base, name=own_name, parameters=parameters, final=final, forgiven=base.forgiven | {name})


def kind(form: Schema | None) -> str:
    """Return what a form asks for, such as "review" or "verdict", whichever of its fields it has."""
    return form.name.removeprefix(FINAL).partition("_")[0] if form is not None else ""


@lru_cache(maxsize=len(get_args(Extent)))
def schema(notes: Extent = "none") -> Schema:
    """Return the form of a worker's answer. `notes`: which part of the change to summarize."""
    names = {"none": (), "parts": ("files",), "whole": tuple(_NOTES)}[notes]
    more = {"files": FILES} | {name: _NOTES[name] for name in names}
    fields = {"answer": ANSWER, "findings": FINDINGS}
    name, told = FORM_NAMES[notes], "Hand in the review of the code in the prompt."
    forgiven = frozenset(more)
    final = Schema(f"{FINAL}{name}", told, strict(**fields, **more), forgiven=forgiven)
    asked = strict(**fields, **wishes(), withdrawn=_WITHDRAWN, **more)
    return Schema(name, told, asked, final, forgiven | {"look_ups", "withdrawn"})


def wishes() -> Row:
    """Return the field in which a structured answer may request more code."""
    about = f"code to see before the final answer, at most {MAX_LOOK_UPS}; empty in the final answer, and if what is shown decides"
    return {"look_ups": many(_LOOK_UP, about)}


def asking(name: str, description: str, properties: Row) -> Schema:
    """Return the form of an answer that may first request more code, with the form of the last one."""
    final = Schema(f"{FINAL}{name}", description, strict(**properties))
    return Schema(name, description, strict(**properties, **wishes()), final, frozenset(wishes()))


def rows(data: Row | None, name: str) -> list[Row]:
    """Return the objects in a list that an answer may omit or get wrong."""
    value = (data or {}).get(name)
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, (list, tuple)) else []


def sentences(data: Row | None, name: str, most: int, chars: int = 400) -> tuple[str, ...]:
    """Return the texts in such a list, each on one line."""
    value = (data or {}).get(name)
    texts = [text for text in value if isinstance(text, str)] if isinstance(value, (list, tuple)) else []
    return tuple([line for text in texts if (line := " ".join(text.split())[:chars])][:most])


def look_ups(data: Row | None) -> tuple[LookUp, ...]:
    """Return the valid code requests in a reply, without duplicates."""
    known = [entry for entry in rows(data, "look_ups") if entry.get("kind") in get_args(LookUpKind)]
    return tuple(dict.fromkeys(_look_up(entry) for entry in known[:MAX_LOOK_UPS]))


def _look_up(entry: Row) -> LookUp:
    start, end = (number if type(number := entry.get(name)) is int else 0 for name in ("start", "end"))
    name, path = ("" if entry.get(key) is None else str(entry[key]) for key in ("name", "path"))
    side: Side = "base" if entry.get("before") is True else "head"
    return LookUp(entry["kind"], name, path, start, end, side)


def withdrawn(data: Row | None) -> frozenset[int]:
    """Return the numbers of the findings in its first answer that a reply withdraws."""
    value = (data or {}).get("withdrawn")
    return (
        frozenset(number for number in value if type(number) is int)
        if isinstance(value, (list, tuple))
        else frozenset()
    )


def reader_notes(data: Row | None, *, whole: bool) -> ReaderNotes | None:
    """Return a reply's summary of the change; None if it has no valid one."""
    parts = ([*map(str.strip, row.split("|", 3))] for row in _file_rows(data))
    files = tuple(FileNote(render.original_name(path), *more[1:]) for path, *more in parts if len(more) == FILE_PARTS)
    said = [(data or {}).get(name) if whole else "" for name in ("overview", "look_first")]
    overview, look_first = (value if isinstance(value, str) else "" for value in said)
    notes = ReaderNotes(overview, render.original_name(look_first), files)
    return notes if notes.files or notes.overview.strip() else None


def judged(data: Row | None) -> frozenset[tuple[str, str]]:
    """Return the files that a reply says it judged, each with what it says about a changed line: its number or text."""
    rows_by_part = (row.partition("|")[::2] for row in _file_rows(data))
    return frozenset(
        (render.original_name(path.strip()), line.strip())
        for path, rest in rows_by_part
        for line in (rest, rest.partition("|")[0])
    )


def _file_rows(data: Row | None) -> tuple[str, ...]:
    return sentences(data, "files", MAX_FILE_PHRASES, 4_000)


def parse_reply(data: Row | None, source: Source) -> tuple[str, tuple[Finding, ...]]:
    """Return a reply's text and findings."""
    reply = data or {}
    findings = [_finding(entry, source) for entry in rows(reply, "findings")]
    return reply.get("answer", ""), tuple(findings[:MAX_FINDINGS])


def _finding(entry: Row, source: Source) -> Finding:
    line, found = entry.get("line"), finding_of(entry, entry["path"], entry["quote"], rows(entry, "evidence"), source)
    # The form doesn't ask for a line, because code finds the quote. If a reply has one, it decides between
    # several matches.
    start = max(0, line) if type(line) is int else 0
    return replace(found, start=start, suggestion=entry.get("suggestion"))


def reason(title: str, why: str) -> str:
    """Return the reason, which begins with the whole title if that is longer than what is shown."""
    line = " ".join(title.split())
    return why.strip() if render.title(title) == line else f"{line.rstrip('.')}. {why.strip()}"


def finding_of(words: Row, path: str, quote: str, proofs: Iterable[Row], source: Source) -> Finding:
    """Return a defect in a reply as a finding about a quoted line."""
    return Finding(
        path=render.original_name(path),
        quote=quote,
        title=render.title(words["title"]),
        why=reason(words["title"], words["why"]),
        consequence=words.get("consequence", "").strip(),
        severity=words["severity"],
        category=words["category"],
        basis=Basis((source,)),
        evidence=tuple(
            Evidence(render.original_name(proof["path"]), proof["quote"]) for proof in proofs if proof["quote"].strip()
        ),
        trigger=words.get("trigger", "").strip(),
    )
