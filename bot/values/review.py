"""Define the results of a review: placed findings, the coverage, the cost, and the review itself."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from bot.levels import Severity
from bot.values.change import PullRequest
from bot.values.consumer import ConsumerReport
from bot.values.finding import Finding, Status, at_least, severity_rank
from bot.values.ruling import Ruling, is_threshold_set
from deeprepo.impact.changes import ChangedFile
from deeprepo.impact.values import Side
from deeprepo.rlm.values import Cost, Exact, Turn

Tone = Literal["normal", "short"]
Conclusion = Literal["clean", "findings", "incomplete"]  # the result of a review
Interruption = Literal["provider", "interrupted"]
Fault = Literal["", Interruption]  # what cut a review short, other than a limit
# Why a part of the change was not reviewed as configured: the provider's quota or the owner's daily limit is
# used up, the provider doesn't answer, its content filter or the model declines, the change exceeds a limit,
# or the provider rejects the key or the model.
Obstacle = Literal["quota", "provider", "declined", "too_large", "setup"]
Cause = Literal["", Obstacle]
# The result of a review, or what cut it short
ReviewStatus = Literal[Conclusion, Interruption, Obstacle]
Shortfall = Literal["cut", "dropped", "undecided"]  # other reasons to fail a check that has a threshold
# Why a head has no review: "unreviewed" means that it should have one, "left out" that the owner's settings
# exclude it, and "nothing" that it adds nothing to its base.
Lack = Literal["unreviewed", "left out", "nothing"]

IssueProgress = Literal["yes", "partly", "no", "unclear"]  # whether a change does what an issue asks
DiffSide = Literal["RIGHT", "LEFT"]  # side of the diff, in GitHub's terms
LookUpKind = Literal["definition", "uses", "search", "lines", "files"]
# `CoverageRow.by` of a region that only loses lines; takes the place of a check
NOTHING_ADDED = "nothing added"
# The version of the JSON format. It increases if readers of the old format would misread the new one, but not
# for new keys. Builds before 0.2.0 wrote version 1.
SCHEMA_VERSION = 2
Place = Literal["", "inline", "file", "outside", "folded"]


@dataclass(frozen=True, slots=True)
class LookUp:
    """Code that a model requests before it answers."""

    kind: LookUpKind
    name: str = ""  # the name, or the pattern of a search
    path: str = ""  # the file for lines; the folder or glob for files; else a glob that narrows the search
    start: int = 0  # first line, for lines; 0 for the beginning
    end: int = 0  # last line, for lines; 0 for as many as one look-up shows
    side: Side = "head"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The findings of a static check, and the files that it checked completely.

    Only for these files, no finding means something.
    """

    findings: tuple[Finding, ...]
    complete: frozenset[str]  # paths
    unjudged: tuple[tuple[str, str], ...] = ()  # path (empty if it isn't about one file) and reason
    limits: tuple[str, ...] = ()  # sentences about what the check cannot know
    not_run: str = ""  # why a check that only confirms others did not run
    ran: bool = True  # whether such a check had anything to do

    def unjudged_files(self, files: Iterable[ChangedFile]) -> tuple[tuple[str, str], ...]:
        """Return the files without a judgment, including given files that the check reports nothing about."""
        vouched = {path for path, _ in self.unjudged} | self.complete
        silent = ((file.path, "the check did not confirm that it read the whole file") for file in files)
        return (*self.unjudged, *((path, reason) for path, reason in silent if path not in vouched))


@dataclass(frozen=True, slots=True)
class CommentSpot:
    """The lines on which GitHub shows a comment, in one hunk and on one side.

    They may be fewer than the finding's.
    """

    path: Exact[str]  # the file's path in the diff: on the head side, or the old path if it was deleted
    start: int
    end: int  # the line of the comment; equals `start` for a single line
    side: DiffSide


@dataclass(frozen=True, slots=True)
class PlacedFinding:
    """A finding with the place where this review shows it; empty if it isn't shown, or was shown before.

    `replacement` contains whole lines for the spot, tested and with the file's own indentation. `refused`
    says why a suggestion is shown as prose instead.
    """

    finding: Finding
    place: Place = ""
    spot: CommentSpot | None = None
    replacement: str | None = None
    refused: Literal["", "place", "part", "same", "syntax", "shape", "unseen", "long", "secret", "red", "own"] = ""


