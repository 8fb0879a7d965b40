"""Make the walkthrough. A file keeps its phrase if none of its regions was reviewed again."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bot import render
from bot.features.walkthrough.build import WalkthroughFacts, walkthrough
from bot.features.walkthrough.section import WALKTHROUGH
from bot.features.walkthrough.values import Walkthrough
from bot.values import Coverage, Finding, ReaderNotes

if TYPE_CHECKING:
    from bot.review.session import Session


def made(session: "Session", coverage: Coverage, findings: Sequence[Finding]) -> Walkthrough:
    """Return the walkthrough from models' notes and static analysis. `findings`: the open ones."""
    subject = session.survey
    states: dict[str, set[str]] = {}
    for reading in coverage.readings:
        if reading.kind == "unit":
            states.setdefault(reading.path, set()).add(reading.state)
    earlier = subject.past.earlier.parts.get(WALKTHROUGH.key) if subject.past.earlier else None
    facts = WalkthroughFacts(
        subject.files,
        subject.units,
        subject.dependents,
        findings,
        tuple(session.results.reader_notes),
        earlier if isinstance(earlier, ReaderNotes) else ReaderNotes(),
        frozenset(path for path, labels in states.items() if labels == {"reused"}),
        any("reused" in labels for labels in states.values()),
    )
    return walkthrough(facts, render.load())
