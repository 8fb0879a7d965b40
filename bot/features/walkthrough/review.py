"""The hooks that add the walkthrough. A file keeps its phrase if none of its regions was reviewed again."""

from collections.abc import Mapping, Sequence

from bot import render
from bot.config import Config
from bot.features.walkthrough.build import WalkthroughFacts, walkthrough
from bot.features.walkthrough.section import WALKTHROUGH
from bot.features.walkthrough.settings import WalkthroughSettings
from bot.review.hooks import ReviewHooks
from bot.review.session import Session
from bot.values import Coverage, Finding, ReaderNotes


class WalkthroughHooks(ReviewHooks):
    """Asks models for notes, and adds the walkthrough to the review."""

    def takes_notes(self, settings: Config) -> bool:
        """Return whether models are asked for notes."""
        return settings.of(WalkthroughSettings).walkthrough

    async def conclude(self, session: Session, coverage: Coverage, findings: Sequence[Finding]) -> Mapping[str, object]:
        """Return the walkthrough from models' notes and static analysis."""
        subject = session.survey
        if not self.takes_notes(subject.brief.settings):
            return {}
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
        return {WALKTHROUGH.key: walkthrough(facts, render.load())}


WALKTHROUGH_HOOKS = WalkthroughHooks()
