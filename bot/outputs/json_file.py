"""The review as JSON: everything but if the repository lies. The schema is docs/review.schema.json."""

import json
from dataclasses import asdict
from typing import Any

from bot.masking import hide
from bot.outputs import facts
from bot.render import encodable, written
from bot.values import ChangedFile, Coverage, Finding, Placed, PullRequest, Review

SCHEMA_VERSION = 1  # rises when a reader of the old form would misread the new one; new keys do not count


def render(review: Review) -> str:
    """The whole review. Keys are in a fixed order, so that the same review is the same text."""
    return written(json.dumps(_sound(_review(hide.secrets(review))), ensure_ascii=False, indent=2)) + "\n"


def _review(review: Review) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "deeprepo", "version": review.version},
        "conclusion": facts.conclusion(review),
        "verdict": facts.verdict(review),
        "partial": review.partial,
        "fault": review.fault,
        "failure": review.failure,
        "pull": _pull(review.pull),
        "strategy": {"name": review.strategy, "reason": review.reason},
        "summary": review.summary,
        "walkthrough": asdict(review.walkthrough) if review.walkthrough else None,
        "issues": [asdict(report) for report in review.issues],
        "findings": [_finding(placed) for placed in review.findings],
        "still": [_row(finding) for finding in review.still],
        "fixed": [_row(finding) for finding in review.fixed],
        "minimum_severity": review.minimum,
        "kept_back": [_row(finding) for finding in review.kept_back],
        "suppressed": [{**asdict(item), "finding": _row(item.finding)} for item in review.suppressed],
        "unproven": [_row(finding) for finding in review.unproven],
        "numbers": [list(row) for row in review.numbers],
        "dropped": review.dropped,
        "round": asdict(review.round),
        "read": [[mark.id, mark.digest, mark.by] for mark in review.read],
        "read_by_model": [mark.id for mark in review.read if mark.model],
        "areas": [asdict(area) for area in review.areas],
        "files": [_file(file) for file in review.files],
        "coverage": _coverage(review.coverage),
        "cost": asdict(review.cost),
        "seconds": review.seconds,
        "notes": list(review.notes),
        "turns": [asdict(turn) for turn in review.turns],
    }


def _pull(pull: PullRequest) -> dict[str, Any]:
    # Not where it lies on this machine.
    told = ("title", "body", "base", "head", "base_name", "head_name", "base_tip", "url")
    return {name: getattr(pull, name) for name in told}


def _finding(placed: Placed) -> dict[str, Any]:
    spot = asdict(placed.spot) if placed.spot else None
    own = {"place": placed.place, "spot": spot, "replacement": placed.replacement, "refused": placed.refused}
    return {**own, **_row(placed.finding)}


def _row(finding: Finding) -> dict[str, Any]:
    """The finding with `source` in words beside the sources, and with what an owner's word about it names."""
    return {**asdict(finding), "source": finding.source, "identity": finding.identity}


def _file(file: ChangedFile) -> dict[str, Any]:
    said = {name: getattr(file, name) for name in ("path", "old_path", "status", "skip", "note")}
    return {**said, "added": len(file.added), "removed": len(file.removed)}


def _coverage(coverage: Coverage) -> dict[str, Any]:
    return {
        "complete": coverage.complete,
        "open": [asdict(row) for row in coverage.open],
        "by_model": coverage.by_model,
        "readings": [asdict(row) for row in coverage.readings],
        "skipped_files": [{"path": path, "reason": reason} for path, reason in coverage.skipped_files],
        "cut": list(coverage.cut),
    }


def _sound(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The same value with lone surrogates replaced: they are legal in Python and break every reader of UTF-8."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {_sound(key): _sound(item) for key, item in value.items()}
    return [_sound(item) for item in value] if isinstance(value, list | tuple) else value
