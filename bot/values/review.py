"""The results of a review: findings and where they are shown, the coverage, and the review itself."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from bot.levels import Severity
from bot.values.change import PullRequest
from bot.values.consumer import ConsumerReport
from bot.values.finding import Finding, Rewrite, Status, severity_rank
from bot.values.required_check import RequiredCheck
from deeprepo.impact.changes import ChangedFile
from deeprepo.impact.values import Side
from deeprepo.rlm.values import Cost, Exact, Turn

Tone = Literal["normal", "short"]
Conclusion = Literal["clean", "findings", "incomplete"]
Interruption = Literal["provider", "interrupted"]
Fault = Literal["", Interruption]  # what cut a review short, other than a limit
# Why models did not review everything. "quota": the provider's quota or a daily limit is used up. "provider":
# the provider doesn't answer. "declined": the model or its content filter refused. "too_large": the change
# exceeds a limit. "setup": the provider rejects the key or the model.
Obstacle = Literal["quota", "provider", "declined", "too_large", "setup"]
Cause = Literal["", Obstacle]
ReviewStatus = Literal[Conclusion, Interruption, Obstacle]
# Why a head has no review. "unreviewed": it should have one. "left out": the owner's settings exclude it. "held": they
# do, but an earlier finding that reached the threshold is still open. "nothing": it adds nothing to its base.
NoReviewReason = Literal["unreviewed", "left out", "held", "nothing"]

IssueProgress = Literal["yes", "partly", "no", "unclear"]  # whether a change does what an issue asks
DiffSide = Literal["RIGHT", "LEFT"]  # GitHub's names for the head side and the base side
LookUpKind = Literal["definition", "uses", "search", "lines", "files"]
# `CoverageRow.by` of a region from which the change only removes lines, so no check is needed.
NOTHING_ADDED = "nothing added"
# The version of the JSON format. Increase it if programs for the old format would misread the new one, but
# not for new keys.
SCHEMA_VERSION = 2
# Where a finding is shown: on its lines, on its file, outside the diff, or collapsed in the summary.
Place = Literal["", "inline", "file", "outside", "folded"]


@dataclass(frozen=True, slots=True)
class LookUp:
    """A model's request to see code before it answers."""

    kind: LookUpKind
    name: str = ""  # the name, or the pattern for "search"
    path: str = ""  # the file for "lines", the folder or glob for "files", else a glob that limits the search
    start: int = 0  # the first line for "lines"; 0 for the beginning
    end: int = 0  # the last line for "lines"; 0 for as many lines as one look-up shows
    side: Side = "head"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The findings of a static check, and the files that it checked completely.

    In other files, the check may have missed problems.
    """

    findings: tuple[Finding, ...]
    complete: frozenset[str]  # paths of the files that it checked completely
    unjudged: tuple[tuple[str, str], ...] = ()  # path (empty if it isn't about one file) and reason
    limits: tuple[str, ...] = ()  # sentences about what the check cannot find
    not_run: str = ""  # for a check that only confirms others: why it did not run
    ran: bool = True  # for a check that only confirms others: whether it had anything to do

    def unjudged_files(self, files: Iterable[ChangedFile]) -> tuple[tuple[str, str], ...]:
        """Return path and reason for each file that was not checked completely.

        This includes those of the given `files` that the check does not mention at all.
        """
        mentioned = {path for path, _ in self.unjudged} | self.complete
        reason = "the check did not confirm that it read the whole file"
        return (*self.unjudged, *((file.path, reason) for file in files if file.path not in mentioned))


@dataclass(frozen=True, slots=True)
class CommentSpot:
    """The lines in the diff to which GitHub attaches a comment.

    They are in one hunk and on one side, so there may be fewer of them than the finding has. For a finding outside the
    diff, they caused it, or `start` and `end` are 0: the comment is on the file.
    """

    path: Exact[str]  # the file's path in the diff: on the head side, or the old path if it was deleted
    start: int
    end: int  # the line below which the comment appears; equals `start` for a single line
    side: DiffSide


@dataclass(frozen=True, slots=True)
class PlacedFinding:
    """A finding, and where this review shows it.

    `place` is empty if the finding isn't shown, or an earlier review already shows it. `replacement` is a
    suggested fix that can be committed: whole lines for the spot, with the file's indentation. `refused` says
    why the suggestion can only be shown, and not committed.
    """

    finding: Finding
    place: Place = ""
    spot: CommentSpot | None = None
    replacement: str | None = None
    refused: Literal["", "place", "part", "same", "syntax", "shape", "unseen", "long", "secret", "red", "own"] = ""

    @property
    def rewrites(self) -> tuple[Rewrite, ...]:
        """The lines that its fix rewrites. Other repositories and the base side are never changed."""
        finding, spot = self.finding, self.spot
        if finding.consumer or finding.side != "head" or not finding.is_sure:
            return ()
        if finding.rewrites or self.replacement is None or spot is None:
            return finding.rewrites
        return (Rewrite(spot.path, spot.start, finding.quote, self.replacement),)


def in_order(findings: Iterable[PlacedFinding]) -> tuple[PlacedFinding, ...]:
    """Sort findings for display: collapsed ones last, then by severity.

    Findings that are equal keep their order.
    """
    return tuple(
        sorted(
            findings,
            key=lambda placed_finding: (
                placed_finding.place == "folded",
                severity_rank(placed_finding.finding.severity),
            ),
        )
    )


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """Something that a review should check, and whether it did. Field names are part of the stored format.

    The kinds are:

    - `unit`: a changed code region.
    - `use`: a reference to a definition whose contract changed.
    - `file`: a changed file that was skipped, although nothing outside the change justifies that.
    - `search`: references that could not be searched for, commits that were not scanned for secrets, or
      several merge bases.
    - `check`: something that a static check could not decide.

    An item in the state "unread" is reported as not checked. A "use" in the state "relies" could not be
    decided by a static check. It may work or break, and doesn't affect the result.
    """

    kind: Literal["unit", "use", "file", "search", "check"]
    path: Exact[str]
    name: Exact[str]  # for a "use", the definition that it refers to, as "path:name"
    state: Literal["reviewed", "reused", "skipped", "unread", "relies"]
    by: Exact[str] = ""  # what checked it, such as "ruff, secrets, contracts" or "worker openai/gpt-5-mini"
    reason: str = ""  # why it was skipped or not checked
    line: int = 0
    # The static checks that checked a region, or the result of comparing a reference.
    checked: Exact[str] = ""
    read: Exact[str] = ""  # the models that read it


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was checked in the whole change, by static checks and by models, and what was not."""

    readings: tuple[CoverageRow, ...] = ()
    skipped_files: Exact[tuple[tuple[str, str], ...]] = ()  # (path, reason)
    cut: tuple[str, ...] = ()  # sentences about what limits left out
    by_model: bool = True  # whether changed code only counts as checked once a model has read it
    not_installed: Exact[tuple[str, ...]] = ()  # checks that had something to do but are not installed
    not_run: Exact[tuple[tuple[str, str], ...]] = ()  # type checkers that failed, each with the reason
    is_follow_up: bool = False  # whether the head was not reviewed, and only earlier findings were updated

    def count(self, kind: str, *states: str) -> int:
        """Return how many items of this kind are in one of these states, or in any state if none is given."""
        return sum(1 for reading in self.readings if reading.kind == kind and (not states or reading.state in states))

    @property
    def open(self) -> tuple[CoverageRow, ...]:
        """The items that should have been checked but were not, most important first."""
        kinds = ("unit", "file", "search", "check", "use")
        return tuple(row for kind in kinds for row in self.readings if row.kind == kind and row.state == "unread")

    @property
    def complete(self) -> bool:
        """Whether everything that should have been checked was checked."""
        return not self.open

    def without_shown(self, findings: Iterable[Finding]) -> "Coverage":
        """Return the coverage without the dependent locations that these findings already show."""
        shown = {(place.path, place.line) for finding in findings for place in (*finding.places, *finding.evidence)}
        return replace(
            self,
            readings=tuple(
                reading
                for reading in self.readings
                if reading.state != "relies" or (reading.path, reading.line) not in shown
            ),
        )

    @property
    def relying(self) -> tuple[CoverageRow, ...]:
        """The locations that may depend on the change (state "relies"), most important first."""
        return tuple(reading for reading in self.readings if reading.state == "relies")


