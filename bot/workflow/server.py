"""What a server's jobs are given: its identity at GitHub, its stored data, and its computations.

Everything that works on repository content runs in a child process: the same pipeline as on the command line,
with its own journal. If a child is killed, the review starts again without the file that it was working on;
paid calls are in the journal.
"""

import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from pydantic import SecretStr

from bot import config, github
from bot.brief import Brief
from bot.commands import CommandReply
from bot.commands.conversation import RemarkReply
from bot.config import Config, Settings
from bot.config.policy import SkipReview
from bot.errors import HostRefused, OverLimit, public
from bot.github import Host, Identity, RequestPace
from bot.github.client import GitHubClient
from bot.github.policy import Recent
from bot.machine import files
from bot.machine.processes import ProcessLimits
from bot.outputs.posts import Comments
from bot.payloads import FixRequest, MadeFix, Question, Remark, Rendered
from bot.render import line, visible
from bot.storage import Failure, Store, StoredJournal
from bot.values import (
    Bases,
    CommandJob,
    Dismissal,
    Job,
    OwnerRule,
    PullFacts,
    PullRef,
    PullRequest,
    RemarkJob,
    Review,
    ReviewJob,
    Trigger,
)
from bot.values.progress import ProgressCallback
from bot.values.review import ReviewStatus
from bot.values.shared_file import SettingsText, SharedFile
from bot.wiring import access, child, tasks
from bot.wiring.tasks import Workspace
from bot.workflow import data_folder, pull_state
from bot.workflow.jobs import Attempt, Jobs, records
from bot.workflow.organization import OrganizationFiles, repository_name
from bot.workflow.pull_state import PullState

SETTINGS_SECONDS = 5  # seconds of CPU time for an owner's settings
PAGES = 60.0  # seconds to render comments again


