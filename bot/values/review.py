"""What comes out: findings with their evidence, the coverage, the cost, the review."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from bot.levels import Severity
from bot.values.change import PullRequest
from bot.values.consumer import ConsumerReport
from bot.values.finding import Finding, Status, at_least, severity_rank
from bot.values.ruling import Ruling, is_bar
from deeprepo.impact.changes import ChangedFile
from deeprepo.impact.values import Side
from deeprepo.rlm.values import Cost, Exact, Turn

Tone = Literal["normal", "short"]
Conclusion = Literal["clean", "findings", "incomplete"]  # what a review comes to
Interruption = Literal["provider", "interrupted"]
Fault = Literal["", Interruption]  # what cut a review short, where it was not a cap
# Why a part of the change was not reviewed as configured: the provider's quota or the owner's daily cap is used up, the provider does not
# answer, its content filter or the model declines, the change is over a limit, or the provider rejects the key or the model.
Obstacle = Literal["quota", "provider", "declined", "too_large", "setup"]
Cause = Literal["", Obstacle]
ReviewStatus = Literal[Conclusion, Interruption, Obstacle]  # what a review comes to, or what cut it short
Shortfall = Literal["cut", "dropped", "undecided"]  # what else fails a check for which a bar is set
# Why a head has no review: it should have one; the owner's own settings leave it out; it adds nothing to its base.
Lack = Literal["unreviewed", "left out", "nothing"]

IssueProgress = Literal["yes", "partly", "no", "unclear"]  # whether a change does what an issue asks
DiffSide = Literal["RIGHT", "LEFT"]  # of the diff, as GitHub says it
LookUpKind = Literal["definition", "uses", "search", "lines", "files"]
NOTHING_ADDED = "nothing added"  # `CoverageRow.by` of a unit that only loses lines: stands for a check
# The form of a review as JSON. It rises when a reader of the old form would misread the new one; new keys don't count. Builds before
# 0.2.0 wrote form 1.
SCHEMA_VERSION = 2
Place = Literal["", "inline", "file", "outside", "folded"]


@dataclass(frozen=True, slots=True)
class LookUp:
    """Code that a model wants to see before it answers."""

    kind: LookUpKind
    name: str = ""  # the name, or the pattern of a search
    path: str = ""  # the file of lines; the folder or glob of files; else a glob that narrows where it is looked for
    start: int = 0  # of lines; 0: from the first
    end: int = 0  # of lines; 0: as many as one look-up shows
    side: Side = "head"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The findings of a static check, and the files that it checked completely.

    Only for these files, no finding means something.
    """

    findings: tuple[Finding, ...]
    complete: frozenset[str]  # paths
    unjudged: tuple[tuple[str, str], ...] = ()  # path (empty: no one file) and the reason
    limits: tuple[str, ...] = ()  # sentences: of what it says nothing because it cannot know
    not_run: str = ""  # why a check that only adds to others did not run
    ran: bool = True  # whether such a check had anything to do

    def unjudged_files(self, files: Iterable[ChangedFile]) -> tuple[tuple[str, str], ...]:
        """Return what of the files that it was given has no judgement, with those about which the check states nothing."""
        vouched = {path for path, _ in self.unjudged} | self.complete
        silent = ((file.path, "the check did not confirm that it read the whole file") for file in files)
        return (*self.unjudged, *((path, reason) for path, reason in silent if path not in vouched))


@dataclass(frozen=True, slots=True)
class CommentSpot:
    """The lines that GitHub is asked to show a comment on; all of one hunk and one side. They may be fewer than the finding's."""

    path: Exact[str]  # as the diff names the file: on the head side, the old path where it was deleted
    start: int
    end: int  # the line that the comment hangs on; equals `start` for one line
    side: DiffSide


