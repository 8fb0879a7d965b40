"""What the jobs of a server are handed: who it is at GitHub, what it has stored, and how a change is reviewed."""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from pydantic import TypeAdapter

from bot.brief import Brief
from bot.commands import CommandReply
from bot.commands.conversation import RemarkReply
from bot.config import Config, Settings
from bot.config.policy import No
from bot.errors import HostRefused
from bot.github import Host, Identity, RequestPace
from bot.outputs.posts import Comments
from bot.payloads import CIReport, FixRequest, MadeFix, MadeReview, Question, Remark
from bot.ports import LASTS, Job
from bot.values import Ask, OrganizationFile, OwnerRule, PullRef, Review, ReviewAsk, Trigger
from bot.values.consumer import PackageRow
from bot.workflow.progress import Say

if TYPE_CHECKING:
    from bot.storage import Store


Step = TypeVar("Step")
SilencedFindings = Sequence[tuple[str, str, str]]  # fingerprint, reason, and "finding" or "withdrawn"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a server brings to its jobs. `submit`, `reviews`, `cancel` and `forget` are the queue's own doors."""

    identity: Identity
    pace: RequestPace
    store: "Store"
    folder: Path  # of the server's data
    submit: Callable[[Ask, str], Awaitable[bool]]
    reviews: Callable[[PullRef], Awaitable[Mapping[str, ReviewAsk]]]  # that wait and run, by name
    cancel: Callable[[PullRef, Collection[str] | None], Awaitable[bool]]  # all of them, or these
    forget: Callable[[int, Sequence[int]], Awaitable[int]]  # the jobs of an installation, or of some repositories
    remember_failure: Callable[[Ask, str], Awaitable[None]]  # somebody who remembers what came to nothing, and why
    record_metrics: Callable[[Review, str], None]  # somebody who counts, by repository


class Defaults(Protocol):
    """What reads the defaults of a repository's owner."""

    async def __call__(self, host: Host, repository: str, *, is_private: bool) -> OrganizationFile | None:
        """The defaults for a repository ("owner/name"); `is_private`: whether it is, so that a private file may be shown."""


@dataclass(frozen=True, slots=True)
class Services(Surroundings):
    """Everything a job needs: what the server brings, and functions that come from `wiring`.

    What computes on a repository's contents (`review`, `answer`, `converse`, `fix`, `resolve`, `no_review_reason`, `comments`) does so in a child process.
    """

    settings: Settings = field(repr=False)
    review: Callable[[Brief, Say], Awaitable[MadeReview]]
    answer: Callable[[Question], Awaitable[CommandReply]]
    converse: Callable[[Remark], Awaitable[RemarkReply]]
    fix: Callable[[FixRequest], Awaitable[MadeFix]]
    # The settings, with the text of the owner's file on the base branch, and on the default branch where that bounds it, and the owner's defaults.
    resolve: Callable[[str | None, OrganizationFile | None], Awaitable[Config]]
    defaults: Defaults
    no_review_reason: Callable[[Brief, Trigger], Awaitable[No | None]]
    page: Callable[
        [bytes, bytes | None, SilencedFindings, Sequence[OwnerRule]], Awaitable[MadeReview]
    ]  # of a stored review, under the words that hold now
    ci_failures: Callable[[bytes, CIReport], Awaitable[str]]  # a stored review with them, as JSON
    packages: Callable[[str], Awaitable[tuple[PackageRow, ...]]]  # that a store's repository offers and takes
    comments: Callable[[Review], Comments]  # waits for a process: called in a thread
    model: Callable[[Config], bool]  # whether a model can be asked under these settings
    in_force: Callable[[Config], Config]  # with the models that a key brings


@contextmanager
def unless_gone(job: Job, after: int | None = None) -> Iterator[None]:
    """Go on without what GitHub does not know in the last try (`after`: in the one after so many refusals). Any other refusal is raised: it may pass."""
    try:
        yield
    except HostRefused as refusal:
        if not (refusal.is_gone and (job.last or (after is not None and job.refusals >= after))):
            raise


async def keep(
    job: Job, name: str, form: TypeAdapter[Step], do: Callable[[], Awaitable[Step]], *, lasts: bool = False
) -> Step:
    """What a step of the job comes to, as a value: a later attempt gets what the first one found.

    `lasts`: so does a further try, after GitHub has refused or failed: what a command has done is not done again for its answer.
    """

    async def plain() -> object:
        return cast("object", form.dump_python(await do(), mode="json"))

    return form.validate_python(await job.step(f"{LASTS}{name}" if lasts else name, plain))
