"""Shared by the tests of jobs: a place that stores jobs, and work that records what it does."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psycopg
from waits import Changes, patience

from bot import storage
from bot.values import CommandJob, CommentRef, Job, PullRef, ReviewJob
from bot.workflow.jobs import Attempt, Jobs, JobSettings


def pull(number: int = 1, *, installation: int = 7, repository: int = 70) -> PullRef:
    return PullRef(installation, repository, "owner", "name", number)


def push(number: int = 1, *, installation: int = 7, repository: int = 70, head: str = "") -> ReviewJob:
    return ReviewJob(pull(number, installation=installation, repository=repository), "push", head=head)


def command(word: str = "help", number: int = 1) -> CommandJob:
    return CommandJob(pull(number), word, "", "ann", CommentRef(5, "issue"))


@dataclass
class Diary:
    """Work that records its jobs, and waits when told to."""

    told: list[str] = field(default_factory=list)
    asks: list[Job] = field(default_factory=list)
    sorry: list[tuple[Job, str]] = field(default_factory=list)
    hold: set[str] = field(default_factory=set)  # where the work waits for release()
    does: Callable[[Job, Attempt], Awaitable[None]] | None = None
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def work(self, job: Job, attempt: Attempt) -> None:
        self.asks.append(job)
        name = called(job)
        await self.tell(f"begin {name}")
        try:
            await attempt.unless_cancelled(self._held(name))
            if self.does is not None:
                await self.does(job, attempt)
        except BaseException as error:
            await self.tell(f"{type(error).__name__} {name}")
            raise
        await self.tell(f"end {name}")

    async def apologise(self, job: Job, why: str) -> None:
        self.sorry.append((job, why))
        await self.tell(f"sorry {called(job)}")

    async def tell(self, what: str) -> None:
        async with self._changed:
            self.told.append(what)
            self._changed.notify_all()

    async def release(self, name: str) -> None:
        async with self._changed:
            self.hold.discard(name)
            self._changed.notify_all()

    async def seen(self, *whats: str) -> None:
        """Wait until all of these have been recorded."""
        async with asyncio.timeout(patience()), self._changed:
            await self._changed.wait_for(lambda: all(what in self.told for what in whats))

    async def _held(self, name: str) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: name not in self.hold)


@dataclass
class Scene:
    """Stored jobs, which outlive the processes that use them."""

    folder: Path
    url: str = ""
    settings: JobSettings = field(init=False)
    changes: Changes = field(default_factory=Changes)  # jobs of `running` that ended

    def __post_init__(self) -> None:
        self.settings = JobSettings(self.folder, self.url, debounce=0.0, pause=0.05, refusal_pause=0.05, poll=0.02)

    @asynccontextmanager
    async def running(
        self, diary: Diary, *, given: dict[str, Any] | None = None, **changes: float
    ) -> AsyncIterator[Jobs]:
        """Run one process with these jobs."""
        settings = replace(self.settings, **changes)  # type: ignore[arg-type]
        async with AsyncExitStack() as stack:
            store = await stack.enter_async_context(storage.open_store(self.url)) if settings.is_shared else None
            jobs = Jobs(settings, store)
            self.changes = Changes()
            self.changes.follow_jobs()
            yield await stack.enter_async_context(jobs.running(diary.work, diary.apologise, **(given or {})))

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        """Query or change the jobs' database while no process is running."""
        if self.url:
            with psycopg.connect(self.url) as connection:
                cursor = connection.execute(statement)
                while cursor.nextset():
                    pass
                return cursor.fetchall() if cursor.description else []
        with closing(sqlite3.connect(self.folder / "jobs.db")) as file, file:
            return file.execute(statement).fetchall()

    async def settled(self, found: Jobs) -> None:
        """Wait until no stored job is unfinished."""

        async def is_idle() -> bool:
            return not any((await found.counts()).values())

        await self.changes.until(is_idle)


async def prepare(scene: Scene) -> None:
    async with scene.running(Diary()) as found:
        await scene.settled(found)


def called(job: Job) -> str:
    return job.word if isinstance(job, CommandJob) else getattr(job, "head", "") or type(job).__name__
