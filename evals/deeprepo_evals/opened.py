"""The tools of an experiment: how it opens a session is its own, and nothing else is brought to the review."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from bot.pipeline import Tools
from bot.review.session import Session
from bot.review.survey import Survey


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedBy(Tools):
    """Tools that open a session as the experiment says."""

    opener: Callable[[Survey], AbstractAsyncContextManager[Session]]
    strategy: str | None = None  # the name of a module, which no user can choose

    def open_session(self, subject: Survey) -> AbstractAsyncContextManager[Session]:
        """Open models, budget and journal for a change."""
        if self.strategy is not None:
            object.__setattr__(subject.brief.settings, "strategy", self.strategy)
        return self.opener(subject)
