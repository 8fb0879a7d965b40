"""What a step came to."""

from dataclasses import dataclass

from bot.errors import DeepRepoError
from bot.publish import PublishResult
from bot.values import Ending, Review


@dataclass(frozen=True, slots=True)
class StepResult:
    """The end of a step. `says`: why there is no review, or why it is in the job summary alone."""

    conclusion: Ending
    says: str = ""
    review: Review | None = None
    outcome: PublishResult | None = None  # None: nothing was posted
    annotated: bool = False  # the findings stand in a check run of our own, where they belong to the head
    fault: DeepRepoError | None = None  # raised once the review is safe
