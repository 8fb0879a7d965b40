"""What a feature may do while a change is reviewed: it overrides what it has something to do for."""

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
    """The moments at which a review asks its features."""

    def modules(self, environment: Settings) -> tuple[str, ...]:
        """Return name the modules that it may need, which a server loads before its reviews begin."""
        del environment
        return ()

    def memory(self, brief: Brief) -> int:
        """Return the bytes that it may need beside the review."""
        del brief
        return 0

    def tries(self, brief: Brief) -> int:
        """Return the most findings that it tries to prove."""
        del brief
        return 0

    def takes_notes(self, settings: Config) -> bool:
        """Say whether readers are asked what the change does, for `Session.reader_notes`."""
        del settings
        return False

    async def shared_files(self, pull: PullRequest, environment: Settings, scratch: str) -> "tuple[SharedFile, ...]":
        """Return the settings that a repository on this machine shares with others."""
        del pull, environment, scratch
        return ()

    def named(self, pull: PullRequest, options: Mapping[str, Any], settings: Config) -> tuple[NamedConsumer, ...]:
        """Return the other repositories that a review on this machine looks at. `options`: of the command line, by their names."""
        del pull, options, settings
        return ()

    async def look_beyond(
        self,
        tree: Checkout,
        files: Sequence[ChangedFile],
        users: Dependents,
        consumers: Consumers,
        *,
        scratch: str,
        seconds: float | None,
    ) -> ConsumerImpact:
        """Return what the change breaks in other repositories, as the readers of the review may see it."""
        del tree, files, users, consumers, scratch, seconds
        return ConsumerImpact()

    async def silences(self, brief: Brief, tree: Checkout) -> IgnoreList:
        """Return what is not to be reported."""
        del brief, tree
        return IgnoreList()

    def asks(self, survey: Survey, units: Sequence[Unit]) -> ReaderQuestions | None:
        """Return what it asks the reader of these units."""
        del survey, units
        return None

    def files_to_read(self, survey: Survey) -> frozenset[str]:
        """Name the files that models read again although an earlier round has read them."""
        del survey
        return frozenset()

    def analyzers(self, subject: Survey) -> Mapping[str, Analyzer]:
        """Return checks whose findings it has made before."""
        del subject
        return {}

    async def prove(
        self, findings: Sequence[PlacedFinding], session: Session, environment: Settings | None
    ) -> Sequence[PlacedFinding]:
        """Return the findings with what it has shown of them. `environment`: None in a replay, which goes by its record alone."""
        del session, environment
        return findings

    async def conclude(self, session: Session, coverage: Coverage, findings: Sequence[Finding]) -> Mapping[str, object]:
        """Return what the feature adds to the review, by the keys of its sections. `findings`: those that are open."""
        del session, coverage, findings
        return {}


def hooks() -> tuple[ReviewHooks, ...]:
    """List what features do while a change is reviewed."""
    return cast("tuple[ReviewHooks, ...]", registry.parts("review"))
