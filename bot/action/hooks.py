"""Hooks for features in a workflow step. A feature overrides the methods that it needs."""

from contextlib import AbstractAsyncContextManager
from typing import cast

from bot import registry
from bot.action.console import Console
from bot.config import Settings, Step
from bot.github import Host
from bot.values.consumer import Consumers
from bot.values.shared_file import SharedFile
from bot.workflow.reviewer import ReviewRun


class StepHooks:
    """The hooks that a step calls. By default, they do nothing."""

    def consumers(self, run: ReviewRun, step: Step) -> AbstractAsyncContextManager[Consumers] | None:
        """Fetch other repositories in which a review checks consumers.

        Return None if the feature has none.
        """
        del run, step
        return None

    async def shared_files(
        self, host: Host, repository: str, step: Step, settings: Settings, console: Console, *, is_private: bool
    ) -> tuple[SharedFile, ...]:
        """Return the settings that a repository ("owner/name") shares with others.

        `is_private`: whether private content may be shown.
        """
        del host, repository, step, settings, console, is_private
        return ()


def hooks() -> tuple[StepHooks, ...]:
    """Return the hooks of all features."""
    return cast("tuple[StepHooks, ...]", registry.parts("step"))
