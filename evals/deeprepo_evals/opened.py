"""The tools of an experiment: how it opens a session is its own, and nothing else is brought to the review."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from bot.pipeline import Tools
from bot.review.session import Session
from bot.review.survey import Survey
from deeprepo.impact.families import LANGUAGES
from deeprepo.impact.family import Family


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedBy(Tools):
    """Tools that open a session as the experiment says."""

    languages: Mapping[str, Family] = field(default_factory=lambda: LANGUAGES)
    opener: Callable[[Survey], AbstractAsyncContextManager[Session]]

    def open_session(self, subject: Survey) -> AbstractAsyncContextManager[Session]:
        """Open models, budget and journal for a change."""
        return self.opener(subject)
