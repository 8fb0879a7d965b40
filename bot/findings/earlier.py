"""The review of the round before, read from its JSON output. It is a file from outside: nothing in it is believed unread.

What cannot be built upon is answered with a sentence, and the change is reviewed as if for the first time.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from bot.findings import memory, merge, numbers
from bot.values import ArchivedFinding, Earlier, FileNote, Finding, IssueReport, ReaderNotes, Source, marks_of

SCHEMA_VERSION = 1
# The analysers of the versions that wrote a finding's sources in words alone.
ANALYSERS = frozenset({"contracts", "ruff", "secrets", "settings", "oxlint", "shellcheck", "zizmor", "hadolint"})
MAX_BYTES = 32 << 20
_FINDINGS = tuple[Finding, ...]
_ISSUES = tuple[IssueReport, ...]
_MARKS = tuple[tuple[str, str, str], ...]
_PLACES = tuple[tuple[str, str], ...]
_NUMBERS = tuple[tuple[int, str], ...]


@cache
def _reader(form: Any) -> Any:  # noqa: ANN401 - a type, and pydantic's reader of it
    from pydantic import TypeAdapter  # takes longer to load than a review in a first round

    return TypeAdapter(form)


def read(data: bytes) -> Earlier | str:
    """The earlier review, or the sentence that says why it cannot be used."""
    if len(data) > MAX_BYTES:
        return "the file of the earlier review is too large"
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return "the file of the earlier review is not JSON"
    if not isinstance(found, dict) or not isinstance(found.get("tool"), dict):
        return "the file of the earlier review was not written by deeprepo"
    if found["tool"].get("name") != "deeprepo" or found.get("schema_version") != SCHEMA_VERSION:
        return f"the earlier review has another form (schema_version {found.get('schema_version')!r}, not {SCHEMA_VERSION})"
    try:
        return _earlier(found)
    except (KeyError, TypeError, ValueError) as error:
        return f"the file of the earlier review is damaged ({type(error).__name__})"


def _earlier(found: Mapping[str, Any]) -> Earlier:
    said = listed(found)
    rows = found["coverage"]["readings"]
    silenced = findings([row["finding"] for row in found.get("suppressed", ())])
    attested = found.get("attested", True) is True
    return Earlier(
        number=max(1, int(found["round"]["number"])),
        base=str(found["pull"]["base"]),
        head=str(found["pull"]["head"]),
        marks=marks_of(_reader(_MARKS).validate_python(found["read"]), found.get("read_by_model")),
        dependents=tuple(
            str(row["path"]) for row in rows if row["kind"] == "dependent" and row["state"] in ("reviewed", "reused")
        ),
        uses=_uses(rows),
        findings=(*said, *findings(found.get("kept_back", ())), *silenced),
        silenced=frozenset(finding.identity for finding in silenced),
        ignored=_ignored(found) if attested else (),
        files=tuple(str(row["path"]) for row in found["files"]),
        attested=attested,
        summary=str(found["summary"]),
        told=_told(found.get("walkthrough")),
        issues=_reader(_ISSUES).validate_python(found.get("issues", ())),
        numbers=given(found, said),
        archive=_archive(found, (*said, *findings(found.get("kept_back", ())))),
    )


def _archive(found: Mapping[str, Any], said: Sequence[Finding]) -> tuple[ArchivedFinding, ...]:
    """What models have reported so far; of a review of an older version, what was open in it. Raises ValueError."""
    rows = found.get("archive")
    here = (str(found["pull"]["head"]), str(found["pull"]["base"]))
    if rows is None:
        return memory.archived((), said, frozenset(), here)
    known = zip(findings([row["finding"] for row in rows]), rows, strict=True)
    return tuple(
        ArchivedFinding(finding, _reader(_PLACES).validate_python(row["places"]), row.get("refuted") is True)
        for finding, row in known
    )


def _told(found: Mapping[str, Any] | None) -> ReaderNotes:
    """What models said the change does. Raises ValueError and its like if it has another form."""
    if not found:
        return ReaderNotes()
    files = (
        FileNote(str(row["path"]), str(theme["title"]) if theme["by"] == "model" else "", str(row["phrase"]))
        for theme in found["themes"]
        for row in theme["rows"]
        if row["by"] == "model"
    )
    return ReaderNotes(str(found["overview"]) if found["by"] == "model" else "", files=tuple(files))


def _uses(rows: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    """Which uses of which file were read; not those of a file in which one was left open."""
    mine = [row for row in rows if row["kind"] == "use"]
    left = {(str(row["name"]), str(row["path"])) for row in mine if row["state"] == "unread"}
    read = {(str(row["name"]), str(row["path"])) for row in mine if row.get("read")}
    return tuple(sorted(read - left))


def findings(rows: Sequence[Mapping[str, Any]]) -> tuple[Finding, ...]:
    """Findings from their rows. Older versions wrote their sources in words alone. Raises ValueError."""
    read: tuple[Finding, ...] = _reader(_FINDINGS).validate_python([_with_sources(row) for row in rows])
    return tuple(map(merge.proved, read))


def _with_sources(row: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(row, Mapping) or "sources" in row:
        return row
    return {**row, "sources": [asdict(_source(words)) for words in str(row.get("source", "")).split(" + ")]}


def _source(words: str) -> Source:
    """A source as older versions wrote it: "worker provider/model", "ruff", the name of another tool."""
    role, _, model = words.partition(" ")
    for known in ("root", "worker") if model else ():
        if role == known:
            return Source("model", model, known)
    return Source("analyser" if words in ANALYSERS else "tool", words)


def _ignored(found: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The proofs that a word of an older version means by the fingerprint alone: those that the older version reported or silenced.

    In a review of this version, those that such a word still silences.
    """
    hushed = [row for row in found.get("suppressed", ()) if row.get("scope") == "finding"]
    rows = [row["finding"] for row in hushed if row.get("former") or "sources" not in row["finding"]]
    rows += [row for row in (*found["findings"], *found["still"]) if "sources" not in row]
    return tuple((one.fingerprint, one.identity) for one in findings(rows) if one.proven)


def listed(found: Mapping[str, Any]) -> tuple[Finding, ...]:
    """What was open, with the numbers that the summary showed: new findings, then those of rounds before. Raises ValueError."""
    rows = found["findings"]
    new, still = findings(rows), findings(found["still"])
    # The state in a comment leaves out where a finding was shown; what is low is always collapsed.
    folded = [
        at for at, row in enumerate(rows) if row.get("place", "folded" if row["severity"] == "low" else "") == "folded"
    ]
    return numbers.restored(new, still, folded)


def given(found: Mapping[str, Any], said: tuple[Finding, ...]) -> numbers.Given:
    """Every number that was given by then."""
    known = {
        n: mark for n, mark in _reader(_NUMBERS).validate_python(found.get("numbers", ())) if 0 < n <= numbers.MOST
    }
    return tuple(sorted((known | {one.number: one.fingerprint for one in said}).items()))