def in_order(findings: Iterable[PlacedFinding]) -> tuple[PlacedFinding, ...]:
    """Sort findings for display: collapsed ones last, then by severity, then by rank."""
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
    """One item of the coverage, and its state.

    `kind` is "unit": a changed code region; "use": a line that depends on a changed contract; "word": a line
    that still contains a removed name and is connected to it only by that name; "file": a changed file that
    was skipped without confirmation; "search": uses that could not be searched; "commits": commits that were
    not scanned for secrets or have several merge bases; "check": what a static check could not judge;
    "dependent": a file that imports a changed one, for information only.

    An "unread" item is reported as not checked. A use that "relies" on the change could not be judged by a
    static check. It may work or break, and doesn't affect the result.
    """

    kind: Literal["unit", "use", "word", "file", "search", "commits", "check", "dependent"]
    path: Exact[str]
    name: Exact[str]  # of a use: what it depends on, as "path:name"
    state: Literal["reviewed", "reused", "skipped", "unread", "relies"]
    by: Exact[str] = ""  # what covered it, such as "ruff, secrets, contracts" or "worker openai/gpt-5-mini"
    reason: str = ""  # why it was skipped or left unread
    line: int = 0
    checked: Exact[str] = ""  # the checks that judged a region, or the result of comparing a use
    read: Exact[str] = ""  # the model that read it


@dataclass(frozen=True, slots=True)
class Area:
    """One folder of the change, with its number of code regions and its highest risk."""

    folder: Exact[str]
    units: int
    risk: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """What static checks checked, what a model read, and what was not checked, for the whole change."""

    readings: tuple[CoverageRow, ...] = ()
    skipped_files: Exact[tuple[tuple[str, str], ...]] = ()  # (path, reason)
    cut: tuple[str, ...] = ()  # sentences about what was cut by limits
    by_model: bool = True  # whether changed code counts only once a model has read it
    not_installed: Exact[tuple[str, ...]] = ()  # checks with something to do that could not run
    areas: tuple[Area, ...] = ()  # the risk map, riskiest first
    not_run: Exact[tuple[tuple[str, str], ...]] = ()  # type checkers that failed, each with the reason
    is_follow_up: bool = False  # whether only earlier findings were followed up, and the head was not reviewed

    def count(self, kind: str, *states: str) -> int:
        """Return how many items of this kind are in one of these states, or in any state if none is given."""
        return sum(1 for reading in self.readings if reading.kind == kind and (not states or reading.state in states))

    @property
    def open(self) -> tuple[CoverageRow, ...]:
        """The items that should have been checked and were not, most important first."""
        order = {"unit": 0, "file": 1, "use": 2, "word": 3, "search": 4, "commits": 5, "check": 6}
        left = [reading for reading in self.readings if reading.state == "unread" and reading.kind in order]
        return tuple(sorted(left, key=lambda reading: order[reading.kind]))

    @property
    def complete(self) -> bool:
        """Whether nothing is open."""
        return not self.open

    def beside(self, findings: Iterable[Finding]) -> "Coverage":
        """Return the coverage without dependent locations that a finding already shows."""
        told = {(place.path, place.line) for finding in findings for place in (*finding.places, *finding.evidence)}
        return replace(
            self,
            readings=tuple(
                reading
                for reading in self.readings
                if reading.state != "relies" or (reading.path, reading.line) not in told
            ),
        )

    @property
    def relying(self) -> tuple[CoverageRow, ...]:
        """The locations that depend on the change, most important first."""
        return tuple(reading for reading in self.readings if reading.state == "relies")


@dataclass(frozen=True, slots=True)
class IssueReport:
    """A model's answer about an issue that the change closes."""

    number: int
    asks: str
    done: IssueProgress
    missing: str = ""
    round: int = 0  # the review that gave the answer; the change may do more since


