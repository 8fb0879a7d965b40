"""The parts of a server's jobs: the same pipeline as on the command line, over a change that was fetched, with a journal of its own.

Whatever computes on what a repository holds does so in a child process. A review whose child was ended begins again without the
file that it had in hand; paid calls are in the journal.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from bot import config, github
from bot.brief import Brief
from bot.commands import CommandReply
from bot.commands.conversation import RemarkReply
from bot.config import Config, Settings
from bot.errors import ConfigError, OverLimit
from bot.github import Host, Identity, RequestPace
from bot.github.client import GitHubClient
from bot.jobs import Apologise, Jobs, Work
from bot.machine import files
from bot.machine.limits import ProcessLimits
from bot.payloads import MadeReview, Question, Remark
from bot.storage import Store, StoredJournal
from bot.storage.reviews import ReviewEnding
from bot.values import OrganizationFile, Review
from bot.wiring import access, child, tasks
from bot.wiring.child import Result, Task
from bot.wiring.tasks import Room
from bot.workflow import dispatch, fetching, journals
from bot.workflow.organization_files import OrganizationFiles
from bot.workflow.progress import Say
from bot.workflow.pull_state import Defaults
from bot.workflow.services import Services

SETTINGS = 5  # seconds of computing on an owner's settings
PAGES = 60.0  # seconds for comments to be rendered anew


def open_work(
    store: Store,
    jobs: Jobs,
    identity: Identity,
    pace: RequestPace,
    folder: Path,
    record_metrics: Callable[[Review, str, ReviewEnding], None],
    caps: ProcessLimits,
) -> tuple[Work, Apologise]:
    """Who carries out the jobs of a server, and who apologises for those that were given up."""
    settings = config.environment(on_server=True)
    fetching.swept(folder)
    soon = replace(caps, wall=PAGES)
    services = Services(
        *(store, jobs, identity, pace, folder, record_metrics, settings),
        prepare=child.begin,
        review=partial(_review, store, folder, caps),
        answer=partial(_answer, store, folder, caps),
        converse=partial(_converse, store, folder, caps),
        fix=partial(_in_scratch, folder, tasks.fix, caps),
        resolve=partial(_resolve, settings, caps),
        defaults=_defaults(settings, identity, pace),
        no_review_reason=partial(child.run, tasks.no_review_reason, caps=caps),
        page=partial(child.run, tasks.page, caps=soon),
        ci_failures=partial(child.run, tasks.ci_failures, caps=soon),
        packages=partial(_in_scratch, folder, tasks.packages, soon),
        comments=partial(child.call, tasks.comments, caps=soon),
        model=access.can_ask,
        in_force=access.in_force,
    )
    return partial(dispatch.carry_out, services=services), partial(dispatch.apologise, services=services)


async def _review(store: Store, folder: Path, caps: ProcessLimits, brief: Brief, say: Say) -> MadeReview:
    """The review, without the files that cannot be read within the limits. Raises OverLimit where nothing can be left out."""
    async with _room(store, folder, brief.journal) as (room, keep):

        async def attempt(left_out: Mapping[str, str], lost: str) -> MadeReview:
            given = tasks.without(brief, left_out, lost)
            limits = child.for_review(caps, given)
            return await child.run(tasks.rendered_review, given, room, caps=limits, say=say, keep=keep)

        return await child.leaving_out(attempt, by_model=access.can_ask(brief.settings))


async def _answer(store: Store, folder: Path, caps: ProcessLimits, question: Question) -> CommandReply:
    async with _room(store, folder, question.journal) as (room, keep):
        limits = child.for_review(caps, question.brief)
        return await child.run(tasks.answer, question, room, caps=limits, keep=keep)


async def _converse(store: Store, folder: Path, caps: ProcessLimits, remark: Remark) -> RemarkReply:
    async with _room(store, folder, remark.brief.journal) as (room, keep):
        limits = child.for_review(caps, remark.brief)
        return await child.run(tasks.converse, remark, room, caps=limits, keep=keep)


async def _resolve(
    settings: Settings, caps: ProcessLimits, file: str | None, organization: OrganizationFile | None = None
) -> Config:
    """Every setting. Raises ConfigError where the owner's file is wrong, or takes too long to be read."""
    if file is None and organization is None:
        return config.resolve({}, None, settings)
    few = replace(caps, cpu=min(caps.cpu, SETTINGS))
    try:
        return await child.run(tasks.settings, file, organization, settings, caps=few)
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


async def _in_scratch(folder: Path, task: Task[Result], caps: ProcessLimits, subject: object) -> Result:
    """The work of a child that writes into a folder which goes with it."""
    with fetching.room(folder) as scratch:
        return await child.run(task, subject, scratch, caps=caps)


@asynccontextmanager
async def _room(store: Store, folder: Path, journal: str) -> AsyncIterator[tuple[Room, StoredJournal | None]]:
    """A folder for what a child writes. On PostgreSQL the journal stands in the database too: another machine may have to go on."""
    path = journals.path(folder, journal)
    files.folder(path.parent, private=True)
    with fetching.room(folder) as scratch:
        if not store.database.postgres:
            yield Room(scratch, path), None
            return
        async with store.journals.hold(journal, path) as keep:
            yield Room(scratch, path, sends_journal=True), keep
