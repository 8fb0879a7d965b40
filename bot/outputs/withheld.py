"""A stored review as it may be shown now: a consumer may have become private since, or the reviewed repository public.

Whatever is made of a stored review for a reader or a model is made of this, so that no answer has a rule of its own.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from pydantic import TypeAdapter

from bot.dependents.consumers.disclosure import HIDDEN, is_label, still_shown, withheld_report
from bot.values import Finding
from bot.values.consumer import ConsumerImpact, ConsumerReport, Disclosure, by_name
from bot.values.finding import digested_proof

OTHER_FORM = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    RecursionError,
)  # what reading a document of another form raises
OF_MODEL = f"A finding about this code: its text may tell of {HIDDEN}"
_FINDING, _REPORT = TypeAdapter(Finding), TypeAdapter(ConsumerReport)


def consumers(data: bytes | None) -> dict[str, int]:
    """The consumers that a stored review names, with their numbers. Raises one of `OTHER_FORM` if it has another form."""
    document = json.loads(data) if data else {}
    rows = [(str(row.get("consumer", "")), int(row.get("consumer_id", 0))) for row in document.get("findings", ())]
    rows += [(str(row["name"]), int(row.get("id", 0))) for row in document.get("consumers", ())]
    rows += [(str(name), int(number)) for name, number in document.get("shown_consumers", ())]
    return by_name(row for row in rows if row[0])


def levels_then(data: bytes) -> dict[str, Disclosure]:
    """What may be shown of each consumer by one who cannot ask GitHub: all of those that everybody could read then, of others that they exist."""
    document = json.loads(data)
    public = {row["name"] for row in document.get("consumers", ()) if row.get("visibility") in ("public", None)}
    return {name: "lines" if name in public else "existence" for name in consumers(data)}


def withhold(data: bytes, levels: Mapping[str, Disclosure]) -> bytes:
    """The same with so much of each consumer as its level allows; of one without a level, that it exists. Identities and numbers stay.

    A sentence of a model may tell of any consumer whose lines it was shown: it goes if these may not be shown any more.
    """
    document = json.loads(data)
    hidden_names = {name for name in consumers(data) if not is_label(name) and levels.get(name) != "lines"}
    if not hidden_names:
        return data
    reports = document.get("consumers", ())
    shown_names = {str(name) for name, _ in document.get("shown_consumers", ())}
    by_model = bool(shown_names & hidden_names) or any(
        row["name"] in hidden_names and row.get("commit") for row in reports
    )

    def now(row: dict[str, Any]) -> dict[str, Any] | None:
        return _row(row, levels, by_model=by_model)

    document["findings"] = [after for row in document["findings"] if (after := now(row)) is not None]
    labels = {name: f"hidden {number}" for number, name in enumerate(sorted(hidden_names), 1)}
    document["consumers"] = [
        row if row["name"] not in hidden_names else _report(row, levels.get(row["name"], "existence"), labels)
        for row in reports
        if levels.get(row["name"], "existence") != "nothing"
    ]
    if coverage := document.get("coverage"):
        hidden = [_REPORT.validate_python(row) for row in reports if row["name"] in hidden_names]
        document["coverage"] = {**coverage, **_sentences(coverage, hidden, levels, labels)}
    if by_model:
        document |= {"summary": "", "walkthrough": None, "issues": [], "turns": []}
        document["checks"] = [{**row, "reason": ""} for row in document.get("checks", ())]
        document["shown_consumers"] = []
        document["failed_answers"] = [
            {**row, "file": {**row["file"], "reason": ""}} for row in document.get("failed_answers", ())
        ]
    return json.dumps(document).encode()


def _row(row: dict[str, Any], levels: Mapping[str, Disclosure], *, by_model: bool) -> dict[str, Any] | None:
    finding: Finding = _FINDING.validate_python(row)
    after = still_shown(finding, levels)
    if after is None:
        return None
    if after is finding and by_model and finding.has_model:
        after = replace(finding, title=OF_MODEL, why="", consequence="", trigger="", evidence=(), suggestion=None)
        after = replace(after, claims=(), reproduction=None, rewrites=())
    if after is finding:
        return row
    sources = tuple(replace(one, proof=digested_proof(one.proof)) for one in finding.sources)
    replacement = {"replacement": None} if "replacement" in row else {}
    return {**row, **asdict(replace(after, sources=sources)), **replacement}


def _sentences(
    coverage: Mapping[str, Any],
    hidden_reports: Sequence[ConsumerReport],
    levels: Mapping[str, Disclosure],
    labels: Mapping[str, str],
) -> dict[str, list[dict[str, Any]]]:
    """The rows of a coverage; one that tells of a hidden consumer says what would be said of it now."""
    then = [sentence for one in hidden_reports for sentence in ConsumerImpact((one,)).unread]
    reports = [
        withheld_report(one, "" if levels.get(one.name) == "name" else labels[one.name]) for one in hidden_reports
    ]
    now = dict(zip(then, (sentence for one in reports for sentence in ConsumerImpact((one,)).unread), strict=True))
    return {
        name: [{**row, "reason": now.get(row["reason"], row["reason"])} for row in coverage.get(name, ())]
        for name in ("open", "readings")
    }


def _report(row: dict[str, Any], level: Disclosure, labels: Mapping[str, str]) -> dict[str, Any]:
    report: ConsumerReport = _REPORT.validate_python(row)
    return asdict(withheld_report(report, "" if level == "name" else labels[report.name]))
