"""Write the review as JSON, without the repository's path. The schema is docs/review.schema.json."""

from dataclasses import asdict
from typing import Any

from bot import verdict
from bot.outputs import facts
from bot.render import encodable
from bot.sections import finding_row, sections
from bot.stored import states
from bot.stored.reviews import PULL, SETTINGS
from bot.values import ChangedFile, Coverage, PlacedFinding, Review
from bot.values.review import SCHEMA_VERSION

ROUND = ("number", "since", "full", "reason")  # the fields of `Round` under the key "round"


def render(review: Review) -> str:
    """Return the whole review as JSON. The keys have a fixed order, so equal reviews give equal text."""
    return states.write(content(review))


def content(review: Review) -> dict[str, Any]:
    """Return the review as JSON values. All text can be encoded as UTF-8."""
    rows: dict[str, Any] = _sound(_review(review))
    return rows


def _review(review: Review) -> dict[str, Any]:
    made = verdict.of(review)
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "deeprepo", "version": review.version},
        "conclusion": made.conclusion,
        "verdict": made.row.name,
        "result": facts.summary(review).result,
        "partial": review.cut.partial,
        "is_follow_up": review.coverage.is_follow_up,
        "fault": review.cut.fault,
        "failure": review.cut.failure,
        "cause": review.cut.cause,
        "pull": {name: getattr(review.pull, name) for name in PULL},
        "strategy": asdict(review.strategy),
        "summary": review.summary,
        "issues": [asdict(report) for report in review.issues],
        "findings": [_finding(item) for item in review.findings],
        "minimum_severity": review.settings.minimum,
        "numbers": [list(row) for row in review.round.numbers],
        "dropped": review.dropped,
        "round": {name: getattr(review.round, name) for name in ROUND},
        "read": [[mark.id, mark.digest, mark.by] for mark in review.round.read],
        "judged_by_model": [mark.id for mark in review.round.read if mark.model],
        "consumers": [asdict(report) for report in review.consumers],
        **{section.key: section.to_json(section.of(review)) for section in sections()},
        "files": [_file(file) for file in review.files],
        "coverage": _coverage(review.coverage),
        "cost": asdict(review.cost),
        "seconds": review.seconds,
        "notes": list(review.notes),
        "settings": {name: getattr(review.settings, name) for name in SETTINGS},
        "turns": [asdict(turn) for turn in review.turns],
    }


def _finding(placed_finding: PlacedFinding) -> dict[str, Any]:
    spot = asdict(placed_finding.spot) if placed_finding.spot else None
    own = {
        "place": placed_finding.place,
        "spot": spot,
        "replacement": placed_finding.replacement,
        "refused": placed_finding.refused,
    }
    finding = placed_finding.finding
    return {**own, **finding_row(finding), "source": finding.source, "identity": finding.identity}


def _file(file: ChangedFile) -> dict[str, Any]:
    record = {name: getattr(file, name) for name in ("path", "old_path", "status", "skip", "note")}
    return {**record, "added": len(file.added_lines), "removed": len(file.removed_lines)}


def _coverage(coverage: Coverage) -> dict[str, Any]:
    return {
        "complete": coverage.complete,
        "open": [asdict(reading) for reading in coverage.open],
        "relying": [asdict(reading) for reading in coverage.relying],
        "not_installed": list(coverage.not_installed),
        "not_run": [{"check": name, "reason": reason} for name, reason in coverage.not_run],
        "by_model": coverage.by_model,
        "readings": [asdict(reading) for reading in coverage.readings],
        "skipped_files": [{"path": path, "reason": reason} for path, reason in coverage.skipped_files],
        "cut": list(coverage.cut),
    }


def _sound(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return the JSON value with unpaired surrogates replaced, because UTF-8 decoders reject them."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {_sound(key): _sound(item) for key, item in value.items()}
    return [_sound(item) for item in value] if isinstance(value, list | tuple) else value
