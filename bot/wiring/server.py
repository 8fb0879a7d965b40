"""The parts of a server's jobs: the same pipeline as on the command line, over a change that was fetched, with a journal of its own.

Whatever computes on what a repository holds does so in a child process. A review whose child was ended begins again without the
file that it had in hand; paid calls are in the journal.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bot import config
from bot.brief import Brief
from bot.commands import CommandReply
from bot.commands.conversation import RemarkReply
from bot.config import Config
from bot.config.policy import No
from bot.errors import ConfigError, OverLimit
from bot.github import Host, Identity, RequestPace
from bot.machine import files
from bot.machine.limits import ProcessLimits
from bot.machine.recent import Recent
from bot.outputs.posts import Comments
from bot.payloads import FixRequest, MadeFix, MadeReview, Question, Remark
from bot.storage import Store, StoredJournal
from bot.values import Dismissal, OwnerRule, Review, Trigger
from bot.values.review import ReviewStatus
from bot.values.shared_file import SharedFile
from bot.wiring import access, child, tasks
from bot.wiring.child import Result, Task
from bot.wiring.tasks import Workspace
from bot.workflow import dispatch, fetching, hooks, journals, kept_facts
from bot.workflow.jobs import Apologise, Jobs, Work
from bot.workflow.progress import Say
from bot.workflow.server import Server
from impact.packages import PackageRow

SETTINGS_SECONDS = 5  # seconds of computing on an owner's settings
PAGES = 60.0  # seconds for comments to be rendered anew


def open_work(
    store: Store,
    jobs: Jobs,
    identity: Identity,
    pace: RequestPace,
    folder: Path,
    record_metrics: Callable[[Review, str, ReviewStatus], None],
    caps: ProcessLimits,
) -> tuple[Work, Apologise]:
    """Return who carries out the jobs of a server, and who apologises for those that were given up."""
    settings = config.environment(on_server=True)
    fetching.swept(folder)
    server = ServerWithChildren(store, jobs, identity, pace, folder, settings, Recent(), caps, record_metrics)
    return partial(dispatch.carry_out, server=server), partial(dispatch.apologise, server=server)


@dataclass(frozen=True, slots=True)
class ServerWithChildren(Server):
    """A server that does whatever computes on what a repository holds in a child process, under `caps`."""

    caps: ProcessLimits
    record_metrics: Callable[[Review, str, ReviewStatus], None]  # somebody who counts, by repository

    def count(self, review: Review, repository: str, status: ReviewStatus) -> None:
        """Count a review that was made, by its repository."""
        self.record_metrics(review, repository, status)

    def prepare(self) -> None:
        """Load in the background what a child will need."""
        child.begin()

    async def review(self, brief: Brief, say: Say) -> MadeReview:
        """Review without the files that cannot be read within the limits. Raises OverLimit where nothing can be left out."""
        async with self._workspace(brief.journal) as (workspace, keep):

            async def attempt(left_out: Mapping[str, str], lost: str) -> MadeReview:
                given = tasks.without(brief, left_out, lost)
                limits = child.for_review(self.caps, given)
                return await child.run(tasks.rendered_review, given, workspace, caps=limits, say=say, keep=keep)

            return await child.leaving_out(attempt, by_model=access.can_ask(brief.settings))

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
        return await self._in_scratch(tasks.fix, request, self.caps)

    async def resolve(self, file: str | None, shared: Sequence[SharedFile]) -> Config:
        """Resolve every setting. Raises ConfigError where the owner's file is wrong, or takes too long to be read."""
        if file is None and not shared:
            return config.resolve({}, None, self.settings)
        few = replace(self.caps, cpu=min(self.caps.cpu, SETTINGS_SECONDS))
        try:
            return await child.run(tasks.settings, file, shared, self.settings, caps=few)
        except OverLimit as error:
            raise ConfigError(f"{config.FILE} cannot be used, {error}: make it simpler") from error

    async def shared_files(self, host: Host, repository: str, *, is_private: bool) -> tuple[SharedFile, ...]:
        """Read the settings that a repository shares with others."""
        found = [await hook.shared_files(host, repository, self, is_private=is_private) for hook in hooks.hooks()]
        return tuple(file for files in found for file in files)

    async def no_review_reason(self, brief: Brief, trigger: Trigger) -> No | None:
        """Say why there is no review, now that the changed files are known."""
        return await child.run(tasks.no_review_reason, brief, trigger, caps=self.caps)

    async def page(
        self, output: bytes, memory: bytes | None, dismissals: Sequence[Dismissal], rules: Sequence[OwnerRule]
    ) -> MadeReview:
        """Render a stored review under the words that hold now."""
        return await child.run(tasks.page, output, memory, dismissals, rules, caps=self._soon)

    async def compute(self, task: Task[Result], *values: object) -> Result:
        """Carry out a function of a module in a child process."""
        return await child.run(task, *values, caps=self._soon)

    async def packages(self, store: str) -> tuple[PackageRow, ...]:
        """List what a store's repository offers and takes."""
        return await self._in_scratch(tasks.packages, store, self._soon)

    def comments(self, review: Review) -> Comments:
        """Render the comments anew. It waits for a process: it is called in a thread."""
        return child.call(tasks.comments, review, caps=self._soon)

    def has_model(self, settings: Config) -> bool:
        """Return whether a model can be asked under these settings."""
        return access.can_ask(settings)

    def in_force(self, settings: Config) -> Config:
        """Return the settings with the models that a key brings."""
        return access.in_force(settings)

    @property
    def _soon(self) -> ProcessLimits:
        return replace(self.caps, wall=PAGES)

    async def _in_scratch(self, task: Task[Result], subject: object, caps: ProcessLimits) -> Result:
        """Do the work of a child that writes into a folder which goes with it."""
        with fetching.scratch_folder(self.folder) as scratch:
            return await child.run(task, subject, scratch, caps=caps)

    @asynccontextmanager
    async def _workspace(self, journal: str) -> AsyncIterator[tuple[Workspace, StoredJournal | None]]:
        """Make a folder for what a child writes. On PostgreSQL the journal is stored in the database too, so that another machine can resume."""
        path, facts = journals.path(self.folder, journal), None
        files.folder(path.parent, private=True)
        if self.settings.cache != "off":
            facts = kept_facts.folder(self.folder, journals.repository(journal))
            files.folder(facts.parent, private=True)
        with fetching.scratch_folder(self.folder) as scratch:
            if not self.store.database.postgres:
                yield Workspace(scratch, path, facts=facts), None
                return
            async with self.store.journals.hold(journal, path) as keep:
                yield Workspace(scratch, path, sends_journal=True, facts=facts), keep
