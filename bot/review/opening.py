"""Set up the state of one review: the budget, the journal, the workers; and close it all again."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from bot import __version__, dependents
from bot.checkout.masked import MaskedTree
from bot.journal.codec import Start
from bot.journal.writer import Journal
from bot.llm.budget import Budget
from bot.llm.calls import Calls
from bot.ports import Analyzer, Language, Lens, Model, Tree
from bot.review.analyzer_worker import AnalyzerWorker
from bot.review.session import Session, Worker
from bot.review.survey import Survey
from bot.values import (
    Limits,
    Reference,
    ReviewEffort,
)


@dataclass(frozen=True, slots=True)
class Models:
    """Who orchestrates and who reads; both None where the review runs offline."""

    root: Model | None
    reader: Model | None


@asynccontextmanager
async def open_session(
    survey: Survey,
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
    calls = Calls(Budget(limits), journal, masks=survey.masks)
    survey.tracker.by_model = models.reader is not None  # then what an analyser has judged is checked, and not yet read
    checks = AnalyzerWorker(analyzers, survey)
    tree = MaskedTree(survey.tree, survey.masks)
    callers, readers = partial(_callers, tree, languages), partial(_readers, tree)
    worker: Worker = checks
    look_ups = None
    if models.root or models.reader:
        from bot.context.look_ups import LookUps  # here: a review without a model loads neither this nor the worker

        look_ups = LookUps(tree, languages, callers, readers, frozenset(file.path for file in survey.files))
    if models.reader:
        from bot.review.workers import ModelWorker

        worker = ModelWorker(models.reader, calls, survey, lenses or {}, look_ups=look_ups, walkthrough=walkthrough)
    try:
        notes = journal.begin(_start(survey, models, settings or {}, limits))
        yield Session(
            survey=survey,
            tree=tree,
            calls=calls,
            worker=worker,
            checks=checks,
            silence=checks.silence,
            is_same=survey.is_same,
            root=models.root,
            reader=models.reader,
            keep_on_cancel=keep_on_cancel,
            callers=callers,
            readers=readers,
            look_ups=look_ups,
            notes=list(notes),
            walkthrough=walkthrough,
            effort=effort,
            say=say,
        )
    finally:
        journal.close()
        for open_one in {id(m): m for m in (models.root, models.reader) if m}.values():
            await open_one.close()


def _start(survey: Survey, models: Models, settings: Mapping[str, Any], limits: Limits) -> Start:
    """Return the first row of the record: everything that decides what this review does."""
    return Start(
        pull=survey.pull,
        settings=settings,
        root=models.root.name if models.root else None,
        worker=models.reader.name if models.reader else None,
        version=__version__,
        request=survey.request,
        given={**survey.other_inputs, **({"own": list(limits.own)} if limits.own else {})},
    )


async def _callers(tree: Tree, languages: Mapping[str, Language], name: str) -> tuple[Reference, ...]:
    return await dependents.callers(tree, name, languages)


async def _readers(tree: Tree, name: str) -> tuple[Reference, ...]:
    """Readers in the form of references: only the name is known, so none of them is sure."""
    rows = await dependents.readers(tree, name)
    return tuple(
        Reference("", name, path, line, text, kind, None, sure=False, test=False) for path, line, text, kind in rows
    )
