"""Parse stored reviews: a review's JSON output, and its state for the next review.

No other module parses them. Both have the same format, whose version is `SCHEMA_VERSION`, but the state has
fewer keys. Unknown keys are ignored. A missing key means "unknown", never "none". `UnreadableError` says why
data cannot be used. The caller must not draw any conclusion from such data.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

import msgspec

from bot.machine import build
from bot.sections import finding_fields, sections
from bot.values import (
    Coverage,
    EarlierReview,
    Finding,
    IssueReport,
    PlacedFinding,
    PullRequest,
    ReportSettings,
    Review,
    Status,
)
from bot.values.change import object_id
from bot.values.consumer import ConsumerReport
from bot.values.review import (
    SCHEMA_VERSION,
    Cause,
    CommentSpot,
    Cut,
    Fault,
    LastFindings,
    Place,
    Round,
    StrategyChoice,
    read_units,
)
from deeprepo.impact.changes import ChangedFile
from deeprepo.rlm.values import Cost

MAX_BYTES = 32 << 20
MAX_NUMBER = 9_999  # deeprepo never assigns a larger number to a finding
UNKNOWN = "of an unknown version"
ABOUT = "the earlier review"
# The pull request's fields in the JSON. Local paths are excluded.
PULL = ("title", "body", "base", "head", "base_name", "head_name", "base_tip", "url")
SETTINGS = tuple(each.name for each in fields(ReportSettings) if each.name != "minimum")
_PLACED = ("place", "spot", "replacement", "refused")
Value = TypeVar("Value")


class UnreadableError(ValueError):
    """Raised for stored data that this build cannot use. The message is the reason, without a period."""


class _Pull(msgspec.Struct):
    base: str
    head: str
    title: str = ""
    body: str = ""
    base_name: str = ""
    head_name: str = ""
    base_tip: str | None = None
    url: str | None = None

    def value(self) -> PullRequest:
        values = {name: getattr(self, name) for name in PULL}
        return PullRequest(**values | {"base_tip": self.base_tip or None}, git_dir="")


class _Reading(msgspec.Struct):
    kind: str
    path: str
    state: str
    name: str = ""
    read: str = ""


_OLD_KINDS = {"word": "use", "commits": "search"}  # kinds of coverage rows that 0.2.0 wrote


class _Coverage(msgspec.Struct):
    readings: list[dict[str, Any]]
    skipped_files: list[dict[str, str]] = []
    cut: tuple[str, ...] = ()
    by_model: bool = True
    not_installed: tuple[str, ...] = ()
    not_run: list[dict[str, str]] = []


class _Result(msgspec.Struct):
    """The keys that a review's JSON output has, but its state doesn't."""

    partial: bool = True  # if the key is missing, the review may have been cut short
    is_follow_up: bool = False
    fault: Fault = ""
    failure: str = ""
    cause: Cause = ""
    strategy: StrategyChoice = StrategyChoice("")
    consumers: tuple[ConsumerReport, ...] = ()
    cost: Cost = Cost()
    seconds: float = 0.0
    dropped: int = 0
    notes: tuple[str, ...] = ()
    minimum_severity: str = "low"
    settings: dict[str, Any] = {}


class _Document(msgspec.Struct):
    """The keys that a review's state and its JSON output have."""

    tool: dict[str, str]
    pull: _Pull
    round: Round
    findings: list[dict[str, Any]]
    files: list[dict[str, Any]]
    coverage: _Coverage
    numbers: list[tuple[int, str]]
    read: list[tuple[str, str, str]] = []
    judged_by_model: list[str] | None = None  # None: builds that took what a model was shown for read
    summary: str = ""
    issues: tuple[IssueReport, ...] = ()
    unsaid: frozenset[int] = frozenset()

    @property
    def numbers_given(self) -> tuple[tuple[int, str], ...]:
        return tuple(sorted({n: mark for n, mark in self.numbers if 0 < n <= MAX_NUMBER}.items()))

    def findings_with_status(self, *statuses: Status) -> tuple[Finding, ...]:
        """Return the findings with these statuses, one status after another."""
        return findings([row for status in statuses for row in self.findings if row["status"] == status])


