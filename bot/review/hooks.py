"""What a feature may do while a change is reviewed: it overrides what it has something to do for."""

from collections.abc import Mapping, Sequence
from typing import cast

from bot import registry
from bot.brief import Brief
from bot.config import Config, Settings
from bot.review.session import Session
from bot.values import Coverage, Finding, PlacedFinding


class ReviewHooks:
    """The moments at which a review asks its features."""

    def modules(self, environment: Settings) -> tuple[str, ...]:
        """Name the modules that it may need, which a server loads before its reviews begin."""
        del environment
        return ()

    def memory(self, brief: Brief) -> int:
        """Return the bytes that it may need beside the review."""
        del brief
        return 0

    def tries(self, brief: Brief) -> int:
        """Return the most findings that it tries to prove."""
        del brief
        return 0

    def takes_notes(self, settings: Config) -> bool:
        """Say whether readers are asked what the change does, for `Session.reader_notes`."""
        del settings
        return False

    async def prove(
        self, findings: Sequence[PlacedFinding], session: Session, environment: Settings | None
    ) -> Sequence[PlacedFinding]:
        """Return the findings with what it has shown of them. `environment`: None in a replay, which goes by its record alone."""
        del session, environment
        return findings

    def conclude(self, session: Session, coverage: Coverage, findings: Sequence[Finding]) -> Mapping[str, object]:
        """Return what the feature adds to the review, by the keys of its sections. `findings`: those that are open."""
        del session, coverage, findings
        return {}


def hooks() -> tuple[ReviewHooks, ...]:
    """List what features do while a change is reviewed."""
    return cast("tuple[ReviewHooks, ...]", registry.parts("review"))
