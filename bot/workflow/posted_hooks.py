"""What a feature does on a pull request after its review was posted, on a server as in a workflow."""

from typing import TYPE_CHECKING, cast

from bot import registry
from bot.errors import HostError, HostRefused
from bot.render import load
from bot.values import Review

if TYPE_CHECKING:
    from bot.workflow.reviewer import ReviewRun


class PostedHooks:
    """The moment after a review was posted. `refused`: the phrase for what GitHub refused."""

    refused: str

    async def on_posted(self, review: Review, run: "ReviewRun") -> None:
        """Act on the review. May be repeated after a crash. Raises HostError's kinds."""


async def act(review: Review, run: "ReviewRun") -> tuple[str, ...]:
    """Let each feature act, and return a sentence for each that GitHub refused."""
    notes = list[str]()
    for hook in cast("tuple[PostedHooks, ...]", registry.parts("posted")):
        try:
            await hook.on_posted(review, run)
        except HostError as error:
            why = error.reason if isinstance(error, HostRefused) else str(error)
            notes.append(load().say(hook.refused, why=why))
    return tuple(notes)
