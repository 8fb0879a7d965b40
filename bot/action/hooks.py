"""What a feature may do in a step of a workflow: it overrides what it has something to do for."""

from contextlib import AbstractAsyncContextManager
from typing import cast

from bot import registry
from bot.action.console import Console
from bot.config import Step
from bot.values import Review
from bot.values.consumer import Consumers
from bot.workflow.reviewer import ReviewRun


class StepHooks:
    """The moments at which a step asks its features."""

    def consumers(self, run: ReviewRun, step: Step) -> AbstractAsyncContextManager[Consumers] | None:
        """Fetch the other repositories that a review looks at; None: it knows of none."""
        del run, step
        return None

    async def on_reviewed(self, review: Review, run: ReviewRun, step: Step, console: Console) -> Review:
        """Return the review with what the feature adds to it before it is posted."""
        del run, step, console
        return review


def hooks() -> tuple[StepHooks, ...]:
    """List what features do in a step."""
    return cast("tuple[StepHooks, ...]", registry.parts("step"))
