"""Define the hooks that a feature can override to take part in a review."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from bot import registry
from bot.brief import Brief
from bot.checkout import Checkout
from bot.config import Config, Settings
from bot.findings.silencing import IgnoreList
from bot.ports import Analyzer
from bot.review.reader_questions import ReaderQuestions
from bot.review.session import Session
from bot.review.survey import Survey
from bot.values import ChangedFile, Coverage, Dependents, Finding, PlacedFinding, PullRequest, Unit
from bot.values.consumer import ConsumerImpact, Consumers, NamedConsumer

if TYPE_CHECKING:
    from bot.values.shared_file import SharedFile


class ReviewHooks:
    """The points at which a review calls its features."""

    def modules(self, environment: Settings) -> tuple[str, ...]:
        """Return the modules that the feature may need, so that a server can load them before its reviews."""
        del environment
        return ()

    def memory(self, brief: Brief) -> int:
        """Return the number of bytes that the feature may need in addition to the review."""
        del brief
        return 0

    def tries(self, brief: Brief) -> int:
        """Return the maximum number of findings that the feature tries to prove."""
        del brief
        return 0

    def takes_notes(self, settings: Config) -> bool:
        """Return whether model passes are asked to summarize the change, for `Session.reader_notes`."""
        del settings
        return False

    async def shared_files(self, pull: PullRequest, environment: Settings, scratch: str) -> "tuple[SharedFile, ...]":
        """Return the settings that a repository on this machine shares with others."""
        del pull, environment, scratch
        return ()

    def named(self, pull: PullRequest, options: Mapping[str, Any], settings: Config) -> tuple[NamedConsumer, ...]:
        """Return the other repositories that a local review checks.

        `options`: the command line options by name.
        """
        del pull, options, settings
        return ()

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
        """Return what the change breaks in other repositories, if readers of the review may see it."""
        del tree, files, users, consumers, scratch, seconds
        return ConsumerImpact()

    async def silences(self, brief: Brief, tree: Checkout) -> IgnoreList:
        """Return the findings that must not be reported."""
        del brief, tree
        return IgnoreList()

    def asks(self, survey: Survey, units: Sequence[Unit]) -> ReaderQuestions | None:
        """Return the feature's questions to the model pass over these code regions."""
        del survey, units
        return None

    def files_to_read(self, survey: Survey) -> frozenset[str]:
        """Return the files that models read again although an earlier review covered them."""
        del survey
        return frozenset()

    def analyzers(self, subject: Survey) -> Mapping[str, Analyzer]:
        """Return checks that only repeat earlier findings of the feature."""
        del subject
        return {}

    async def prove(
        self, findings: Sequence[PlacedFinding], session: Session, environment: Settings | None
    ) -> Sequence[PlacedFinding]:
        """Return the findings with the evidence that the feature has added.

        `environment` is None in an estimate.
        """
        del session, environment
        return findings

    async def conclude(self, session: Session, coverage: Coverage, findings: Sequence[Finding]) -> Mapping[str, object]:
        """Return what the feature adds to the review, by section key. `findings`: the open ones."""
        del session, coverage, findings
        return {}


def hooks() -> tuple[ReviewHooks, ...]:
    """Return every feature's review hooks."""
    return cast("tuple[ReviewHooks, ...]", registry.parts("review"))