@dataclass(frozen=True, slots=True)
class Transcript:
    """The result of a strategy: raw findings, the summary, and how it ended."""

    findings: tuple[Finding, ...] = ()
    summary: str = ""
    turns: tuple[Turn, ...] = ()
    notes: tuple[str, ...] = ()  # for readers of the review: a limit was reached, or the provider failed
    partial: bool = False
    fault: Fault = ""
    reason: str = ""  # how the strategy continued, appended to its reason
    doubts: tuple[str, ...] = ()  # what went wrong with a pass, so that a root should continue, as sentences
    suspicions: tuple[str, ...] = ()  # what a pass could not settle, as sentences
    issues: tuple[IssueReport, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadUnit:
    """A code region that was judged, with a digest of all that was judged."""

    id: Exact[str]
    digest: Exact[str]
    by: Exact[str]  # name of the model or checks
    model: bool = False  # whether a model read it


def read_units(rows: Iterable[tuple[str, str, str]], by_model: Collection[str]) -> tuple[ReadUnit, ...]:
    """Return the code regions in a stored review's rows of id, digest and checker.

    `by_model`: the ids that a model read.
    """
    return tuple(ReadUnit(name, digest, by, name in by_model) for name, digest, by in rows)


@dataclass(frozen=True, slots=True)
class Round:
    """Which review of the same change this is."""

    number: int = 1
    since: Exact[str] = ""  # the previous review's head; empty in the first review
    full: bool = False  # everything was to be read and reported again
    reason: str = ""  # why the earlier review could not be used, as a sentence
    # For the next review: every number given so far with its finding's fingerprint, and the judged code
    # regions.
    numbers: Exact[tuple[tuple[int, str], ...]] = ()
    read: Exact[tuple[ReadUnit, ...]] = ()


@dataclass(frozen=True, slots=True)
class StrategyChoice:
    """How the change was read."""

    name: Exact[str]
    reason: str = ""  # why this strategy


@dataclass(frozen=True, slots=True)
class Cut:
    """What cut a review short, if anything did."""

    partial: bool = False
    fault: Fault = ""
    failure: str = ""  # a provider's failure and what to do, shown first
    cause: Cause = ""  # why models did not review everything, if that is known


@dataclass(frozen=True, slots=True)
class ReportSettings:
    """The settings for a review's conclusion and display."""

    tone: Tone = "normal"
    fail_on: Severity | None = None  # the threshold for the exit code and the conclusion
    strict: bool = False  # with that threshold, whether undecided items fail the check too
    request_changes: Severity | None = None  # the threshold for requesting changes; None for never
    of_features: Mapping[str, bool] = field(default_factory=dict)  # features' switches
    templates: tuple[tuple[str, str], ...] = ()  # the repository's own comment templates: (name, source)
    minimum: Severity = "low"  # findings below it are not reported
    doubts: tuple[str, ...] = ()  # mistakes in settings files that may concern a threshold


@dataclass(frozen=True, slots=True)
class Review:
    """The complete result, for every output."""

    pull: PullRequest
    files: tuple[ChangedFile, ...]
    strategy: StrategyChoice
    # All findings known to this review, with their status; reported ones first
    findings: tuple[PlacedFinding, ...]
    coverage: Coverage
    cost: Cost
    seconds: float
    summary: str = ""
    notes: tuple[str, ...] = ()
    cut: Cut = Cut()
    settings: ReportSettings = ReportSettings()
    dropped: int = 0  # rejected findings
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
        """The open findings that no earlier review had."""
        return tuple(finding for finding in self.open_findings if finding.is_new)

    @property
    def new_places(self) -> int:
        """How many locations are new in earlier findings."""
        return sum(len(placed_finding.finding.tracking.added) for placed_finding in self.reported)

    @property
    def still(self) -> tuple[Finding, ...]:
        """The findings that an earlier review reported and that are still open."""
        return tuple(
            placed_finding.finding
            for placed_finding in self.findings
            if placed_finding.finding.status == "still" and not placed_finding.place
        )

    @property
    def open_findings(self) -> tuple[Finding, ...]:
        """The open findings: those that this review reports, then earlier ones."""
        return (*(placed_finding.finding for placed_finding in self.reported), *self.still)

    @property
    def unproven(self) -> tuple[Finding, ...]:
        """The models' findings that were neither confirmed nor refuted. They are shown on demand."""
        return self.having("unproven")

    @property
    def has_unsettled(self) -> bool:
        """Whether an open finding could be neither confirmed nor refuted."""
        return any(finding.basis.unsettled for finding in self.open_findings)

    def having(self, status: Status) -> tuple[Finding, ...]:
        """Return the findings with this status."""
        return tuple(
            placed_finding.finding for placed_finding in self.findings if placed_finding.finding.status == status
        )

    def without_unproven(self) -> "Review":
        """Return the review without unconfirmed findings, as it is posted."""
        return replace(
            self,
            findings=tuple(
                placed_finding for placed_finding in self.findings if placed_finding.finding.status != "unproven"
            ),
        )

    def reaching(self, bar: Severity | None) -> tuple[Finding, ...]:
        """Return the open findings, new or earlier, that reach the threshold, or none without one.

        A finding that a second model call could not settle reaches no threshold.
        """
        if bar is None:
            return ()
        settled = (finding for finding in self.open_findings if not finding.basis.unsettled)
        return tuple(finding for finding in settled if at_least(finding.severity, bar))

    @property
    def rulings(self) -> tuple[Ruling, ...]:
        """The results of required checks, from all features."""
        parts = (part for part in self.parts.values() if isinstance(part, tuple))
        return tuple(each for part in parts for each in part if isinstance(each, Ruling))

    @property
    def conclusion(self) -> Conclusion:
        """The conclusion. A review with unchecked items or earlier open findings is never clean."""
        if self.open_findings or any(ruling.result == "failed" and ruling.warns for ruling in self.rulings):
            return "findings"
        is_open = self.cut.partial or any(ruling.warns for ruling in self.rulings)
        return "clean" if self.coverage.complete and not is_open else "incomplete"

    @property
    def status(self) -> ReviewStatus:
        """The conclusion, or what cut the review short."""
        return (
            self.cut.fault if self.cut.fault == "interrupted" else self.cut.cause or self.cut.fault or self.conclusion
        )

    @property
    def shortfalls(self) -> tuple[Shortfall, ...]:
        """Why the result is incomplete: a cut-off, undecided findings, or checks without a result."""
        unread = {"search", "file", "commits"} | ({"unit"} if self.coverage.by_model else set())
        cut = bool(self.cut.partial or self.cut.fault or unread & {reading.kind for reading in self.coverage.open})
        rows: tuple[tuple[Shortfall, bool], ...] = (
            ("cut", cut),
            ("dropped", self.dropped > len(self.having("refuted")) or self.has_unsettled),
            ("undecided", any(ruling.severity == "fail" and ruling.lacks_result for ruling in self.rulings)),
        )
        return tuple(name for name, true in rows if true)

    @property
    def lacking(self) -> tuple[Shortfall, ...]:
        """The shortfalls that fail a check, if a failure threshold is set."""
        has_bar = is_threshold_set(self.settings.fail_on, (ruling.severity for ruling in self.rulings))
        return tuple(name for name in self.shortfalls if has_bar and (name != "undecided" or self.settings.strict))

    @property
    def failing(self) -> bool:
        """Whether the check fails, because of a finding, a required check, or a missing result."""
        # A finding below the minimum severity may reach a threshold that was set later
        bar = self.settings.fail_on
        below = bar is not None and any(at_least(finding.severity, bar) for finding in self.having("below"))
        return bool(self.lacking or self.reaching(bar) or below or any(ruling.blocks for ruling in self.rulings))


@dataclass(frozen=True, slots=True)
class Earlier:
    """The last review's results for this one, so that only the changes of a push are read."""

    number: int  # number of the last review
    base: str
    head: str
    units: tuple[ReadUnit, ...] = ()  # the judged code regions
    dependents: tuple[str, ...] = ()  # unchanged files that were read
    # (changed definition, path), if a model read all its uses in that file.
    uses: tuple[tuple[str, str], ...] = ()
    findings: tuple[Finding, ...] = ()  # not known to be fixed: reported, kept back, or silenced
    silenced_identities: frozenset[str] = frozenset()  # identities of silenced findings that were never shown
    files: tuple[str, ...] = ()  # changed at that time
    summary: str = ""
    parts: Mapping[str, object] = field(default_factory=dict)  # what features had added, if they restore it
    issues: tuple[IssueReport, ...] = ()
    numbers: tuple[tuple[int, str], ...] = ()  # every number given so far, with its finding's fingerprint
    unsaid_numbers: frozenset[int] = frozenset()  # numbers of findings that could not be posted
    other_build: str = ""  # the version of the build that made it, if it was another one


@dataclass(frozen=True, slots=True)
class LastReview:
    """The last finished review: all its findings, and the finding of each number."""

    pull: PullRequest
    findings: tuple[Finding, ...]
    numbers: Mapping[int, str]
    open_findings: tuple[Finding, ...] = ()  # the findings that were open then

    def by_identity(self, name: str) -> Finding | None:
        """Return the finding with this identity.

        A guess and a proof in the same location have different identities.
        """
        return next((f for f in self.findings if f.identity == name), None)

    def by_number(self, number: int) -> Finding | None:
        """Return the finding with this number; the latest version if several reviews reported it."""
        return next((f for f in self.findings if f.number == number), None)
