"""Set up the state of one review: the purse, the journal, the workers; and close it all again."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from bot import __version__, dependents
from bot.checkout.masked import MaskedTree
from bot.context.look_ups import LookUps
from bot.findings import judge
from bot.findings.suppress import IgnoreList
from bot.journal.codec import Start
from bot.journal.writer import Journal
from bot.llm.budget import Budget
from bot.llm.calls import Calls
from bot.masking.masks import Masks
from bot.ports import Analyzer, Language, Lens, Model, RunnableTree, Tree
from bot.review.analyzer_worker import AnalyzerWorker
from bot.review.coverage import CoverageTracker
from bot.review.guidance import Guidance
from bot.review.incremental import Past
from bot.review.session import Session
from bot.values import (
    ChangedFile,
    CustomCheck,
    Dependents,
    Finding,
    Limits,
    PullRequest,
    Reference,
    ReviewEffort,
    ReviewRequest,
    Unit,
)
from bot.values.consumer import ConsumerImpact

if TYPE_CHECKING:
    from bot.context.consumer_code import ConsumerCode
    from bot.review.workers import ModelWorker


@dataclass(frozen=True, slots=True)
class Models:
    """Who orchestrates and who reads; both None where the review runs offline."""

    root: Model | None
    reader: Model | None


@dataclass(frozen=True, slots=True)
class Survey:
    """The change as the earlier steps have read it."""

    pull: PullRequest
    files: tuple[ChangedFile, ...]
    units: tuple[Unit, ...]
    dependents: Dependents
    tree: RunnableTree
    tracker: CoverageTracker
    request: ReviewRequest | None = None  # what was asked for, where a person asked
    other_inputs: Mapping[str, Any] = field(default_factory=dict)  # what else came from outside, for the record
    past: Past = field(default_factory=Past)  # the round before
    ignore_list: IgnoreList = field(default_factory=IgnoreList)  # what the owner does not want to hear
    guidance: Guidance = field(default_factory=Guidance)  # what the owner asks to look for
    masks: Masks = field(default_factory=Masks)  # what no provider is shown
    consumers: ConsumerImpact = field(default_factory=ConsumerImpact)  # what the change breaks in other repositories
    checks: tuple[CustomCheck, ...] = ()  # of the owner's

    @property
    def is_same(self) -> Callable[[Finding, Finding], bool] | None:
        """What takes two findings for one where people have dismissed claims."""
        return judge.one_defect(judge.dismissed_claims(self.ignore_list, self.past.earlier, self.past.archive))


@asynccontextmanager
async def open_session(
    subject: Survey,
    models: Models,
    analyzers: Mapping[str, Analyzer],
    limits: Limits,
    *,
    languages: Mapping[str, Language],
    journal: Journal | None = None,
    settings: Mapping[str, Any] | None = None,
    lenses: Mapping[str, Lens] | None = None,
    keep_on_cancel: bool = False,
    say: Callable[[str], None] = lambda _: None,
    effort: ReviewEffort = "medium",
    walkthrough: bool = False,
) -> AsyncIterator[Session]:
    """One review in progress. Models' connections and the journal are closed at the end, whatever happens."""
    journal = journal or Journal()
    calls = Calls(Budget(limits), journal, masks=subject.masks)
    subject.tracker.by_model = (
        models.reader is not None
    )  # then what an analyser has judged is checked, and not yet read
    checks = AnalyzerWorker(analyzers, subject.tree, subject.files, subject.dependents, subject.units, subject.tracker)
    tree = MaskedTree(subject.tree, subject.masks)
    look_ups, consumer_code = _look_ups(subject, tree, languages, journal)
    worker = (
        _model_worker(models.reader, subject, calls, lenses or {}, look_ups, walkthrough=walkthrough)
        if models.reader
        else checks
    )
    try:
        notes = journal.begin(_start(subject, models, settings or {}, limits))
        yield Session(
            pull=subject.pull,
            files=subject.files,
            units=subject.units,
            dependents=subject.dependents,
            tree=tree,
            tracker=subject.tracker,
            calls=calls,
            worker=worker,
            checks=checks,
            silence=checks.silence,
            is_same=subject.is_same,
            root=models.root,
            reader=models.reader,
            keep_on_cancel=keep_on_cancel,
            callers=look_ups.callers,
            readers=look_ups.readers,
            look_ups=look_ups,
            consumer_code=consumer_code,
            notes=list(notes),
            walkthrough=walkthrough,
            language=subject.guidance.language,
            effort=effort,
            say=say,
        )
    finally:
        journal.close()
        await _close(models, consumer_code)


async def _close(models: Models, consumer_code: "ConsumerCode | None") -> None:
    if consumer_code is not None:
        await consumer_code.close()
    for open_one in {id(m): m for m in (models.root, models.reader) if m}.values():
        await open_one.close()


def _look_ups(
    subject: Survey, tree: Tree, languages: Mapping[str, Language], journal: Journal
) -> "tuple[LookUps, ConsumerCode | None]":
    """What answers look-ups, and what models may see of consumers; None, and nothing of it loaded, if that is nothing."""
    changed_paths = frozenset(file.path for file in subject.files)

    def over(one: Tree) -> LookUps:
        return LookUps(one, languages, partial(_callers, one, languages), partial(_readers, one), changed_paths)

    if not subject.consumers.readable:
        return over(tree), None
    from bot.context.consumer_code import ConsumerCode

    consumer_code = ConsumerCode(subject.consumers, journal, subject.masks, over)
    return replace(over(tree), beyond=consumer_code.find), consumer_code


def _start(subject: Survey, models: Models, settings: Mapping[str, Any], limits: Limits) -> Start:
    """Return the first row of the record: everything that decides what this review does."""
    return Start(
        pull=subject.pull,
        settings=settings,
        root=models.root.name if models.root else None,
        worker=models.reader.name if models.reader else None,
        version=__version__,
        request=subject.request,
        given={**subject.other_inputs, **({"own": list(limits.own)} if limits.own else {})},
    )


def _model_worker(
    model: Model,
    subject: Survey,
    calls: Calls,
    lenses: Mapping[str, Lens],
    look_ups: "LookUps",
    *,
    walkthrough: bool,
) -> "ModelWorker":
    from bot.review.workers import ModelWorker

    return ModelWorker(
        model, calls, subject.pull, subject.files, subject.tree, subject.tracker, lenses, subject.guidance,
        look_ups=look_ups, walkthrough=walkthrough, consumers=subject.consumers, checks=subject.checks,
    )  # fmt: skip


async def _callers(tree: Tree, languages: Mapping[str, Language], name: str) -> tuple[Reference, ...]:
    return await dependents.callers(tree, name, languages)


async def _readers(tree: Tree, name: str) -> tuple[Reference, ...]:
    """Readers in the form of references: only the name is known, so none of them is sure."""
    rows = await dependents.readers(tree, name)
    return tuple(
        Reference("", name, path, line, text, kind, None, sure=False, test=False) for path, line, text, kind in rows
    )
