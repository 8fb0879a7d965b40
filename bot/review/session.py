"""One review in progress: everything that the root's code, the workers and the strategies share."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from bot.findings import merge
from bot.findings.quotes import check_quotes
from bot.review.coverage import CoverageTracker
from bot.values import (
    Absence,
    ChangedFile,
    Dependents,
    Finding,
    IssueReport,
    PullRequest,
    ReaderNotes,
    Reference,
    ReviewEffort,
    Source,
    Unit,
)
from bot.values.progress import Say
from deeprepo.impact.ports import Tree
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Model

if TYPE_CHECKING:
    from bot.findings.opinion_cache import Opinions
    from bot.review.context.consumer_code import ConsumerCode
    from bot.review.context.file_questions import Part, Sight
    from bot.review.context.look_ups import LookUps
    from bot.review.survey import Survey


@dataclass(frozen=True, slots=True)
class WorkerReply:
    """A worker's reply: prose for the caller, and findings with quotes, not yet checked."""

    text: str
    findings: tuple[Finding, ...] = ()
    error: str = ""  # why there is no reply; the rest of a batch is not lost with it
    dropped_count: int = 0  # findings that their finder could not complete
    doubts: tuple[str, ...] = ()  # suspicions that nothing which was shown could settle, as sentences
    reader_notes: ReaderNotes | None = None  # what the change does, if the worker was asked and has said it
    issues: tuple[IssueReport, ...] = ()  # what it says of the issues that it was shown
    notes: tuple[str, ...] = ()  # sentences for the reader of the review
    answers: tuple[object, ...] = ()  # to what features have asked
    withdrawn: frozenset[int] = frozenset()  # the numbers of findings of its first answer that it takes back, from 1


class Worker(Protocol):
    """The judge of units: a cheap model behind `Calls`, or the analysers when there is no model."""

    @property
    def name(self) -> str:
        """Who it is, as the coverage table says it."""

    @property
    def model(self) -> Model | None:
        """Who reads, None if the analysers do."""

    async def review(self, units: Sequence[Unit], question: str = "") -> WorkerReply:
        """Judge these units (one prompt's worth each; the worker packs them) and mark them as read."""

    async def answer(self, parts: "Sequence[Part]", question: str) -> "Sight":
        """Answer a question about files that are not part of the change; the parts are one prompt's worth."""


Lookup = Callable[[str], Awaitable[Sequence[Reference]]]  # a name -> where it is used


async def _nobody(_: str) -> Sequence[Reference]:
    """The lookup of a session that was given none."""
    return ()


@dataclass(slots=True)
class Results:
    """What a review has come to so far. Mutable on purpose: it grows between the diff and the report."""

    findings: list[Finding] = field(default_factory=list)  # checked, without duplicates
    # Fingerprints of those that a second opinion could not settle
    undecided_fingerprints: set[str] = field(default_factory=set)
    doubts: list[str] = field(default_factory=list)  # what readers of pairs could not settle, as sentences
    refused_count: int = 0  # findings whose quotes the tree does not hold
    notes: list[str] = field(default_factory=list)  # sentences for the reader of the review
    parts: dict[str, object] = field(default_factory=dict)  # of features, by the keys of their sections
    reader_notes: list[ReaderNotes] = field(default_factory=list)  # what models said of what the change does
    issues: tuple[IssueReport, ...] = ()  # what the root said of the issues that the change closes
    answers: list[object] = field(default_factory=list)  # of readers, to what features have asked


@dataclass(slots=True)
class Session:
    """One review in progress: who reads what, with what, and the results so far."""

    survey: "Survey"
    tree: Tree  # as models are shown it
    calls: Calls
    worker: Worker
    analyzers: Worker  # the checks by code; the same as `worker` where there is no model
    root: Model | None = None
    reader: Model | None = None  # the model behind `worker`, where there is one
    others: Sequence[Model] = ()  # that read the diff by itself, in place of the worker's
    workers: Mapping[str, Worker] = field(default_factory=dict)  # that the root's code may ask by name
    keep_on_cancel: bool = False  # an interrupted command still shows what it has
    callers: Lookup = _nobody  # calls of a symbol in the whole tree
    readers: Lookup = _nobody  # reads of a name that nobody calls; `function` is the kind of reading
    look_ups: "LookUps | None" = None  # of readers and second opinions that want to see more; None: nobody may
    consumer_code: "ConsumerCode | None" = None  # of the repositories that use this one, as far as models may see it
    takes_notes: bool = False  # whether models are asked what the change does
    effort: ReviewEffort = "medium"  # how far the review goes
    results: Results = field(default_factory=Results)
    opinions: "Opinions | None" = None  # second opinions on findings; None: nobody gives any
    # What it means that a check by code no longer reports a finding; None: the owner has switched that check off.
    absence: Callable[[Source, Finding], Absence | None] = lambda _source, _finding: "unseen"
    say: Say = lambda _: None  # progress: a line, or what is read and was found by code

    @property
    def pull(self) -> PullRequest:
        """The pull request."""
        return self.survey.pull

    @property
    def files(self) -> tuple[ChangedFile, ...]:
        """The changed files."""
        return self.survey.files

    @property
    def units(self) -> tuple[Unit, ...]:
        """The parts of the change that are judged."""
        return self.survey.units

    @property
    def dependents(self) -> Dependents:
        """Who uses what has changed."""
        return self.survey.dependents

    @property
    def language(self) -> str:
        """The language in which models write what people read."""
        return self.survey.guidance.language

    @property
    def tracker(self) -> CoverageTracker:
        """What was read so far."""
        return self.survey.tracker

    def take_back_cancel(self) -> bool:
        """Return whether the review goes on although a person broke it off: the command still shows what it has."""
        task = asyncio.current_task()
        if task is None or not self.keep_on_cancel:
            return False
        task.uncancel()
        return True


async def verified(session: Session, finding: Finding) -> Finding | str:
    """Return the finding as the trees bear it out, that of a consumer too, or the sentence that says why it cannot stay."""
    if session.consumer_code is not None:
        finding = await session.consumer_code.attribute(finding)
    checked_finding = await check_quotes(finding, session.tree)
    if isinstance(checked_finding, str):
        return checked_finding

    from bot.findings import claims

    return await claims.check_claims(checked_finding, session.tree)


async def check_finding(session: Session, finding: Finding) -> Finding | str:
    """Return the same, counted."""
    checked_finding = await verified(session, finding)
    session.results.refused_count += isinstance(checked_finding, str)
    return checked_finding


async def admit(session: Session, finding: Finding) -> Finding | str:
    """Check a finding against the tree and keep it unless it is there already; else the sentence that says why not."""
    checked_finding = await check_finding(session, finding)
    if isinstance(checked_finding, str):
        return checked_finding
    is_new = merge.add(session.results.findings, checked_finding)
    return session.results.findings[-1] if is_new else "it is reported already"
