"""What a review knows before anybody judges the change, and an estimate without one."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from bot.brief import Brief
from bot.checkout.shown import know_secrets
from bot.findings.silencing import IgnoreList
from bot.ports import KnownSecrets, RunnableTree
from bot.review import written
from bot.review.coverage import CoverageTracker
from bot.review.guidance import Guidance
from bot.review.incremental import Past
from bot.values import (
    ChangedFile,
    Dependents,
    Finding,
    PullRequest,
    Reference,
    Unit,
    severity_rank,
)
from bot.values.consumer import ConsumerImpact
from bot.values.progress import Reading

if TYPE_CHECKING:
    from bot.review.context.builder import ContextBuilder


Value = TypeVar("Value")
NAMED_AT_WORK = 5  # files and findings that are named while the review works


def files_read(files: Sequence[ChangedFile]) -> Reading:
    """Return which files the review reads: said before anything is looked up about them."""
    read = [file.path for file in files if not file.skip]
    reading = Reading(len(read), tuple(read[:NAMED_AT_WORK]), left_out=len(files) - len(read))
    return written.of_review(reading, know_secrets(), read[:NAMED_AT_WORK])


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
    leaks: tuple[Finding, ...] = ()  # secrets that only earlier commits of the change hold
    ignore_list: IgnoreList = field(default_factory=IgnoreList)  # what the owner does not want to hear
    guidance: Guidance = field(default_factory=Guidance)  # what the owner asks to look for
    masks: KnownSecrets = field(default_factory=know_secrets)  # what no provider is shown
    consumers: ConsumerImpact = field(default_factory=ConsumerImpact)  # what the change breaks in other repositories
    builders: "dict[tuple[Hashable, ...], ContextBuilder]" = field(default_factory=dict)  # by their limits

    def reading(self, findings: Sequence[Finding], *, is_checked: bool) -> Reading:
        """Return what the review reads, and what code has proven so far and nobody has asked not to hear, as it may be shown."""
        changed_paths = {path for file in self.files for path in (file.path, file.old_path) if path}
        using = [dependent.path for dependent in self.dependents.files] + [
            reference.path for reference in self.dependents.references
        ]
        users = [path for path in dict.fromkeys(using) if path not in changed_paths]
        open_findings, _ = self.ignore_list.split([finding for finding in findings if finding.proven])
        worst = sorted(open_findings, key=lambda finding: severity_rank(finding.severity))[:NAMED_AT_WORK]
        reading = replace(
            files_read(self.files),
            units=len(self.units),
            users=len(users),
            user_names=tuple(users[:NAMED_AT_WORK]),
            is_checked=is_checked,
            findings=len(open_findings),
            worst_findings=tuple(worst),
        )
        return self.shown(reading, worst, guesses=True)

    def shown(self, value: Value, findings: Iterable[Finding] = (), *, guesses: bool = False) -> Value:
        """Return what the review tells, or answers, as it may leave. `findings`: those that it holds."""
        findings = tuple(findings)
        names = [path for file in self.files for path in (file.path, file.old_path) if path]
        names += [path for finding in findings for path in (finding.path, *(item.path for item in finding.evidence))]
        names += [reference.path for reference in self.dependents.references]
        return written.of_review(value, self.masks, names, findings, guesses=guesses)

    @property
    def pull(self) -> PullRequest:
        """The pull request."""
        return self.brief.pull

    def builder(
        self,
        prompts: int = 1,
        first: Sequence[Reference] = (),
        most: int | None = None,
        *,
        completes: bool = True,
        follows: bool = False,
    ) -> "ContextBuilder":
        """Return who shows the code beside the change under these limits. What one of them has looked up serves the others."""
        # Here: a review without a model shows no code
        from bot.review.context.builder import NEARBY_TOKENS, ContextBuilder
        from bot.review.context.searches import Searches

        most = NEARBY_TOKENS if most is None else most
        key = (prompts, tuple(first), most, completes, follows)
        if key not in self.builders:
            found = next((builder.found for builder in self.builders.values()), None)
            found = found or Searches(self.tree, self.files, self.tracker.unread(), self.masks)
            self.builders[key] = ContextBuilder(found, prompts, first, most, completes, follows)
        return self.builders[key]
