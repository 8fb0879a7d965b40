"""What a review knows before anybody judges the change, and an estimate without one."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.brief import Brief
from bot.findings.suppress import IgnoreList
from bot.masking.masks import Masks
from bot.ports import RunnableTree
from bot.review.coverage import CoverageTracker
from bot.review.guidance import Guidance
from bot.review.incremental import Past
from bot.values import ChangedFile, CustomCheck, Dependents, PullRequest, Unit
from bot.values.consumer import ConsumerImpact

if TYPE_CHECKING:
    from bot.context.builder import ContextBuilder


@dataclass(frozen=True, slots=True)
class Survey:
    """The change as the earlier steps have read it."""

    brief: Brief  # as models and the journal may be shown it
    files: tuple[ChangedFile, ...]
    units: tuple[Unit, ...]
    dependents: Dependents
    tree: RunnableTree
    tracker: CoverageTracker
    past: Past = field(default_factory=Past)  # the round before
    ignore_list: IgnoreList = field(default_factory=IgnoreList)  # what the owner does not want to hear
    guidance: Guidance = field(default_factory=Guidance)  # what the owner asks to look for
    masks: Masks = field(default_factory=Masks)  # what no provider is shown
    consumers: ConsumerImpact = field(default_factory=ConsumerImpact)  # what the change breaks in other repositories
    checks: tuple[CustomCheck, ...] = ()  # of the owner's
    # Who finds the code beside the change, by what is asked of them: what one strategy of an estimate has found serves the others.
    builders: "dict[tuple[Hashable, ...], ContextBuilder]" = field(default_factory=dict)

    @property
    def pull(self) -> PullRequest:
        """The pull request."""
        return self.brief.pull
