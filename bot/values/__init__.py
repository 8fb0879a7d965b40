"""The dataclasses that the pipeline passes from step to step.

They are frozen and slotted, and can be printed and compared. The GitHub App's values (`job`, `host`) are
imported on demand, because a commit hook doesn't need them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bot.levels import EFFORTS, SEVERITIES, ReviewEffort, Severity
from bot.values.change import (
    CommitLines,
    DiffRow,
    Excerpt,
    LinkedIssue,
    PullRequest,
    RawChange,
    TypedChange,
    Unit,
)
from bot.values.finding import (
    CATEGORIES,
    Absence,
    Basis,
    Category,
    Evidence,
    Finding,
    Rewrite,
    Source,
    Status,
    Tracking,
    Verdict,
    at_least,
    less_severe,
    severity_rank,
)
from bot.values.notes import FileNote, ReaderNotes
from bot.values.required_check import RequiredCheck, RequiredCheckResult, RequiredCheckSeverity
from bot.values.review import (
    CommentSpot,
    Coverage,
    CoverageRow,
    Cut,
    EarlierReview,
    IssueReport,
    Judgement,
    LookUp,
    PlacedFinding,
    ReadUnit,
    ReportSettings,
    Review,
    Round,
    StrategyChoice,
    Tone,
    Transcript,
    in_order,
    read_units,
)
from bot.values.rule import Dismissal, LearnedRule, OwnerRule, Rejection, RuleState, Silencing
from deeprepo.impact.changes import (
    ChangedFile,
    ChangedSymbol,
    Contract,
    Dependent,
    Dependents,
    DiffLine,
    Hunk,
    Query,
    Reference,
    TreeEntry,
    UsePlace,
)
from deeprepo.impact.values import Arguments, Clues, Definition, Side, Use

if TYPE_CHECKING:
    from bot.values.host import (
        Access,
        Annotation,
        AnnotationLevel,
        Bases,
        BotIdentity,
        CheckConclusion,
        CheckRun,
        Hidden,
        PostedComment,
        PullFacts,
        RepositoryFacts,
        Thread,
    )
    from bot.values.job import (
        Cancel,
        CatchUp,
        ChecksWanted,
        CommandJob,
        CommentKind,
        CommentRef,
        Follow,
        Forget,
        IgnoredDelivery,
        Job,
        MergeGroup,
        PullJob,
        PullRef,
        Reason,
        Relabeled,
        RemarkJob,
        ReviewJob,
        Trigger,
    )


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the module's own names
    for module in ("job", "host") if not name.startswith("_") else ():
        values = vars(import_module(f"{__name__}.{module}"))
        if name in values:
            return values[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
