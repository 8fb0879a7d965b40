"""What a feature may do while a change is reviewed: it overrides what it has something to do for."""

from collections.abc import Mapping, Sequence
from typing import cast

from bot import registry
from bot.config import Config
from bot.review.session import Session
from bot.values import Coverage, Finding


class ReviewHooks:
    """The moments at which a review asks its features."""

    def takes_notes(self, settings: Config) -> bool:
        """Say whether readers are asked what the change does, for `Session.reader_notes`."""
        del settings
        return False

    def conclude(self, session: Session, coverage: Coverage, findings: Sequence[Finding]) -> Mapping[str, object]:
        """Return what the feature adds to the review, by the keys of its sections. `findings`: those that are open."""
        del session, coverage, findings
        return {}


def hooks() -> tuple[ReviewHooks, ...]:
    """List what features do while a change is reviewed."""
    return cast("tuple[ReviewHooks, ...]", registry.parts("review"))
