"""One review in progress: everything that the root's code, the workers and the strategies share."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from bot.checkout.masked import ShownTree
from bot.findings import merge
from bot.findings.check import check
from bot.findings.judge import Judged
from bot.findings.verify import Ask
from bot.llm.calls import Calls
from bot.masking.masks import Masks
from bot.ports import Model, Tree
from bot.review.coverage import CoverageTracker
from bot.values import (
    ChangedFile,
    Dependents,
    Finding,
    IssueReport,
    PullRequest,
    ReaderNotes,
    Reference,
    ReviewEffort,
    Silence,
    Source,
    Unit,
)

if TYPE_CHECKING:
    from bot.context.file_questions import Part, Sight
    from bot.context.look_ups import LookUps


@dataclass(frozen=True, slots=True)
class WorkerReply:
    """A worker's reply: prose for the caller, and findings with quotes, not yet checked."""

    text: str
    findings: tuple[Finding, ...] = ()
    error: str = ""  # why there is no reply; the rest of a batch is not lost with it
    dropped: int = 0  # findings that their finder could not complete
    open: tuple[str, ...] = ()  # suspicions that nothing which was shown could settle, as sentences
    told: ReaderNotes | None = None  # what the change does, if the worker was asked and has said it
    issues: tuple[IssueReport, ...] = ()  # what it says of the issues that it was shown
    notes: tuple[str, ...] = ()  # sentences for the reader of the review


class Worker(Protocol):
    """The judge of units: a cheap model behind `Calls`, or the analysers when there is no model."""

    @property
    def name(self) -> str:
        """Who it is, as the coverage table says it."""

    async def review(self, units: Sequence[Unit], question: str = "") -> WorkerReply:
        """Judge these units (one prompt's worth each; the worker packs them) and mark them as read."""

    async def look(self, parts: "Sequence[Part]", question: str) -> "Sight":
        """Answer a question about files that are not part of the change; the parts are one prompt's worth."""

    async def prompt(self, texts: Sequence[str]) -> list[WorkerReply]:
        """Free prompts, answered in order, at most `limits.concurrency` in flight."""


Lookup = Callable[[str], Awaitable[Sequence[Reference]]]  # a name -> where it is used


async def _nobody(_: str) -> Sequence[Reference]:
    """The lookup of a session that was given none."""
    return ()


async def _unheard() -> Judged:
    """What is said of the findings where nobody gives second opinions."""
    return Judged((), 0)


async def _at_once() -> None:
    """Nothing is under way."""


@dataclass(slots=True)
class Session:
    """The state of one review. Mutable on purpose: it is what grows between the diff and the findings."""

    pull: PullRequest
    files: tuple[ChangedFile, ...]
    units: tuple[Unit, ...]
    dependents: Dependents
    tree: Tree
    tracker: CoverageTracker
    calls: Calls
    worker: Worker
    checks: Worker  # the analysers; the same as `worker` where there is no model
    root: Model | None = None
    reader: Model | None = None  # the model behind `worker`, where there is one
    keep_on_cancel: bool = False  # an interrupted command still shows what it has
    callers: Lookup = _nobody  # calls of a symbol in the whole tree
    readers: Lookup = _nobody  # reads of a name that nobody calls; `function` is the kind of reading
    look_ups: "LookUps | None" = None  # of readers and second opinions that want to see more; None: nobody may
    findings: list[Finding] = field(default_factory=list)  # checked, without duplicates
    undecided: set[str] = field(default_factory=set)  # fingerprints of those that a second opinion could not settle
    doubts: list[str] = field(default_factory=list)  # what readers of pairs could not settle, as sentences
    refused: int = 0  # findings whose quotes do not stand in the tree
    notes: list[str] = field(default_factory=list)  # sentences for the reader of the review
    tried: list[tuple[str, str]] = field(default_factory=list)  # findings that no test reproduces: the place, and why
    walkthrough: bool = False  # whether models are asked what the change does
    told: list[ReaderNotes] = field(default_factory=list)  # what they said of that
    issues: tuple[IssueReport, ...] = ()  # what the root said of the issues that the change closes
    language: str = "en"  # in which models write what people read
    effort: ReviewEffort = "medium"  # how far the review goes
    judged: Callable[[], Awaitable[Judged]] = _unheard  # the findings so far, each with its second opinion
    # What it means that a check by code no longer reports a finding; None: the owner has switched that check off.
    silence: Callable[[Source, Finding], Silence | None] = lambda _source, _finding: "unseen"
    say: Callable[[str], None] = lambda _: None  # progress, one short line
    on_checked: Callable[[], None] = lambda: None  # called when every check by code is done
    heard: Callable[[Sequence[Finding]], None] = lambda _: None  # begins second opinions while other prompts are out
    settled: Callable[[], Awaitable[None]] = _at_once  # returns when none of these is under way any more

    def hear(self, judged: Judged) -> None:
        """Give the findings the verdicts of their second opinions: who goes on sees what is settled."""
        settled = {(f.fingerprint, f.start): f for f in (*judged.said, *judged.refuted) if not f.verdict.open}
        self.findings[:] = [
            finding if finding.proven else settled.get((finding.fingerprint, finding.start), finding)
            for finding in self.findings
        ]
        self.undecided |= {finding.fingerprint for finding in judged.unproven}

    def second_opinion(self, wanted: bool) -> Ask | None:
        """Who verifies findings: the root, else the worker's model; None where there is no model or it is not wanted."""
        model = self.root or self.reader
        if model is None or not wanted:
            return None

        from bot.review.dialogues import Dialogues

        return Dialogues(self.calls, model, "verify", self.look_ups).answers

    def take_back_cancel(self) -> bool:
        """Whether the review goes on although a person broke it off: the command still shows what it has."""
        task = asyncio.current_task()
        if task is None or not self.keep_on_cancel:
            return False
        task.uncancel()
        return True


async def borne_out(tree: Tree, masks: Masks, finding: Finding) -> Finding | str:
    """The finding as the tree bears it out, or the sentence that says why it cannot stand.

    Of a file with secrets the text counts that readers were shown: what a quote of a part of a secret comes to is no hint at the secret.
    """
    found = await check(finding, tree)
    shown = masks.hide(finding)
    as_shown = await check(shown, ShownTree(tree, masks)) if masks.on else found
    if isinstance(found, str) or isinstance(as_shown, str):
        return found if isinstance(found, str) else str(as_shown)
    places = {(item.path, item.side, item.line) for item in as_shown.evidence}
    found = replace(found, evidence=tuple(i for i in found.evidence if (i.path, i.side, i.line) in places))

    from bot.findings import claims

    return await claims.check(found, tree)


async def checked(session: Session, finding: Finding) -> Finding | str:
    """The same, counted."""
    found = await borne_out(session.tree, session.calls.masks, finding)
    session.refused += isinstance(found, str)
    return found


async def admit(session: Session, finding: Finding) -> Finding | str:
    """Check a finding against the tree and keep it unless it is there already; else the sentence that says why not."""
    found = await checked(session, finding)
    if isinstance(found, str):
        return found
    return session.findings[-1] if merge.add(session.findings, found) else "it is reported already"
