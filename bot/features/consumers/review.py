"""The hooks with which a review checks consumers."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.checkout import Checkout
from bot.config import Config
from bot.features.consumers import local
from bot.features.consumers.analyzer import ConsumerFindings
from bot.ports import Analyzer
from bot.review.hooks import ReviewHooks
from bot.review.survey import Survey
from bot.values import ChangedFile, Dependents, PullRequest
from bot.values.consumer import ConsumerImpact, Consumers, NamedConsumer


class ConsumerHooks(ReviewHooks):
    """Compares the change with references to it in other repositories."""

    def named(self, pull: PullRequest, options: Mapping[str, Any], settings: Config) -> tuple[NamedConsumer, ...]:
        """Return the clones given with `--with` and in the settings."""
        return local.named_consumers(pull, tuple(options.get("consumers") or ()), settings)

    async def check_consumers(
        self,
        tree: Checkout,
        files: Sequence[ChangedFile],
        users: Dependents,
        consumers: Consumers,
        *,
        scratch: str,
        seconds: float | None,
    ) -> ConsumerImpact:
        """Return what the change breaks in the named consumers."""
        if not consumers.named:
            return ConsumerImpact()
        return await local.check_consumers(tree, files, users, consumers, scratch=scratch, seconds=seconds)

    def analyzers(self, subject: Survey) -> Mapping[str, Analyzer]:
        """Return an analyzer with the findings about consumers."""
        impact = subject.consumers
        if not impact.reports:
            return {}
        checked = frozenset(report.name for report in impact.reports if report.state == "checked")
        return {"consumers": ConsumerFindings(impact.findings, checked)}


CONSUMER_HOOKS = ConsumerHooks()
