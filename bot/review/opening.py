"""Set up one review (budget, journal, workers), and close it at the end."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from bot.brief import record
from bot.checkout.views import MaskedTree
from bot.machine import build
from bot.ports import Analyzer
from bot.review.analyzer_worker import AnalyzerWorker
from bot.review.session import Results, Session, Worker
from bot.review.survey import Survey
from bot.values import ChangedFile
from bot.values.progress import ProgressCallback
from deeprepo.impact import uses
from deeprepo.impact.ports import Tree
from deeprepo.rlm.errors import ProviderError
from deeprepo.rlm.journal.codec import Start
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.money.budget import Budget
from deeprepo.rlm.money.calls import Calls
from deeprepo.rlm.values import Limits, Model

if TYPE_CHECKING:
    from bot.review.context.consumer_code import ConsumerCode
    from bot.review.context.look_ups import LookUps


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a review; `root` and `reader` are None if it runs offline."""

    root: Model | None
    reader: Model | None
    others: tuple[Model, ...] = ()  # models that read only the diff, instead of the reader


@asynccontextmanager
async def open_session(
    survey: Survey,
    models: Models,
    analyzers: Mapping[str, Analyzer],
    limits: Limits,
    *,
    journal: Journal | None = None,
    keep_on_cancel: bool = False,
    say: ProgressCallback = lambda _: None,
) -> AsyncIterator[Session]:
    """Open a review session, and close the models' connections and the journal at the end."""
    journal, settings = journal or Journal(), survey.brief.settings

    def on_wait(until: float, why: ProviderError) -> None:
        say(f"waiting until {datetime.fromtimestamp(until, UTC):%H:%M:%S} UTC, because {why}")

    calls = Calls(Budget(limits), journal, survey.masks, on_wait=on_wait)
    calls.budget.meet(models.root, models.reader, *models.others)
    # with a model, code that analyzers judged still counts as unread
    survey.tracker.by_model = models.reader is not None
    checks = AnalyzerWorker(analyzers, survey)
    tree = MaskedTree(survey.tree, survey.masks)
    worker: Worker = checks
    takes_notes = settings.walkthrough
    look_ups, consumer_code, confirming = None, None, None
    if models.root or models.reader:  # a review without a model loads neither look-ups nor the model worker
        look_ups, consumer_code = _look_ups(survey, tree, journal)
    model = models.reader if settings.effort == "low" else models.root or models.reader
    if settings.verify and model:
        from bot.review.dialogues import Dialogues

        confirming = Dialogues(calls, model, "verify", look_ups)
    if models.reader:
        from bot.review.workers import ModelWorker

        worker = ModelWorker(models.reader, calls, survey, look_ups=look_ups, takes_notes=takes_notes)
    try:
        notes = journal.begin(_start(survey, models)) if journal.is_read else ()
        yield Session(
            survey=survey,
            tree=tree,
            calls=calls,
            worker=worker,
            analyzers=checks,
            absence=checks.absence,
            root=models.root,
            reader=models.reader,
            others=models.others,
            keep_on_cancel=keep_on_cancel,
            callers=partial(uses.callers, tree),
            look_ups=look_ups,
            consumer_code=consumer_code,
            confirming=confirming,
            results=Results(notes=list(notes)),
            takes_notes=takes_notes,
            effort=settings.effort,
            say=say,
        )
    finally:
        journal.close()
        await _close(models, consumer_code)


async def _close(models: Models, consumer_code: "ConsumerCode | None") -> None:
    if consumer_code is not None:
        await consumer_code.close()
    for open_one in {id(m): m for m in (models.root, models.reader, *models.others) if m}.values():
        await open_one.close()


def _look_ups(survey: Survey, tree: Tree, journal: Journal) -> "tuple[LookUps, ConsumerCode | None]":
    """Return the look-ups, and what models may see of consumers (None if they may see nothing)."""
    over = partial(look_ups_over, files=survey.files)
    if not survey.consumers.readable:
        return over(tree), None
    from bot.review.context.consumer_code import ConsumerCode

    consumer_code = ConsumerCode(survey.consumers, journal, survey.masks, over)
    return replace(over(tree), beyond=consumer_code.find), consumer_code


def look_ups_over(tree: Tree, files: Sequence[ChangedFile]) -> "LookUps":
    """Return the look-ups for models, over one masked tree."""
    from bot.review.context.look_ups import LookUps

    return LookUps(tree, partial(uses.callers, tree), partial(uses.readers, tree), files)


def _start(survey: Survey, models: Models) -> Start:
    return Start(
        subject=asdict(survey.pull),
        brief=record(survey.brief) | survey.masks.hide(survey.consumers).rows(),
        root=models.root.name if models.root else None,
        worker=models.reader.name if models.reader else None,
        version=build.name(),
    )