@dataclass(frozen=True, slots=True)
class Server:
    """What a server's jobs are given. `caps` are the limits of a child process."""

    store: Store
    jobs: Jobs
    identity: Identity
    pace: RequestPace
    folder: Path  # of the server's data
    settings: Settings = field(repr=False)
    recent: Recent  # short-lived cache of what jobs have read
    caps: ProcessLimits
    count_review: Callable[[Review, ReviewStatus], None]  # for the metrics

    def lock_checks(self, pull: PullRef) -> AbstractAsyncContextManager[None]:
        """Let one job at a time start a check run of this pull request, so that the next job reuses it."""
        return self.jobs.alone(f"check {pull.key}")

    async def read_pull(self, host: Host) -> PullState:
        """Return the current pull request."""
        is_paused = await self.store.people.is_paused(host.pull)
        find_bases = partial(self._find_bases, host.pull)
        return await pull_state.read_pull_state(host, config.FILE, self.shared_files, find_bases, is_paused=is_paused)

    async def settings_of(self, state: PullState) -> Config:
        """Return the settings for a pull request."""
        return await self.resolve(state.file, state.shared)

    @asynccontextmanager
    async def fetch(self, pull: PullRef, state: PullState) -> AsyncIterator[PullRequest]:
        """Fetch the change into a temporary local store. The token expires before anything is read."""
        with data_folder.scratch_folder(self.folder) as folder:
            async with self._open_repository(pull) as token:
                change = await pull_state.fetch(self.identity.api, pull, state.facts, state.bases, token, folder)
            yield change

    async def review(self, brief: Brief, say: ProgressCallback) -> Rendered:
        """Review without the files that exceed the limits. Raises OverLimit if nothing can be left out."""
        async with self._workspace(brief.journal) as (workspace, keep):

            async def attempt(left_out: Mapping[str, str], lost: str) -> Rendered:
                given = child.without(brief, left_out, lost)
                limits = child.for_review(self.caps, given)
                return await child.run(tasks.rendered_review, given, workspace, caps=limits, say=say, keep=keep)

            return await child.run_with_fallbacks(attempt, by_model=access.can_ask(brief.settings))

    async def answer(self, question: Question) -> CommandReply:
        """Answer a command that reads the change."""
        async with self._workspace(question.journal) as (workspace, keep):
            limits = child.for_review(self.caps, question.brief)
            return await child.run(tasks.answer, question, workspace, caps=limits, keep=keep)

    async def converse(self, remark: Remark) -> RemarkReply:
        """Answer a remark."""
        async with self._workspace(remark.brief.journal) as (workspace, keep):
            limits = child.for_review(self.caps, remark.brief)
            return await child.run(tasks.converse, remark, workspace, caps=limits, keep=keep)

    async def fix(self, request: FixRequest) -> MadeFix:
        """Fix findings in a copy of the head."""
        with data_folder.scratch_folder(self.folder) as scratch:
            return await child.run(tasks.fix, request, scratch, caps=self.caps)

    async def resolve(self, file: SettingsText, shared: Sequence[SharedFile]) -> Config:
        """Resolve every setting. Settings files that take too long to read are ignored with a warning."""
        if not isinstance(file, bytes) and not shared:
            return config.resolve({}, file, self.settings)
        few = replace(self.caps, cpu=min(self.caps.cpu, SETTINGS_SECONDS))
        try:
            return await child.run(tasks.settings, file, shared, self.settings, caps=few)
        except OverLimit as error:
            unread = (
                f"The settings files were not read, so nothing in them applies ({public(error)}): simplify {config.FILE}",
            )
            return replace(config.resolve({}, None, self.settings), warnings=unread, doubts=unread)

    async def shared_files(self, host: Host, repository: str, *, is_private: bool) -> tuple[SharedFile, ...]:
        """Return the owner's settings, at most a minute old, with a token for the `.deeprepo` repository only."""

        def open_private(name: str) -> AbstractAsyncContextManager[GitHubClient]:
            installation = host.pull.installation
            return github.open_installation(self.identity, installation, github.READ_CONTENTS, self.pace, name)

        files = OrganizationFiles(repository_name(self.settings), self.recent)
        file = await files.read(host, repository, open_private, is_private=is_private)
        return () if file is None else (file,)

    async def no_review_reason(self, brief: Brief, trigger: Trigger) -> SkipReview | None:
        """Return the reason for no review, now that the changed files are known."""
        return await child.run(tasks.no_review_reason, brief, trigger, caps=self.caps)

    async def page(
        self, output: bytes, memory: bytes | None, dismissals: Sequence[Dismissal], rules: Sequence[OwnerRule]
    ) -> Rendered:
        """Render a stored review with today's dismissals and rules."""
        return await child.run(tasks.page, output, memory, dismissals, rules, caps=self._soon)

    def comments(self, review: Review) -> Comments:
        """Render the comments again. Call it in a thread, because it waits for a process."""
        return child.call(tasks.comments, review, caps=self._soon)

    async def _find_bases(self, pull: PullRef, facts: PullFacts, base: str) -> Bases:
        with data_folder.scratch_folder(self.folder) as folder:
            async with self._open_repository(pull) as token:
                return await pull_state.find_bases(self.identity.api, pull, facts, base, token, folder)

    @asynccontextmanager
    async def _open_repository(self, pull: PullRef) -> AsyncIterator[SecretStr]:
        """Yield a token that can only read this repository."""
        opened = github.open_readonly(self.identity, pull.installation, (pull.repository,), self.pace)
        async with opened as (_, token):
            yield token

    @property
    def _soon(self) -> ProcessLimits:
        return replace(self.caps, wall=PAGES)

    @asynccontextmanager
    async def _workspace(self, journal: str) -> AsyncIterator[tuple[Workspace, StoredJournal | None]]:
        """On PostgreSQL the journal is also stored in the database, so that another machine can resume."""
        path, facts = data_folder.journal(self.folder, journal), None
        files.folder(path.parent, private=True)
        if self.settings.cache != "off":
            facts = data_folder.facts(self.folder, journal)
            files.folder(facts.parent, private=True)
        with data_folder.scratch_folder(self.folder) as scratch:
            if not self.store.database.postgres:
                yield Workspace(scratch, path, facts=facts), None
                return
            async with self.store.journals.synchronized(journal, path) as keep:
                yield Workspace(scratch, path, sends_journal=True, facts=facts), keep


@contextmanager
def ignore_missing_on_last_try(attempt: Attempt, after: int | None = None) -> Iterator[None]:
    """Ignore something that GitHub does not know, in the last try or after `after` refusals.

    Other refusals are raised, because they may be temporary.
    """
    try:
        yield
    except HostRefused as refusal:
        if not (refusal.is_gone and (attempt.last or (after is not None and attempt.refusals >= after))):
            raise


async def record_failure(job: Job, why: str, store: Store) -> None:
    """Record a failed review, command or remark until it is tried again.

    Other failures are only logged, or shown in a merge queue's check run.
    """
    if isinstance(job, ReviewJob):
        name, what = job.pull.key, "review"
    elif isinstance(job, CommandJob | RemarkJob):
        word = job.word if isinstance(job, CommandJob) else "remark"
        name, what = f"{job.pull.key}~{job.comment.kind}{job.comment.id}", line(visible(word))
    else:
        return
    failure = Failure(name, job.pull, what, line(visible(why)), records.write(job), time.time())
    await store.failures.record(failure)
