"""The parts of a server's jobs: the same pipeline as on the command line, over a change that was fetched, with a journal of its own.

Whatever computes on what a repository holds does so in a child process. A review whose child was ended begins again without the
file that it had in hand; paid calls are in the journal.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Unpack

from bot import config, files, workflow
from bot.commands import CommandReply
from bot.commands.conversation import RemarkReply
from bot.config import Config, Settings
from bot.config.policy import No
from bot.errors import ConfigError, OverLimit
from bot.limits import ProcessLimits
from bot.outputs.posts import Comments
from bot.payloads import Change, Made, Question, Remark
from bot.ports import Job
from bot.storage import Store, StoredJournal
from bot.values import Ask, OwnerRule, PullRequest, Review, ReviewAsk, Trigger
from bot.wiring import child, review, tasks
from bot.wiring.tasks import Room
from bot.workflow import Services, Surroundings, fetching, journals
from bot.workflow.progress import Say

SETTINGS = 5  # seconds of computing on an owner's settings
PAGES = 60.0  # seconds for comments to be rendered anew


def worker(
    *, caps: ProcessLimits, **given: Unpack[Surroundings]
) -> tuple[Callable[[Ask, Job], Awaitable[None]], Callable[[Ask, str], Awaitable[None]]]:
    """Who carries out the jobs of a server, and who apologises for those that were given up."""
    store, folder, settings = given["store"], given["folder"], config.environment(hosted=True)
    fetching.swept(folder)
    parts = Services(
        settings=settings,
        review=partial(_reviewed, store, folder, caps),
        answer=partial(_answered, store, folder, caps),
        converse=partial(_conversed, store, folder, caps),
        resolve=partial(_resolved, settings, caps),
        untouched=partial(_untouched, caps),
        page=partial(_page, caps),
        comments=partial(_comments, caps),
        model=review.can_ask,
        in_force=review.in_force,
        **given,
    )
    return partial(_carried_out, parts=parts), partial(workflow.apologise, parts=parts)


async def _carried_out(ask: Ask, job: Job, parts: Services) -> None:
    """Do what was asked. What reads the owner's settings loads while GitHub is asked for them: it takes the longer of the two, not both."""
    if isinstance(ask, ReviewAsk):
        child.begin()
    await workflow.carry_out(ask, job, parts)


async def _reviewed(store: Store, folder: Path, caps: ProcessLimits, change: Change, say: Say) -> Made:
    """The review, without the files that cannot be read within the limits. Raises OverLimit where nothing can be left out."""
    async with _room(store, folder, change.journal) as (room, keep):
        known = await asyncio.to_thread(_known, room.journal)

        async def attempt(left_out: Mapping[str, str]) -> Made:
            return await child.run(tasks.review, change, room, left_out, caps=caps, say=say, keep=keep)

        return await child.leaving_out(attempt, known, partial(_remember, room.journal))


async def _answered(store: Store, folder: Path, caps: ProcessLimits, asked: Question) -> CommandReply:
    async with _room(store, folder, asked.journal) as (room, keep):
        return await child.run(tasks.answer, asked, room, caps=caps, keep=keep)


async def _conversed(store: Store, folder: Path, caps: ProcessLimits, asked: Remark) -> RemarkReply:
    async with _room(store, folder, asked.change.journal) as (room, keep):
        return await child.run(tasks.converse, asked, room, caps=caps, keep=keep)


async def _resolved(settings: Settings, caps: ProcessLimits, file: str | None, bound: str | None) -> Config:
    """Every setting. Raises ConfigError where the owner's file is wrong, or takes too long to be read."""
    if file is None and not bound:
        return config.resolve({}, None, settings, bound=None if bound is None else b"")
    few = replace(caps, cpu=min(caps.cpu, SETTINGS))
    try:
        return await child.run(tasks.settings, _bytes(file), _bytes(bound), settings, caps=few)
    except OverLimit as error:
        raise ConfigError(f"{config.FILE} cannot be used, {error}: make it simpler") from error


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


async def _untouched(caps: ProcessLimits, pull: PullRequest, resolved: Config, trigger: Trigger) -> No | None:
    return await child.run(tasks.untouched, pull, resolved, trigger, caps=caps)


async def _page(
    caps: ProcessLimits, output: bytes, ignored: Sequence[tuple[str, str, str]], rules: Sequence[OwnerRule]
) -> Made:
    return await child.run(tasks.page, output, tuple(ignored), tuple(rules), caps=replace(caps, wall=PAGES))


def _comments(caps: ProcessLimits, done: Review) -> Comments:
    return child.call(tasks.comments, done, caps=replace(caps, wall=PAGES))


@asynccontextmanager
async def _room(store: Store, folder: Path, journal: str) -> AsyncIterator[tuple[Room, StoredJournal | None]]:
    """A folder for what a child writes. On PostgreSQL the journal stands in the database too: another machine may have to go on."""
    path = journals.path(folder, journal)
    files.folder(path.parent, private=True)
    with fetching.room(folder) as scratch:
        if not store.database.postgres:
            yield Room(path, scratch, kept=False), None
            return
        async with store.journals.kept(journal, path) as keep:
            yield Room(path, scratch, kept=True), keep


def _known(journal: Path) -> dict[str, str]:
    """The files that this change's earlier attempts could not read: a restart does not go through them again."""
    try:
        found: dict[str, str] = json.loads(_beside(journal).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found


def _remember(journal: Path, left_out: Mapping[str, str]) -> None:
    files.write(_beside(journal), json.dumps(dict(left_out)), private=True)


def _beside(journal: Path) -> Path:
    """Beside the journal, under a name that goes with those of its repository when they are deleted."""
    return journal.with_suffix(".left.jsonl")
