"""Define what is known about a change before it is judged, for reviews and estimates."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from bot.brief import Brief
from bot.checkout.views import create_known_secrets
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
    Unit,
    severity_rank,
)
from bot.values.consumer import ConsumerImpact
from bot.values.progress import Reading

Value = TypeVar("Value")
NAMED_AT_WORK = 5  # files and findings named in progress messages


def files_read(files: Sequence[ChangedFile]) -> Reading:
    """Return which files the review reads, for the first progress message."""
    read = [file.path for file in files if not file.skip]
    reading = Reading(len(read), tuple(read[:NAMED_AT_WORK]), left_out=len(files) - len(read))
    return written.of_review(reading, create_known_secrets(), read[:NAMED_AT_WORK])


@dataclass(frozen=True, slots=True)
class Survey:
    """The change as read by the earlier steps of the pipeline."""

    brief: Brief  # without secrets, for models and the journal
    files: tuple[ChangedFile, ...]
    units: tuple[Unit, ...]
    dependents: Dependents
    tree: RunnableTree
    tracker: CoverageTracker
    past: Past = field(default_factory=Past)  # the previous review
    leaks: tuple[Finding, ...] = ()  # secrets that exist only in earlier commits of the change
    ignore_list: IgnoreList = field(default_factory=IgnoreList)  # what the owner doesn't want reported
    guidance: Guidance = field(default_factory=Guidance)  # what the owner asks to check
    masks: KnownSecrets = field(default_factory=create_known_secrets)  # what no provider may see
    # what the change breaks in other repositories
    consumers: ConsumerImpact = field(default_factory=ConsumerImpact)

    def reading(self, findings: Sequence[Finding], pending: int = 0, *, is_checked: bool) -> Reading:
        """Return what the review reads and these findings, without ignored findings or secrets."""
        changed_paths = {path for file in self.files for path in (file.path, file.old_path) if path}
        using = [dependent.path for dependent in self.dependents.files] + [
            reference.path for reference in self.dependents.references
        ]
        users = [path for path in dict.fromkeys(using) if path not in changed_paths]
        open_findings, _ = self.ignore_list.split(findings)
        worst = sorted(open_findings, key=lambda finding: severity_rank(finding.severity))[:NAMED_AT_WORK]
        reading = replace(
            files_read(self.files),
            units=len(self.units),
            users=len(users),
            user_names=tuple(users[:NAMED_AT_WORK]),
            is_checked=is_checked,
            findings=len(open_findings),
            worst_findings=tuple(worst),
            pending=pending,
        )
        return self.shown(reading, worst, guesses=True)

    def shown(self, value: Value, findings: Iterable[Finding] = (), *, guesses: bool = False) -> Value:
        """Return a copy of the value without secrets. `findings`: those that the value contains."""
        findings = tuple(findings)
        names = [path for file in self.files for path in (file.path, file.old_path) if path]
        names += [path for finding in findings for path in (finding.path, *(item.path for item in finding.evidence))]
        names += [reference.path for reference in self.dependents.references]
        return written.of_review(value, self.masks, names, findings, guesses=guesses)

    @property
    def pull(self) -> PullRequest:
        """The pull request."""
        return self.brief.pull
