"""The parts of a server's jobs: the same pipeline as on the command line, over a change that was fetched, with a journal of its own."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from bot import config, pipeline, workflow
from bot.config import Config
from bot.github import Identity, Pace
from bot.outputs import OUTPUTS, posts
from bot.pipeline import Deps
from bot.ports import Job
from bot.rlm import spans
from bot.rlm.journal import Journal
from bot.rlm.work import Work
from bot.storage import Kept, Store
from bot.values import Ask, PullRef, PullRequest, Review, ReviewRequest
from bot.wiring import aside, review
from bot.workflow import Change, Parts, fetching, journals

Opener = Callable[[Change, Callable[[str], None]], AbstractAsyncContextManager[Deps]]


def worker(
    *,
    identity: Identity,
    pace: Pace,
    store: Store,
    folder: Path,
    submit: Callable[[Ask, str], Awaitable[bool]],
    cancel: Callable[[PullRef], Awaitable[bool]],
    forget: Callable[[int, Sequence[int]], Awaitable[int]],
    told: Callable[[Review, str], None],
) -> tuple[Callable[[Ask, Job], Awaitable[None]], Callable[[Ask, str], Awaitable[None]]]:
    """Who carries out the jobs of a server, and who apologises for those that were given up."""
    fetching.swept(folder)
    opened = partial(_opened, store, folder)
    parts = Parts(
        identity=identity,
        pace=pace,
        store=store,
        folder=folder,
        settings=config.environment(hosted=True),
        review=partial(_reviewed, opened),
        work=partial(_work, opened),
        model=_can_ask,
        in_force=review.in_force,
        comments=posts.comments,
        written=OUTPUTS["json"]().render,
        submit=submit,
        cancel=cancel,
        forget=forget,
        told=told,
    )
    return partial(_carry_out, parts), partial(_apologise, parts)


async def _carry_out(parts: Parts, ask: Ask, job: Job) -> None:
    await workflow.carry_out(ask, job, parts)


async def _apologise(parts: Parts, ask: Ask, why: str) -> None:
    await workflow.apologise(ask, why, parts)


async def _reviewed(opened: Opener, change: Change, say: Callable[[str], None]) -> Review:
    """The review, apart from the loop that answers GitHub: it computes for seconds, a delivery waits for none."""
    return await aside.run(_review, opened, change, say)


async def _review(opened: Opener, change: Change, say: Callable[[str], None]) -> Review:
    async with opened(change, say) as deps:
        return await pipeline.review(_request(change), deps)


@asynccontextmanager
async def _work(opened: Opener, change: Change, say: Callable[[str], None]) -> AsyncIterator[Work]:
    """The change, read and opened for a question."""
    async with (
        opened(change, say) as deps,
        pipeline.survey(_request(change), deps) as (subject, settings),
        deps.desk(subject, settings) as work,
    ):
        yield work


@asynccontextmanager
async def _opened(store: Store, folder: Path, change: Change, say: Callable[[str], None]) -> AsyncIterator[Deps]:
    """The parts of one review. On PostgreSQL the journal stands in the database too: another machine may have to go on."""
    path = journals.path(folder, change.journal)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    async with AsyncExitStack() as stack:
        keep = (
            await stack.enter_async_context(store.journals.kept(change.journal, path))
            if store.database.postgres
            else None
        )
        scratch = stack.enter_context(fetching.room(folder))

        async def given(_: ReviewRequest, __: str) -> PullRequest:
            return change.pull

        made = review.deps(change.flags, scratch, say, partial(_book, path, keep), keep_on_cancel=False, hosted=True)
        yield replace(
            made, pull=given, earlier=change.earlier, full=change.full, ignored=change.ignored, note=change.note
        )


def _can_ask(settings: Config) -> bool:
    """Whether a question can be put to a model."""
    named = settings["root"] or settings["worker"] or any(review.preferred())
    return bool(named) and settings["strategy"] != "offline"


def _book(path: Path, keep: Kept | None, _: PullRequest) -> Journal:
    return Journal(path, watch=spans.exporting(config.telemetry()), keep=keep)


def _request(change: Change) -> ReviewRequest:
    return ReviewRequest(change.pull.git_dir, "range", change.pull.base, change.pull.head)
