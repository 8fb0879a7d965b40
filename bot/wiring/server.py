"""The parts of a server's jobs: the same pipeline as on the command line, over a change that was fetched, with a journal of its own.

Whatever computes on what a repository holds does so in a child process. A review whose child was ended begins again without the
file that it had in hand; paid calls are in the journal.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Unpack

from bot import config, github, workflow
from bot.brief import Brief
from bot.commands import CommandReply
from bot.commands.conversation import RemarkReply
from bot.config import Config, Settings
from bot.config.policy import No
from bot.errors import ConfigError, OverLimit
from bot.github import Host, Identity, RequestPace
from bot.github.client import GitHubClient
from bot.machine import files
from bot.machine.limits import ProcessLimits
from bot.outputs.posts import Comments
from bot.payloads import CIReport, FixRequest, MadeFix, MadeReview, Question, Remark
from bot.ports import Job
from bot.storage import Store, StoredJournal
from bot.values import Ask, OrganizationFile, OwnerRule, Review, ReviewAsk, Trigger
from bot.values.consumer import PackageRow
from bot.wiring import child, review, tasks
from bot.wiring.tasks import Room
from bot.workflow import Services, Surroundings, fetching, journals
from bot.workflow.organization import OrganizationFiles
from bot.workflow.parts import Defaults
from bot.workflow.progress import Say

SETTINGS = 5  # seconds of computing on an owner's settings
PAGES = 60.0  # seconds for comments to be rendered anew


def worker(
    *, caps: ProcessLimits, **surroundings: Unpack[Surroundings]
) -> tuple[Callable[[Ask, Job], Awaitable[None]], Callable[[Ask, str], Awaitable[None]]]:
    """Who carries out the jobs of a server, and who apologises for those that were given up."""
    store, folder, settings = surroundings["store"], surroundings["folder"], config.environment(on_server=True)
    fetching.swept(folder)
    parts = Services(
        settings=settings,
        review=partial(_review, store, folder, caps),
        answer=partial(_answer, store, folder, caps),
        converse=partial(_converse, store, folder, caps),
        fix=partial(_fix, folder, caps),
        resolve=partial(_resolve, settings, caps),
        defaults=_defaults(settings, surroundings["identity"], surroundings["pace"]),
        no_review_reason=partial(_no_review_reason, caps),
        page=partial(_page, caps),
        ci_failures=partial(_ci_failures, caps),
        packages=partial(_packages, folder, caps),
        comments=partial(_comments, caps),
        model=review.can_ask,
        in_force=review.in_force,
        **surroundings,
    )
    return partial(_carried_out, parts=parts), partial(workflow.apologise, parts=parts)


async def _carried_out(ask: Ask, job: Job, parts: Services) -> None:
    """Do what was asked. What reads the owner's settings loads while GitHub is asked for them: it takes the longer of the two, not both."""
    if isinstance(ask, ReviewAsk):
        child.begin()
    await workflow.carry_out(ask, job, parts)


async def _review(store: Store, folder: Path, caps: ProcessLimits, brief: Brief, say: Say) -> MadeReview:
    """The review, without the files that cannot be read within the limits. Raises OverLimit where nothing can be left out."""
    async with _room(store, folder, brief.journal) as (room, keep):
        known_files = await asyncio.to_thread(_known_files, room.journal)

        async def attempt(left_out: Mapping[str, str]) -> MadeReview:
            return await child.run(tasks.review, brief, room, left_out, caps=caps, say=say, keep=keep)

        return await child.leaving_out(attempt, known_files, partial(_remember, room.journal))


async def _answer(store: Store, folder: Path, caps: ProcessLimits, question: Question) -> CommandReply:
    async with _room(store, folder, question.journal) as (room, keep):
        return await child.run(tasks.answer, question, room, caps=caps, keep=keep)


async def _fix(folder: Path, caps: ProcessLimits, request: FixRequest) -> MadeFix:
    with fetching.room(folder) as scratch:
        return await child.run(tasks.fix, request, scratch, caps=caps)


