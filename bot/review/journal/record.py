"""Open the journal of a review, and write its last line."""

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TextIO

from bot.machine import files
from bot.values import Review
from deeprepo.rlm.journal.codec import Row
from deeprepo.rlm.journal.writer import Journal


def open_file(path: Path) -> TextIO:
    """Open a journal file, readable only by its owner and never through a link in a checkout.

    Raises UsageError.
    """
    return files.append(path, label="the journal ", private=True, folders=True)


def finish(journal: Journal, review: Review) -> Review:
    """Write the last line and return the review."""
    journal.end(partial(end, review))
    return review


def end(review: Review) -> Row:
    """Return the last line, a summary of the review."""
    finding_fields = ("path", "start", "severity", "title", "verdict", "source")
    findings = [{name: getattr(p.finding, name) for name in finding_fields} for p in review.reported]
    coverage = {
        kind: {state: review.coverage.count(kind, state) for state in ("reviewed", "reused", "skipped", "unread")}
        for kind in ("unit", "use")
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
    }
