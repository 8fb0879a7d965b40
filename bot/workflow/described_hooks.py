"""What a feature adds to the description of a pull request that models see, on a server as in a workflow."""

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from bot import registry
from bot.values import PullRequest

if TYPE_CHECKING:
    from bot.workflow.reviewer import ReviewRun


class DescribedHooks:
    """The moment before models see a pull request."""

    async def describe(self, run: "ReviewRun") -> str:
        """Return text that belongs to the description, "" for none."""
        del run
        return ""


async def described(pull: PullRequest, run: "ReviewRun") -> PullRequest:
    """Return the pull request with what features add to its description."""
    hooks = cast("tuple[DescribedHooks, ...]", registry.parts("described"))
    texts = [text for hook in hooks if (text := await hook.describe(run))]
    return replace(pull, body="\n\n".join([*filter(None, [pull.body]), *texts])) if texts else pull