def review(data: bytes) -> Review:
    """Return a review from its JSON output, without hunks, turns and repository. Comments don't need these.

    Raises UnreadableError.
    """
    return _read(data, _review)


def findings_of(data: bytes) -> Review:
    """Return a review with only its findings, from its JSON output or its state. Raises UnreadableError."""
    features = {section.key for section in sections()}
    row = {name: value for name, value in parse(data).items() if name not in features}
    return review(json.dumps({**row, "files": [], "coverage": {"readings": []}}).encode())


def earlier(data: bytes) -> EarlierReview:
    """Return what the next review needs, from a review's state or JSON output. Raises UnreadableError."""
    return _read(data, _earlier)


def last(data: bytes) -> LastFindings:
    """Return what commands need, from the last review's state or JSON output. Raises UnreadableError."""
    return _read(data, _last)


def change(data: bytes) -> tuple[str, str, str]:
    """Return a review's merge base, head and base branch ("" if its state lacks the branch).

    Raises UnreadableError.
    """
    pull = _read(data, lambda document, _: document.pull)
    return pull.base, pull.head, pull.base_name


def round_number(data: bytes) -> int:
    """Return the number of reviews of this change. Raises UnreadableError."""
    return _read(data, lambda document, _: document.round.number)


def findings(rows: Sequence[Mapping[str, Any]]) -> tuple[Finding, ...]:
    """Return findings from their JSON objects. Raises ValueError."""
    return msgspec.convert([*map(finding_fields, rows)], tuple[Finding, ...])


def _read(data: bytes, form: Callable[[_Document, Mapping[str, Any]], Value]) -> Value:
    row = parse(data)
    try:
        return form(msgspec.convert(row, _Document), row)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, UnreadableError):
            raise
        version, what = row["tool"].get("version", UNKNOWN), f"{type(error).__name__}: {error}".splitlines()[0]
        if version != build.name():
            raise UnreadableError(
                f"{ABOUT} was written by another build ({version}), and this one cannot read it"
            ) from error
        raise UnreadableError(f"{ABOUT} is damaged ({what})") from error


def parse(data: bytes) -> dict[str, Any]:
    """Return a stored review's JSON. Raises UnreadableError."""
    if len(data) > MAX_BYTES:
        raise UnreadableError(f"the file of {ABOUT} is too large")
    try:
        row = json.loads(data)
    except (ValueError, RecursionError):
        raise UnreadableError(f"the file of {ABOUT} is not JSON") from None
    tool = row.get("tool") if isinstance(row, dict) else None
    if not isinstance(tool, dict) or tool.get("name") != "deeprepo":
        raise UnreadableError(f"the file of {ABOUT} was not written by deeprepo")
    form, version = row.get("schema_version"), tool.get("version", UNKNOWN)
    if not isinstance(form, int) or form < SCHEMA_VERSION:
        raise UnreadableError(f"the file of {ABOUT} was not written by deeprepo")
    if form > SCHEMA_VERSION:
        raise UnreadableError(
            f"{ABOUT} was written by a newer deeprepo ({version}), whose form this one ({build.name()}) cannot read"
        )
    document: dict[str, Any] = row
    return document


