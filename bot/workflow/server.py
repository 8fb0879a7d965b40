"""What the jobs of a server are handed: who it is at GitHub, what it has stored, and what it computes."""

import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from bot import config, github
from bot.brief import Brief
from bot.commands import CommandReply
from bot.commands.conversation import RemarkReply
from bot.config import Config, Settings
from bot.config.policy import No
from bot.errors import HostRefused, OverLimit, UsageError
from bot.github import Host, Identity, RequestPace
from bot.machine.recent import Recent
from bot.outputs.posts import Comments
from bot.payloads import FixRequest, MadeFix, MadeReview, Question, Remark
from bot.render import line, visible
from bot.storage import Failure, Store
from bot.values import (
    Ask,
    Bases,
    CommandAsk,
    Dismissal,
    OwnerRule,
    PullFacts,
    PullRef,
    PullRequest,
    RemarkAsk,
    Review,
    ReviewAsk,
    Trigger,
)
from bot.values.review import ReviewStatus
from bot.values.shared_file import SharedFile
from bot.workflow import fetching, pull_state
from bot.workflow.jobs import Job, Jobs, asks
from bot.workflow.progress import Say
from bot.workflow.pull_state import PullState
from impact.packages import PackageRow

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Server(ABC):
    """What the jobs of a server are handed. `wiring.server` has the one that computes in child processes.

    What computes on a repository's contents (`review`, `answer`, `converse`, `fix`, `resolve`, `no_review_reason`, `comments`) does so over there.
    """

    store: Store
    jobs: Jobs
    identity: Identity
    pace: RequestPace
    folder: Path  # of the server's data
    settings: Settings = field(repr=False)
    recent: Recent  # what jobs have read a moment ago

    @abstractmethod
    def count(self, review: Review, repository: str, status: ReviewStatus) -> None:
        """Count a review that was made, by its repository."""

    @abstractmethod
    def prepare(self) -> None:
        """Load in the background what a child will need."""

    @abstractmethod
    async def review(self, brief: Brief, say: Say) -> MadeReview:
        """Review a change."""

    @abstractmethod
    async def answer(self, question: Question) -> CommandReply:
        """Answer a command that reads the change."""

    @abstractmethod
    async def converse(self, remark: Remark) -> RemarkReply:
        """Answer a remark."""

    @abstractmethod
    async def fix(self, request: FixRequest) -> MadeFix:
        """Fix findings in a copy of the head."""

    @abstractmethod
    async def resolve(self, file: str | None, shared: Sequence[SharedFile]) -> Config:
        """Resolve the settings, with the repository's file on the base branch and those that it shares with others. Raises ConfigError where a file is wrong."""

    @abstractmethod
    async def shared_files(self, host: Host, repository: str, *, is_private: bool) -> tuple[SharedFile, ...]:
        """Read the settings that a repository shares with others."""

    @abstractmethod
    async def no_review_reason(self, brief: Brief, trigger: Trigger) -> No | None:
        """Say why there is no review, now that the changed files are known."""

    @abstractmethod
    async def page(
        self, output: bytes, memory: bytes | None, dismissals: Sequence[Dismissal], rules: Sequence[OwnerRule]
    ) -> MadeReview:
        """Render a stored review under the words that hold now."""

    @abstractmethod
    async def compute(self, task: Callable[..., Coroutine[Any, Any, Result]], *values: object) -> Result:
        """Carry out a function of a module in a child process: it is called with the `ChildPipe` and the values, and has a minute."""

    @abstractmethod
    async def packages(self, store: str) -> tuple[PackageRow, ...]:
        """List what a store's repository offers and takes."""

    @abstractmethod
    def comments(self, review: Review) -> Comments:
        """Render the comments anew. It waits for a process: it is called in a thread."""

    @abstractmethod
    def has_model(self, settings: Config) -> bool:
        """Return whether a model can be asked under these settings."""

    @abstractmethod
    def in_force(self, settings: Config) -> Config:
        """Return the settings with the models that a key brings."""

    def alone_with_checks(self, pull: PullRef) -> AbstractAsyncContextManager[None]:
        """Hold the right to begin a check run of this pull request. Whoever waits for it finds the check run that was begun, and uses it."""
        return self.jobs.alone(f"check {pull.key}")

    async def read_pull(self, host: Host) -> PullState:
        """Return the pull request as it is now."""
        is_paused = await self.store.people.is_paused(host.pull)
        find_bases = partial(self._find_bases, host.pull)
        return await pull_state.read_pull_state(host, config.FILE, self.shared_files, find_bases, is_paused=is_paused)

    async def _find_bases(self, pull: PullRef, facts: PullFacts, base: str) -> Bases:
        """Where the head left its base, by git."""
        with fetching.scratch_folder(self.folder) as folder:
            async with github.reading(self.identity, pull.installation, (pull.repository,), self.pace) as (_, token):
                url = github.git_url(self.identity.api, fetching.today(pull, facts))
                return await fetching.find_bases(url, facts, base, token, folder)

    async def settings_of(self, state: PullState) -> Config:
        """Return the settings; those of the server alone if the owner's file is wrong, which the review reports."""
        try:
            return await self.resolve(state.file, state.shared)
        except (UsageError, OverLimit):
            return config.resolve({}, None, self.settings)

    @asynccontextmanager
    async def fetch(self, pull: PullRef, state: PullState) -> AsyncIterator[PullRequest]:
        """Fetch the change as a pull request of a local store, which is removed afterwards. The token ends before anything is read."""
        with fetching.scratch_folder(self.folder) as folder:
            async with github.reading(self.identity, pull.installation, (pull.repository,), self.pace) as (_, token):
                url = github.git_url(self.identity.api, fetching.today(pull, state.facts))
                store = await fetching.fill_store(url, state.facts, state.bases, token, folder)
            yield fetching.as_pull_request(state.facts, state.bases, store)


@contextmanager
def unless_gone(job: Job, after: int | None = None) -> Iterator[None]:
    """Go on without what GitHub does not know in the last try (`after`: in the one after so many refusals). Any other refusal is raised: it may pass."""
    try:
        yield
    except HostRefused as refusal:
        if not (refusal.is_gone and (job.last or (after is not None and job.refusals >= after))):
            raise


async def remember_failure(ask: Ask, why: str, store: Store) -> None:
    """Keep what came to nothing until it is tried again: the last review of a pull request, a comment's command or remark.

    What nobody waits for (a cancellation) is in the log alone, and a merge queue that stops in its check run.
    """
    if isinstance(ask, ReviewAsk):
        name, what = ask.pull.key, "review"
    elif isinstance(ask, CommandAsk | RemarkAsk):
        word = ask.word if isinstance(ask, CommandAsk) else "remark"
        name, what = f"{ask.pull.key}~{ask.comment.kind}{ask.comment.id}", line(visible(word))
    else:
        return
    row = Failure(name, ask.pull, what, line(visible(why)), asks.write(ask), time.time())
    await store.failures.record(row)