async def _converse(store: Store, folder: Path, caps: ProcessLimits, remark: Remark) -> RemarkReply:
    async with _room(store, folder, remark.brief.journal) as (room, keep):
        return await child.run(tasks.converse, remark, room, caps=caps, keep=keep)


async def _resolve(
    settings: Settings,
    caps: ProcessLimits,
    file: str | None,
    organization: OrganizationFile | None = None,
) -> Config:
    """Every setting. Raises ConfigError where the owner's file is wrong, or takes too long to be read."""
    if file is None and organization is None:
        return config.resolve({}, None, settings)
    few = replace(caps, cpu=min(caps.cpu, SETTINGS))
    try:
        return await child.run(tasks.settings, _bytes(file), organization, settings, caps=few)
    except OverLimit as error:
        raise ConfigError(f"{config.FILE} cannot be used, {error}: make it simpler") from error


def _defaults(settings: Settings, identity: Identity, pace: RequestPace) -> Defaults:
    """The defaults of the owners whose repositories this server reviews: read with a token for their repository alone, kept for a minute."""
    files_of_owners = OrganizationFiles(settings.organization_repository or config.ORGANIZATION)

    async def read(host: Host, repository: str, *, is_private: bool) -> OrganizationFile | None:
        def inside(name: str) -> AbstractAsyncContextManager[GitHubClient]:
            return github.acting(identity, host.pull.installation, github.READING, pace, name)

        return await files_of_owners.read(host, repository, inside, is_private=is_private)

    return read


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


async def _no_review_reason(caps: ProcessLimits, brief: Brief, commits: Collection[str], trigger: Trigger) -> No | None:
    return await child.run(tasks.no_review_reason, brief, commits, trigger, caps=caps)


async def _page(
    caps: ProcessLimits,
    output: bytes,
    memory: bytes | None,
    ignored_findings: Sequence[tuple[str, str, str]],
    rules: Sequence[OwnerRule],
) -> MadeReview:
    words = tuple(ignored_findings), tuple(rules)
    return await child.run(tasks.page, output, memory, *words, caps=replace(caps, wall=PAGES))


async def _ci_failures(caps: ProcessLimits, output: bytes, report: CIReport) -> str:
    return await child.run(tasks.ci_failures, output, report, caps=replace(caps, wall=PAGES))


async def _packages(folder: Path, caps: ProcessLimits, store: str) -> tuple[PackageRow, ...]:
    with fetching.room(folder) as scratch:
        return await child.run(tasks.packages, store, scratch, caps=replace(caps, wall=PAGES))


def _comments(caps: ProcessLimits, review: Review) -> Comments:
    return child.call(tasks.comments, review, caps=replace(caps, wall=PAGES))


@asynccontextmanager
async def _room(store: Store, folder: Path, journal: str) -> AsyncIterator[tuple[Room, StoredJournal | None]]:
    """A folder for what a child writes. On PostgreSQL the journal stands in the database too: another machine may have to go on."""
    path = journals.path(folder, journal)
    files.folder(path.parent, private=True)
    with fetching.room(folder) as scratch:
        if not store.database.postgres:
            yield Room(path, scratch, sends_journal=False), None
            return
        async with store.journals.hold(journal, path) as keep:
            yield Room(path, scratch, sends_journal=True), keep


def _known_files(journal: Path) -> dict[str, str]:
    """The files that this change's earlier attempts could not read: a restart does not go through them again."""
    try:
        files: dict[str, str] = json.loads(_beside(journal).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return files


def _remember(journal: Path, left_out: Mapping[str, str]) -> None:
    files.write(_beside(journal), json.dumps(dict(left_out)), private=True)


def _beside(journal: Path) -> Path:
    """Beside the journal, under a name that goes with those of its repository when they are deleted."""
    return journal.with_suffix(".left.jsonl")