def _review(document: _Document, row: Mapping[str, Any]) -> Review:
    result = msgspec.convert(row, _Result)
    settings = {name: result.settings[name] for name in SETTINGS if name in result.settings}
    coverage = document.coverage
    return Review(
        pull=document.pull.value(),
        files=msgspec.convert([*map(_file, document.files)], tuple[ChangedFile, ...]),
        strategy=result.strategy,
        findings=tuple(map(_placed, document.findings)),
        coverage=msgspec.convert(
            {
                "readings": [{**row, "kind": _OLD_KINDS.get(row["kind"], row["kind"])} for row in coverage.readings],
                "skipped_files": [(file["path"], file["reason"]) for file in coverage.skipped_files],
                "cut": coverage.cut,
                "by_model": coverage.by_model,
                "not_installed": coverage.not_installed,
                "not_run": [(row["check"], row["reason"]) for row in coverage.not_run],
                "is_follow_up": result.is_follow_up,
            },
            Coverage,
        ),
        cost=result.cost,
        summary=document.summary,
        issues=document.issues,
        dropped=result.dropped,
        seconds=result.seconds,
        notes=result.notes,
        consumers=result.consumers,
        cut=Cut(result.partial, result.fault, result.failure, result.cause),
        round=replace(
            document.round,
            numbers=document.numbers_given,
            read=read_units(document.read, document.judged_by_model or ()),
        ),
        settings=msgspec.convert({**settings, "minimum": result.minimum_severity}, ReportSettings),
        parts={
            section.key: msgspec.convert(row[section.key], section.part_type)
            for section in sections()
            if section.key in row
        },
        version=document.tool.get("version", ""),
    )


def _placed(row: Mapping[str, Any]) -> PlacedFinding:
    (finding,) = findings([{name: value for name, value in row.items() if name not in _PLACED}])
    spot = row.get("spot")
    place: Place = row.get("place") or ""
    return PlacedFinding(
        finding,
        place,
        msgspec.convert(spot, CommentSpot) if spot else None,
        row.get("replacement"),
        row.get("refused") or "",
    )


def _file(row: Mapping[str, Any]) -> dict[str, Any]:
    """Only the number is stored, so line numbers are made up."""
    return {**row, "added_lines": [*range(row["added"])], "removed_lines": [*range(row["removed"])]}


def _earlier(document: _Document, row: Mapping[str, Any]) -> EarlierReview:
    past = document.findings_with_status("new", "still", "below", "silenced")
    rows = msgspec.convert(document.coverage.readings, list[_Reading])
    return EarlierReview(
        number=max(1, document.round.number),
        base=object_id(document.pull.base, "pull.base"),
        head=object_id(document.pull.head, "pull.head"),
        units=read_units(document.read, document.judged_by_model or ()),
        uses=_uses(rows) if document.judged_by_model is not None else (),
        findings=tuple(finding.with_status("still") for finding in past),
        silenced_identities=frozenset(finding.identity for finding in past if finding.status == "silenced"),
        files=tuple(str(file["path"]) for file in document.files),
        summary=document.summary,
        parts=dict(_recalled(row)),
        issues=document.issues,
        numbers=document.numbers_given,
        unsaid_numbers=document.unsaid,
        other_build="" if document.tool.get("version") == build.name() else document.tool.get("version", UNKNOWN),
    )


def _recalled(row: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    for section in sections():
        if section.is_remembered and section.key in row:
            yield section.key, section.recall(row[section.key])


def _uses(rows: Sequence[_Reading]) -> tuple[tuple[str, str], ...]:
    mine = [each for each in rows if each.kind == "use"]
    unreviewed = {(each.name, each.path) for each in mine if each.state == "unread"}
    return tuple(sorted({(each.name, each.path) for each in mine if each.read} - unreviewed))


def _last(document: _Document, row: Mapping[str, Any]) -> LastFindings:
    """Return the last review. Open findings come first, because commands look for a number in them first."""
    open_findings = document.findings_with_status("new", "still")
    rest = document.findings_with_status("silenced", "fixed", "below", "refuted", "unproven")
    others = (mark for section in sections() if section.key in row for mark in section.fingerprints(row[section.key]))
    return LastFindings(
        document.pull.value(), (*open_findings, *rest), dict(document.numbers_given), open_findings, frozenset(others)
    )