@dataclass(frozen=True, slots=True)
class PlacedFinding:
    """A finding with the place where this review shows it; empty: nowhere, as what was said before and what is not said.

    `replacement` are whole lines for the spot's, tried out and with the file's own indentation; `refused` says why a
    suggestion is shown as prose instead.
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
    name: Exact[str]  # of a use: what it relies on, as "path:name"
    state: Literal["reviewed", "reused", "skipped", "unread", "relies"]
    by: Exact[str] = ""  # who covered it: "ruff, secrets, contracts", "worker openai/gpt-5-mini"
    reason: str = ""  # why it was skipped or left unread
    line: int = 0
    checked: Exact[str] = ""  # which checks judged a unit; what comparing a use has shown
    read: Exact[str] = ""  # which model read it


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
    cut: tuple[str, ...] = ()  # sentences: what budgets cut off
    by_model: bool = True  # whether changed code counts only when a model has read it
    not_installed: Exact[tuple[str, ...]] = ()  # checks that had something to look at and could not run
    areas: tuple[Area, ...] = ()  # the risk map, riskiest first
    not_run: Exact[tuple[tuple[str, str], ...]] = ()  # type checkers that failed, each with the reason

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
        """Return the coverage without the places that only rely on the change and that a finding shows already."""
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
    """What a model says of an issue that the change closes."""

    number: int
    asks: str
    done: IssueProgress
    missing: str = ""
    round: int = 0  # in which it was said; the change may do more since


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a strategy hands back: raw findings, what was reported, and how it ended."""

    findings: tuple[Finding, ...] = ()
    summary: str = ""
    turns: tuple[Turn, ...] = ()
    notes: tuple[str, ...] = ()  # sentences for the reader: a cap was reached, the provider went down
    partial: bool = False
    fault: Fault = ""
    reason: str = ""  # how the strategy went on, as the end of the reason for it
    doubts: tuple[str, ...] = ()  # what a reading could not settle, as sentences
    issues: tuple[IssueReport, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadUnit:
    """A code region that was judged, with a digest of all that was judged."""

    id: Exact[str]
    digest: Exact[str]
    by: Exact[str]  # in words
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
    since: Exact[str] = ""  # the head of the round before; empty in the first round
    full: bool = False  # asked to read everything again and to say everything
    reason: str = ""  # why the earlier review could not be built upon, as a sentence
    # What the next round builds upon: every number given so far with the fingerprint of its finding, and the units that were judged.
    numbers: Exact[tuple[tuple[int, str], ...]] = ()
    read: Exact[tuple[ReadUnit, ...]] = ()


@dataclass(frozen=True, slots=True)
class StrategyChoice:
    """How the change was read."""

    name: Exact[str]
    reason: str = ""  # why this one


@dataclass(frozen=True, slots=True)
class Cut:
    """What cut a review short, if anything did."""

    partial: bool = False
    fault: Fault = ""
    failure: str = ""  # of a provider, where that is the fault: the problem and what to do, said before all else
    cause: Cause = ""  # why models did not review everything, if that is known


@dataclass(frozen=True, slots=True)
class ReportSettings:
    """The settings by which a review is concluded, and shown."""

    tone: Tone = "normal"
    fail_on: Severity | None = None  # the bar of the exit code and of the conclusion
    strict: bool = False  # with that bar, whether what nobody has decided fails it too
    request_changes: Severity | None = None  # the bar from which a review requests changes; None: it never does
    of_features: Mapping[str, bool] = field(default_factory=dict)  # their switches
    templates: tuple[tuple[str, str], ...] = ()  # the repository's own comment templates: (name, source)
    minimum: Severity = "low"  # findings below it are not said
    doubts: tuple[str, ...] = ()  # mistakes in settings files that may concern a threshold


@dataclass(frozen=True, slots=True)
class Review:
    """The whole result, as every output reads it."""

    pull: PullRequest
    files: tuple[ChangedFile, ...]
    strategy: StrategyChoice
    findings: tuple[PlacedFinding, ...]  # each that this review knows, with its status; those that it says first
    coverage: Coverage
    cost: Cost
    seconds: float
    summary: str = ""
    notes: tuple[str, ...] = ()
    cut: Cut = Cut()
    settings: ReportSettings = ReportSettings()
    dropped: int = 0  # findings that did not survive the checks
    turns: tuple[Turn, ...] = ()
    version: Exact[str] = ""
    round: Round = Round()
    issues: tuple[IssueReport, ...] = ()
    consumers: tuple[ConsumerReport, ...] = ()  # repositories that use this one, and what became of each
    parts: Mapping[str, object] = field(default_factory=dict)  # what features add to it, by the keys of their sections

    @property
    def reported(self) -> tuple[PlacedFinding, ...]:
        """The findings that this review reports: new ones, and in a full review also earlier ones."""
        return tuple(placed_finding for placed_finding in self.findings if placed_finding.place)

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
        """Return the findings of one status."""
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
        """What it comes to, or what cut it short."""
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
        has_bar = is_bar(self.settings.fail_on, (ruling.severity for ruling in self.rulings))
        return tuple(name for name in self.shortfalls if has_bar and (name != "undecided" or self.settings.strict))

    @property
    def failing(self) -> bool:
        """Whether the check fails, because of a finding, a required check, or a missing result."""
        bar = self.settings.fail_on  # what is below the least severity may reach one that was set later
        below = bar is not None and any(at_least(finding.severity, bar) for finding in self.having("below"))
        return bool(self.lacking or self.reaching(bar) or below or any(ruling.blocks for ruling in self.rulings))


@dataclass(frozen=True, slots=True)
class Earlier:
    """What the last review of the same change hands to this one, so that a push is read in its difference only."""

    number: int  # of its round
    base: str
    head: str
    units: tuple[ReadUnit, ...] = ()  # that were judged
    dependents: tuple[str, ...] = ()  # unchanged files that were read
    # (changed definition, path): uses that a model read, all of them in that file.
    uses: tuple[tuple[str, str], ...] = ()
    findings: tuple[Finding, ...] = ()  # as far as known not fixed: said, kept back, silenced
    silenced_identities: frozenset[str] = frozenset()  # of these, the fingerprints of those that nobody was told of
    files: tuple[str, ...] = ()  # changed at that time
    summary: str = ""
    parts: Mapping[str, object] = field(default_factory=dict)  # what features had added to it, as far as they recall it
    issues: tuple[IssueReport, ...] = ()
    numbers: tuple[tuple[int, str], ...] = ()  # every number given so far, and the fingerprint of its finding
    unsaid_numbers: frozenset[int] = frozenset()  # of findings that could not be posted
    other_build: str = ""  # the version of the build that made it, if that was another one


@dataclass(frozen=True, slots=True)
class LastReview:
    """The last finished review: every finding that it knows, and what each number was given to."""

    pull: PullRequest
    findings: tuple[Finding, ...]
    numbers: Mapping[int, str]
    open_findings: tuple[Finding, ...] = ()  # of the findings, those that were open then

    def by_identity(self, name: str) -> Finding | None:
        """Return the finding of this identity: a word about a guess is not about what code has proven at the same place."""
        return next((f for f in self.findings if f.identity == name), None)

    def by_number(self, number: int) -> Finding | None:
        """Return the finding with this number; the latest version if several reviews reported it."""
        return next((f for f in self.findings if f.number == number), None)
