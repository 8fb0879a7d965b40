"""The review of the round before, read from its JSON output. It is a file from outside: nothing in it is believed unread.

What cannot be built upon is answered with a sentence, and the change is reviewed as if for the first time.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from bot.findings import merge, rounds
from bot.render.section import finding_fields, sections
from bot.values import (
    Earlier,
    Finding,
    IssueReport,
    Status,
    read_units,
)
from bot.values.change import object_id
from bot.values.review import SCHEMA_VERSION

MAX_BYTES = 32 << 20
_FINDINGS = tuple[Finding, ...]
_ISSUES = tuple[IssueReport, ...]
_MARKS = tuple[tuple[str, str, str], ...]
_NUMBERS = tuple[tuple[int, str], ...]


@cache
def _reader(form: Any) -> Any:  # noqa: ANN401 - a type, and pydantic's reader of it
    from pydantic import TypeAdapter  # takes longer to load than a review in a first round

    return TypeAdapter(form)


def read(data: bytes) -> Earlier | str:
    """Return the earlier review, or the sentence that says why it cannot be used."""
    if len(data) > MAX_BYTES:
        return "the file of the earlier review is too large"
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return "the file of the earlier review is not JSON"
    if not isinstance(document, dict) or not isinstance(document.get("tool"), dict):
        return "the file of the earlier review was not written by deeprepo"
    if document["tool"].get("name") != "deeprepo" or document.get("schema_version") != SCHEMA_VERSION:
        return f"the earlier review has another form (schema_version {document.get('schema_version')!r}, not {SCHEMA_VERSION})"
    try:
        return _earlier(document)
    except (KeyError, TypeError, ValueError) as error:
        return f"the file of the earlier review is damaged ({type(error).__name__})"


def _earlier(document: Mapping[str, Any]) -> Earlier:
    past_findings = findings_of(document, "new", "still", "below", "silenced")
    rows = document["coverage"]["readings"]
    return Earlier(
        number=max(1, int(document["round"]["number"])),
        base=object_id(document["pull"]["base"], "pull.base"),
        head=object_id(document["pull"]["head"], "pull.head"),
        units=read_units(_reader(_MARKS).validate_python(document["read"]), document["read_by_model"]),
        dependents=tuple(
            str(reading["path"])
            for reading in rows
            if reading["kind"] == "dependent" and reading["state"] in ("reviewed", "reused")
        ),
        uses=_uses(rows),
        findings=tuple(finding.with_status("still") for finding in past_findings),
        silenced_identities=frozenset(finding.identity for finding in past_findings if finding.status == "silenced"),
        files=tuple(str(file["path"]) for file in document["files"]),
        summary=str(document["summary"]),
        parts={section.key: section.recall(document[section.key]) for section in sections() if section.is_remembered},
        issues=_reader(_ISSUES).validate_python(document["issues"]),
        numbers=numbers_given(document),
        unsaid_numbers=frozenset(map(int, document.get("unsaid", ()))),
    )


def _uses(rows: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    """Which uses of which file were read; not those of a file in which one was left open."""
    mine = [reading for reading in rows if reading["kind"] == "use"]
    left = {(str(reading["name"]), str(reading["path"])) for reading in mine if reading["state"] == "unread"}
    read = {(str(reading["name"]), str(reading["path"])) for reading in mine if reading.get("read")}
    return tuple(sorted(read - left))


def findings(rows: Sequence[Mapping[str, Any]]) -> tuple[Finding, ...]:
    """Return findings from their rows. Raises ValueError."""
    read: tuple[Finding, ...] = _reader(_FINDINGS).validate_python(list(map(finding_fields, rows)))
    return tuple(map(merge.add_proofs, read))


def findings_of(document: Mapping[str, Any], *statuses: Status) -> tuple[Finding, ...]:
    """Return the findings of these statuses, one status after the other. Raises ValueError."""
    rows = document["findings"]
    return findings([finding for status in statuses for finding in rows if finding["status"] == status])


def numbers_given(document: Mapping[str, Any]) -> rounds.NumbersGiven:
    """Return every number that was given by then."""
    rows = _reader(_NUMBERS).validate_python(document["numbers"])
    return tuple(sorted({n: mark for n, mark in rows if 0 < n <= rounds.MOST_NUMBER}.items()))
