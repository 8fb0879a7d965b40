"""What the jobs of a server are handed: who it is at GitHub, what it has stored, and how a change is reviewed."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bot import config, github
from bot.brief import Brief
from bot.commands import CommandReply
from bot.commands.conversation import RemarkReply
from bot.config import Config, Settings
from bot.config.policy import No
from bot.errors import HostRefused, OverLimit, UsageError
from bot.github import Host, Identity, RequestPace
from bot.jobs import Job, Jobs, asks
from bot.outputs.posts import Comments
from bot.payloads import CIReport, FixRequest, MadeFix, MadeReview, Question, Remark
from bot.render import line, visible
from bot.storage import Failure, Store
from bot.storage.reviews import ReviewEnding
from bot.values import (
    Ask,
    Bases,
    CommandAsk,
    Dismissal,
    OrganizationFile,
    OwnerRule,
    PullFacts,
    PullRef,
    PullRequest,
    RemarkAsk,
    Review,
    ReviewAsk,
    Trigger,
)
from bot.workflow import fetching, pull_state
from bot.workflow.progress import Say
from bot.workflow.pull_state import Defaults, PullState
from impact.packages import PackageRow


@dataclass(frozen=True, slots=True)
class Services:
    """Everything a job needs: what the server brings, and functions that come from `wiring`.

    What computes on a repository's contents (`review`, `answer`, `converse`, `fix`, `resolve`, `no_review_reason`, `comments`) does so in a child process.
    """

    store: Store
    jobs: Jobs
    identity: Identity
    pace: RequestPace
    folder: Path  # of the server's data
    record_metrics: Callable[[Review, str, ReviewEnding], None]  # somebody who counts, by repository
    settings: Settings = field(repr=False)
    prepare: Callable[[], None]  # loads in the background what a child will need
    review: Callable[[Brief, Say], Awaitable[MadeReview]]
    answer: Callable[[Question], Awaitable[CommandReply]]
    converse: Callable[[Remark], Awaitable[RemarkReply]]
    fix: Callable[[FixRequest], Awaitable[MadeFix]]
    # The settings, with the text of the owner's file on the base branch, and on the default branch where that bounds it, and the owner's defaults.
    resolve: Callable[[str | None, OrganizationFile | None], Awaitable[Config]]
    defaults: Defaults
    no_review_reason: Callable[[Brief, Trigger], Awaitable[No | None]]
    # The page of a stored review, under the words that hold now.
    page: Callable[[bytes, bytes | None, Sequence[Dismissal], Sequence[OwnerRule]], Awaitable[MadeReview]]
    ci_failures: Callable[[bytes, CIReport], Awaitable[str]]  # a stored review with them, as JSON
    packages: Callable[[str], Awaitable[tuple[PackageRow, ...]]]  # that a store's repository offers and takes
    comments: Callable[[Review], Comments]  # waits for a process: called in a thread
    model: Callable[[Config], bool]  # whether a model can be asked under these settings
    in_force: Callable[[Config], Config]  # with the models that a key brings

    def alone_with_checks(self, pull: PullRef) -> AbstractAsyncContextManager[None]:
        """Hold the right to begin a check run of this pull request. Whoever waits for it finds the check run that was begun, and uses it."""
        return self.jobs.alone(f"check {pull.key}")

    async def read_pull(self, host: Host) -> PullState:
        """The pull request as it is now."""
        is_paused = await self.store.people.is_paused(host.pull)
        find_bases = partial(self._find_bases, host.pull)
        return await pull_state.read_pull_state(host, config.FILE, self.defaults, find_bases, is_paused=is_paused)

    async def _find_bases(self, pull: PullRef, facts: PullFacts, base: str) -> Bases:
        """Where the head left its base, by git."""
        with fetching.room(self.folder) as folder:
            async with github.reading(self.identity, pull.installation, (pull.repository,), self.pace) as (_, token):
                url = github.git_url(self.identity.api, fetching.today(pull, facts))
                return await fetching.find_bases(url, facts, base, token, folder)

    async def settings_of(self, state: PullState) -> Config:
        """The settings; those of the server alone if the owner's file is wrong, which the review reports."""
        try:
            return await self.resolve(state.file, state.organization)
        except (UsageError, OverLimit):
            return config.resolve({}, None, self.settings)

    @asynccontextmanager
    async def fetch(self, pull: PullRef, state: PullState) -> AsyncIterator[PullRequest]:
        """The change as a pull request of a local store, which is removed afterwards. The token ends before anything is read."""
        with fetching.room(self.folder) as folder:
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