@dataclass(frozen=True, slots=True)
class IssueReport:
    """A model's answer to whether the change does what an issue asks for.

    The change says that it closes it.
    """

    number: int
    asks: str
    done: IssueProgress
    missing: str = ""
    round: int = 0  # the number of the review in which the model answered; later pushes may have changed that


@dataclass(frozen=True, slots=True)
class Transcript:
    """The result of a strategy: the raw findings, the summary, and how it ended."""

    findings: tuple[Finding, ...] = ()
    summary: str = ""
    turns: tuple[Turn, ...] = ()
    # Sentences for the review, such as that a limit was reached or the provider failed.
    notes: tuple[str, ...] = ()
    partial: bool = False
    fault: Fault = ""
    reason: str = ""  # how the strategy continued, appended to why it was chosen
    issues: tuple[IssueReport, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadUnit:
    """A code region that was reviewed, with a digest of everything that the review of it depended on."""

    id: Exact[str]
    digest: Exact[str]
    by: Exact[str]  # the names of the models or checks
    model: bool = False  # whether a model read it


def read_units(rows: Iterable[tuple[str, str, str]], by_model: Collection[str]) -> tuple[ReadUnit, ...]:
    """Return the reviewed code regions, given a stored review's rows of ID, digest and names.

    `by_model` contains the IDs of those that a model read.
    """
    return tuple(ReadUnit(name, digest, by, name in by_model) for name, digest, by in rows)


@dataclass(frozen=True, slots=True)
class Round:
    """The review's number in its pull request, and what it passes on to the next review."""

    number: int = 1
    since: Exact[str] = ""  # the previous review's head; empty in the first review
    full: bool = False  # whether everything was to be reviewed and reported again
    reason: str = ""  # a sentence about why the previous review could not be used
    # For the next review: every number given so far with its finding's fingerprint, and the reviewed regions.
    numbers: Exact[tuple[tuple[int, str], ...]] = ()
    read: Exact[tuple[ReadUnit, ...]] = ()


@dataclass(frozen=True, slots=True)
class StrategyChoice:
    """The strategy with which models reviewed the change."""

    name: Exact[str]
    reason: str = ""  # why it was chosen


@dataclass(frozen=True, slots=True)
class Cut:
    """Whether a review was cut short, and by what."""

    partial: bool = False
    fault: Fault = ""
    failure: str = ""  # a sentence about a provider's failure and what to do, shown first
    cause: Cause = ""  # why models did not review everything, if that is known


@dataclass(frozen=True, slots=True)
class ReportSettings:
    """The settings on which a review's conclusion and its display depend."""

    tone: Tone = "normal"
    fail_on: Severity | None = None  # the threshold for the exit code and the conclusion
    strict: bool = False  # if a threshold is set, whether requirements without a result fail the check too
    request_changes: Severity | None = None  # the threshold for requesting changes; None for never
    approve: Severity | None = None  # findings this severe prevent an approval
    templates: tuple[tuple[str, str], ...] = ()  # the repository's own comment templates: (name, source)
    minimum: Severity = "low"  # less severe findings are not reported
    doubts: tuple[str, ...] = ()  # sentences about mistakes in settings files that may concern a threshold


@dataclass(frozen=True, slots=True)
class Review:
    """The complete result of a review, from which every output is made."""

    pull: PullRequest
    files: tuple[ChangedFile, ...]
    strategy: StrategyChoice
    # All findings that this review knows, whatever their status. Those that it reports come first.
    findings: tuple[PlacedFinding, ...]
    coverage: Coverage
    cost: Cost
    seconds: float
    summary: str = ""
    notes: tuple[str, ...] = ()
    cut: Cut = Cut()
    settings: ReportSettings = ReportSettings()
    dropped: int = 0  # number of model findings that were not confirmed
    turns: tuple[Turn, ...] = ()
    version: Exact[str] = ""
    round: Round = Round()
    issues: tuple[IssueReport, ...] = ()
    consumers: tuple[ConsumerReport, ...] = ()  # repositories that use this one, with the result for each
    parts: Mapping[str, object] = field(default_factory=dict)  # features' additions, by section key

    @property
    def reported(self) -> tuple[PlacedFinding, ...]:
        """The findings that this review reports: new ones, and in a full review also earlier ones."""
        return tuple(placed_finding for placed_finding in self.findings if placed_finding.place)

    @property
    def new_findings(self) -> tuple[Finding, ...]:
        """The open findings that no earlier review reported."""
        return tuple(finding for finding in self.open_findings if finding.is_new)

    @property
    def new_places(self) -> int:
        """How many locations this review adds to earlier findings."""
        return sum(len(placed_finding.finding.tracking.added) for placed_finding in self.reported)

    @property
    def still(self) -> tuple[Finding, ...]:
        """The findings from earlier reviews that are still open, unless this review reports them again."""
        return tuple(
            placed_finding.finding
            for placed_finding in self.findings
            if placed_finding.finding.status == "still" and not placed_finding.place
        )

    @property
    def open_findings(self) -> tuple[Finding, ...]:
        """The open findings: those that this review reports, then those from earlier reviews."""
        return (*(placed_finding.finding for placed_finding in self.reported), *self.still)

    @property
    def fixable(self) -> tuple[PlacedFinding, ...]:
        """The open findings that have an automatic fix."""
        return tuple(row for row in self.findings if row.finding.status in ("new", "still") and row.rewrites)

    @property
    def unproven(self) -> tuple[Finding, ...]:
        """The models' findings that were neither confirmed nor refuted. They are only shown on demand."""
        return self.findings_with_status("unproven")

    def findings_with_status(self, status: Status) -> tuple[Finding, ...]:
        """Return the findings with this status."""
        return tuple(
            placed_finding.finding for placed_finding in self.findings if placed_finding.finding.status == status
        )

    def without_unproven(self) -> "Review":
        """Return the review without unproven findings, which are not posted."""
        return replace(
            self,
            findings=tuple(
                placed_finding for placed_finding in self.findings if placed_finding.finding.status != "unproven"
            ),
        )

    @property
    def required_checks(self) -> tuple[RequiredCheck, ...]:
        """The results of the required checks, which features add."""
        parts = (part for part in self.parts.values() if isinstance(part, tuple))
        return tuple(each for part in parts for each in part if isinstance(each, RequiredCheck))


@dataclass(frozen=True, slots=True)
class EarlierReview:
    """The previous review's results that a new review uses, so that it only reviews what a push changed."""

    number: int  # the previous review's number
    base: str
    head: str
    units: tuple[ReadUnit, ...] = ()  # the reviewed code regions
    # Pairs of a changed definition and a path, if a model read all references to it in that file.
    uses: tuple[tuple[str, str], ...] = ()
    findings: tuple[Finding, ...] = ()  # the findings that were not fixed: reported, not shown, or silenced
    silenced_identities: frozenset[str] = frozenset()  # identities of silenced findings that were never shown
    files: tuple[str, ...] = ()  # paths of the files that were changed then
    summary: str = ""
    parts: Mapping[str, object] = field(default_factory=dict)  # the features' additions that they can restore
    issues: tuple[IssueReport, ...] = ()
    numbers: tuple[tuple[int, str], ...] = ()  # every number given so far, with its finding's fingerprint
    unsaid_numbers: frozenset[int] = frozenset()  # numbers of findings that could not be posted
    other_build: str = ""  # the version of the build that made the review, if it differs from this build


@dataclass(frozen=True, slots=True)
class LastFindings:
    """The last finished review, as commands in comments need it."""

    pull: PullRequest
    findings: tuple[Finding, ...]
    numbers: Mapping[int, str]  # number -> the finding's fingerprint
    open_findings: tuple[Finding, ...] = ()  # the findings that were open then
    other_fingerprints: frozenset[str] = frozenset()  # of what a command can ignore besides findings

    def by_identity(self, name: str) -> Finding | None:
        """Return the finding with this identity, or None."""
        return next((f for f in self.findings if f.identity == name), None)

    def by_number(self, number: int) -> Finding | None:
        """Return the finding with this number, or None."""
        return next((f for f in self.findings if f.number == number), None)
