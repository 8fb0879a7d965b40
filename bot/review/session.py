"""Define the state of one running review, which the root's code, the workers and the strategies share."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from bot.findings import merge
from bot.findings.quotes import check_quotes, with_true_text
from bot.review.coverage import CoverageTracker
from bot.sections.overlooked import ListedPlace
from bot.values import (
    Absence,
    ChangedFile,
    Dependents,
    Evidence,
    Finding,
    IssueReport,
    PullRequest,
    ReaderNotes,
    Reference,
    ReviewEffort,
    Source,
    Unit,
)
from bot.values.progress import ProgressCallback
from deeprepo.impact.ports import Tree
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Model

if TYPE_CHECKING:
    from bot.review.context.consumer_code import ConsumerCode
    from bot.review.context.file_questions import Part, Sight
    from bot.review.context.look_ups import LookUps
    from bot.review.dialogues import Dialogues
    from bot.review.survey import Survey


@dataclass(frozen=True, slots=True)
class WorkerReply:
    """A worker's reply: text, and findings with quotes that are not verified yet."""

    text: str
    findings: tuple[Finding, ...] = ()
    error: str = ""  # why there is no reply; other replies in the batch are kept
    reader_notes: ReaderNotes | None = None  # summary of the change, if requested and given
    issues: tuple[IssueReport, ...] = ()  # answers about the issues in the prompt
    notes: tuple[str, ...] = ()  # notes for the readers of the review
    answers: tuple[object, ...] = ()  # answers to features' questions


class Worker(Protocol):
    """Judges code regions: a cheap model behind `Calls`, or the analyzers if there is no model."""

    @property
    def name(self) -> str:
        """The name in the coverage table."""

    @property
    def model(self) -> Model | None:
        """The model, or None for the analyzers."""

    async def review(self, units: Sequence[Unit], question: str = "") -> WorkerReply:
        """Judge these code regions, in prompts that the worker packs, and mark them as read."""

    async def answer(self, parts: "Sequence[Part]", question: str) -> "Sight":
        """Answer a question about files outside the change. The parts must fit into one prompt."""


Lookup = Callable[[str], Awaitable[Sequence[Reference]]]  # a name -> its references


async def _no_references(_: str) -> Sequence[Reference]:
    return ()


@dataclass(slots=True)
class Results:
    """The results of a review so far. Mutable, because it grows while the review runs."""

    findings: list[Finding] = field(default_factory=list)  # verified, without duplicates
    hints: list[Finding] = field(default_factory=list)  # static checks' that are listed instead of reported
    listed: Sequence[ListedPlace] = ()  # what the change may have forgotten, as the root has seen it
    refused_count: int = 0  # workers' findings whose quotes don't exist in the tree
    notes: list[str] = field(default_factory=list)  # notes for the readers of the review
    parts: dict[str, object] = field(default_factory=dict)  # features' results, by section key
    reader_notes: list[ReaderNotes] = field(default_factory=list)  # models' summaries of the change
    issues: tuple[IssueReport, ...] = ()  # the root's answers about the issues that the change closes
    answers: list[object] = field(default_factory=list)  # models' answers to features' questions


@dataclass(slots=True)
class Session:
    """One running review: its models and tools, and the results so far."""

    survey: "Survey"
    tree: Tree  # the tree without secrets, for models
    calls: Calls
    worker: Worker
    analyzers: Worker  # the static checks; equal to `worker` if there is no model
    root: Model | None = None
    reader: Model | None = None  # the model behind `worker`, if any
    others: Sequence[Model] = ()  # models that read only the diff, instead of the worker's model
    # workers that the root's code may call by name
    workers: Mapping[str, Worker] = field(default_factory=dict)
    keep_on_cancel: bool = False  # whether an interrupted command still shows its results
    callers: Lookup = _no_references  # calls of a symbol in the whole tree
    look_ups: "LookUps | None" = None  # code requests by model passes and confirmations; None if not allowed
    # code of the repositories that use this one, if models may see it
    consumer_code: "ConsumerCode | None" = None
    takes_notes: bool = False  # whether models are asked to summarize the change
    effort: ReviewEffort = "medium"  # how thorough the review is
    results: Results = field(default_factory=Results)
    confirming: "Dialogues | None" = None  # with the model that confirms findings; None if none does
    # How to interpret that a static check no longer reports a finding; None if the check is off.
    absence: Callable[[Source, Finding], Absence | None] = lambda _source, _finding: "unseen"
    say: ProgressCallback = lambda _: None  # reports progress: a line, or what is being read and was found so far

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
        """The code regions of the change."""
        return self.survey.units

    @property
    def dependents(self) -> Dependents:
        """The references to changed code."""
        return self.survey.dependents

    @property
    def language(self) -> str:
        """The language in which models write for people."""
        return self.survey.guidance.language

    @property
    def tracker(self) -> CoverageTracker:
        """The coverage so far."""
        return self.survey.tracker

    def take_back_cancel(self) -> bool:
        """Return whether to continue after an interrupt, so that the command can show its results."""
        task = asyncio.current_task()
        if task is None or not self.keep_on_cancel:
            return False
        task.uncancel()
        return True


async def verified(session: Session, finding: Finding) -> Finding | str:
    """Verify a finding against the tree, or a consumer's tree. Returns it, or the reason to reject it."""
    if session.consumer_code is not None:
        finding = await session.consumer_code.attribute(finding)
    tree, masks = session.survey.tree, session.survey.masks
    if not finding.basis.has_model:
        return await check_quotes(finding, tree)
    path = next((file.path for file in session.files if masks.hide_known(file.path) == finding.path), finding.path)
    # In what models are shown. In the files, a quote of a word could confirm a guess of part of a secret.
    found = await check_quotes(replace(finding, path=path), session.tree)
    if isinstance(found, str):
        return found
    places = Evidence(found.path, found.quote, found.start, found.side), *found.evidence
    own, *evidence = [await with_true_text(place, tree) for place in places]
    return replace(found, quote=own.quote, evidence=tuple(evidence))


def as_shown(session: Session, finding: Finding) -> Finding:
    """Return a finding as models see it. If its quote has a secret, its ID doesn't depend on the secret."""
    masked = session.survey.masks.hide(finding)
    return masked if masked.quote == finding.quote else replace(masked, fingerprint=merge.masked_fingerprint(masked))


async def admit(session: Session, finding: Finding) -> None:
    """Verify a finding and add it, or count it if it is rejected. What contracts can't prove is a hint."""
    checked_finding = await verified(session, finding)
    if isinstance(checked_finding, str):
        session.results.refused_count += 1
    elif not finding.proven and {source.name for source in finding.basis.sources} == {"contracts"}:
        session.results.hints.append(replace(checked_finding, fingerprint=merge.fingerprint(checked_finding)))
    else:
        merge.add(session.results.findings, checked_finding)
