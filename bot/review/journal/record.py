"""Open the journal of a review, and write its last line, which a replay is compared with."""

import hashlib
import json
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TextIO

from bot.machine import files
from bot.render.section import finding_row
from bot.values import Review
from deeprepo.rlm.journal.codec import Row
from deeprepo.rlm.journal.writer import Journal


def open_file(path: Path) -> TextIO:
    """Open a journal file, readable only by its owner and never through a link in a checkout.

    Raises UsageError.
    """
    return files.append(path, label="the journal ", private=True, folders=True)


def finish(journal: Journal, review: Review) -> Review:
    """Write the last line and return the review, in a replay with the recorded time and version.

    Raises ReplayDiffers.
    """
    if journal.replayed is not None:
        seconds = (journal.replayed.end or {}).get("seconds", 0.0)
        review = replace(review, seconds=seconds, version=str((journal.replayed.start or {}).get("version", "")))
    journal.end(partial(end, review))
    return review


def end(review: Review) -> Row:
    """Return the last line: a summary of the review, and a digest of each part for comparison in a replay."""
    finding_fields = ("path", "start", "severity", "title", "verdict", "source")
    findings = [{name: getattr(p.finding, name) for name in finding_fields} for p in review.reported]
    coverage = {
        kind: {state: review.coverage.count(kind, state) for state in ("reviewed", "reused", "skipped", "unread")}
        for kind in ("unit", "use", "dependent")
    }
    return {
        "kind": "end",
        "seconds": review.seconds,
        "fault": review.cut.fault,
        "partial": review.cut.partial,
        "findings": findings,
        "coverage": coverage,
        "cost": asdict(review.cost),
        "notes": list(review.notes),
        "digests": digests(review),
    }


def digests(review: Review) -> dict[str, str]:
    """Return a short hash of each part of a review that its outputs show.

    The repository's path is not included.
    """
    # Without hunks, since a change of 30,000 lines is normal
    files = [
        (f.path, f.old_path, f.status, len(f.added_lines), len(f.removed_lines), f.skip, f.note) for f in review.files
    ]
    parts = asdict(replace(review, files=())) | {"files": files}
    parts["findings"] = [
        {**asdict(placed_finding), "finding": finding_row(placed_finding.finding)} for placed_finding in review.findings
    ]
    parts["pull"] = {k: v for k, v in parts["pull"].items() if k not in {"git_dir", "object_dir"}}
    parts["read"] = [(mark.id, mark.digest, mark.by) for mark in review.round.read]
    texts = {name: json.dumps(part, sort_keys=True, default=sorted) for name, part in parts.items()}
    return {name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in texts.items()}
