"""What a feature may do in a step of a workflow: it overrides what it has something to do for."""

from contextlib import AbstractAsyncContextManager
from typing import cast

from bot import registry
from bot.action.console import Console
from bot.config import Settings, Step
from bot.github import Host
from bot.values import Review
from bot.values.consumer import Consumers
from bot.values.shared_file import SharedFile
from bot.workflow.reviewer import ReviewRun


class StepHooks:
    """The moments at which a step asks its features."""

    def consumers(self, run: ReviewRun, step: Step) -> AbstractAsyncContextManager[Consumers] | None:
        """Fetch the other repositories that a review looks at; None: it knows of none."""
        del run, step
        return None

    async def shared_files(
        self, host: Host, repository: str, step: Step, settings: Settings, console: Console, *, is_private: bool
    ) -> tuple[SharedFile, ...]:
        """Return the settings that a repository ("owner/name") shares with others. `is_private`: whether what is private may be shown."""
        del host, repository, step, settings, console, is_private
        return ()

    async def on_reviewed(self, review: Review, run: ReviewRun, step: Step, console: Console) -> Review:
        """Return the review with what the feature adds to it before it is posted."""
        del run, step, console
        return review


def hooks() -> tuple[StepHooks, ...]:
    """List what features do in a step."""
    return cast("tuple[StepHooks, ...]", registry.parts("step"))
