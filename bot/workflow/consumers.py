"""Fetch consumers from GitHub. If that fails, the review only reports the reason.

Only repositories that the base branch's settings or the workflow list are fetched, never those that a change's
author lists. Every review asks GitHub for each one's visibility, because it may have changed.
"""

import asyncio
import re
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import SecretStr

from bot import github
from bot.checkout import remote
from bot.config.action import Step
from bot.errors import DeepRepoError, HostError, HostRefused, OverLimit, UsageError
from bot.github import Identity, RequestPace, apps, git_url, responses
from bot.github.client import GitHubClient
from bot.values import PullRef
from bot.values.consumer import TOO_MUCH, Audience, Consumers, NamedConsumer, RepositoryAccess, Visibility
from bot.workflow.data_folder import scratch_folder
from bot.workflow.reviewing import ReviewRun

REPOSITORY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}/[A-Za-z0-9._-]{1,100}")
VISIBILITIES = ("public", "internal", "private")
MAX_CONSUMERS = 40  # per review
AT_ONCE = 4  # concurrent fetches
# Bytes and seconds per clone, and seconds per review.
MAX_CLONE_BYTES, FETCH_SECONDS, ALL_FETCHES_SECONDS = 256 << 20, 30.0, 90.0
NO_NAME = "its name must be owner/name"
UNSEEN = "it does not exist, or no token may read it"
MOVED = "it was renamed"
LATE = f"the time limit of {ALL_FETCHES_SECONDS:g} s for all repositories was reached"


@dataclass(frozen=True, slots=True)
class HostedRepository:
    """A repository as GitHub reports it now."""

    name: str  # "owner/name"
    access: RepositoryAccess
    default_branch: str

    @property
    def is_public(self) -> bool:
        """Whether everybody can read it."""
        return self.access.visibility == "public"


async def look_up(client: GitHubClient, name: str) -> HostedRepository:
    """Return the repository with this "owner/name".

    Raises UsageError for an invalid name, and HostError if it cannot be read, or if GitHub redirects to
    another name, because the repository may have been transferred.
    """
    if not is_name(name):
        raise UsageError(NO_NAME)
    owner, _, bare = name.partition("/")
    data = await client.json(client.rest.repos.async_get(owner, bare))
    if str(responses.at(data, "full_name")).lower() != name.lower():
        raise HostRefused(MOVED, 404)
    return hosted_repository(data)


async def subject(client: GitHubClient, name: str) -> RepositoryAccess:
    """Return who can read the reviewed repository.

    If GitHub does not say, the visibility is unknown, and the least is shown.
    """
    try:
        return (await look_up(client, name)).access
    except (HostError, UsageError):
        return RepositoryAccess(name.partition("/")[0])


def hosted_repository(data: Any) -> HostedRepository:  # noqa: ANN401 - JSON
    """Return the repository in GitHub's response. An unknown visibility counts as private."""
    owner, name, visibility = (responses.at(data, each) for each in ("owner.login", "full_name", "visibility"))
    if visibility not in VISIBILITIES:
        visibility = "public" if responses.at(data, "private") is False else "private"
    access = RepositoryAccess(str(owner), cast("Visibility", visibility), id=int(responses.at(data, "id")))
    return HostedRepository(str(name), access, str(responses.at(data, "default_branch")))


def is_name(text: str) -> bool:
    """Return whether a text is a valid GitHub "owner/name" that cannot lead to another address."""
    return REPOSITORY_NAME.fullmatch(text) is not None and text.partition("/")[2].strip(".") != ""


def listed_names(listed: Iterable[str], own: str) -> tuple[str, ...]:
    """Return the valid names in a list, each once, without the reviewed repository's own name."""
    return tuple(dict.fromkeys(name for name in listed if is_name(name) and name.lower() != own.lower()))


async def fetch_all(
    names: Sequence[str], fetch: Callable[[str], Awaitable[NamedConsumer]]
) -> tuple[NamedConsumer, ...]:
    """Fetch all repositories, AT_ONCE at a time. One that fails or is late has a `problem`."""
    gate, end = asyncio.Semaphore(AT_ONCE), asyncio.get_running_loop().time() + ALL_FETCHES_SECONDS

    async def one(name: str) -> NamedConsumer:
        async with gate:
            try:
                async with asyncio.timeout_at(end):
                    return await fetch(name)
            except TimeoutError:
                return not_fetched(name, LATE)

    rows = await asyncio.gather(*(one(name) for name in names[:MAX_CONSUMERS]))
    why = f"no more than {MAX_CONSUMERS} repositories are checked in one review"
    return (*rows, *(not_fetched(name, why) for name in names[MAX_CONSUMERS:]))


def not_fetched(name: str, problem: str, access: RepositoryAccess | None = None) -> NamedConsumer:
    """Return a consumer that could not be fetched. Without `access`, its visibility is unknown."""
    return NamedConsumer("", name=name, access=access or RepositoryAccess(name.partition("/")[0]), problem=problem)


async def fetch_tip(home: HostedRepository, api: str, token: SecretStr | None, folder: str) -> NamedConsumer:
    """Fetch the last commit on a repository's default branch into a store below `folder`."""
    owner, _, name = home.name.partition("/")
    url = git_url(api, PullRef(0, home.access.id, owner, name, 0))
    store = str(Path(folder, f"consumer-{home.access.id}.git"))
    try:
        await remote.fetch_tip(url, token, store, most_bytes=MAX_CLONE_BYTES, most_seconds=FETCH_SECONDS)
    except DeepRepoError as error:
        return not_fetched(home.name, fetch_problem(error), home.access)
    return NamedConsumer(store, name=home.name, access=home.access)


async def fetch_named(
    client: GitHubClient, name: str, api: str, folder: str, token: SecretStr | None = None
) -> NamedConsumer:
    """Fetch a repository's last commit. Without a token, it must be public."""
    try:
        home = await look_up(client, name)
    except (HostError, UsageError) as error:
        return not_fetched(name, fetch_problem(error))
    return await fetch_tip(home, api, token, folder) if token or home.is_public else not_fetched(name, UNSEEN)


def fetch_problem(error: Exception) -> str:
    """Return why a fetch failed, without the address and name that GitHub's message contains."""
    if isinstance(error, UsageError):
        return NO_NAME
    if isinstance(error, OverLimit):
        return TOO_MUCH
    if isinstance(error, HostRefused):
        return MOVED if str(error) == MOVED else UNSEEN
    text = str(error).split("\n")[0]
    return text if text.startswith(("it could not be fetched", "the repository is larger")) else "GitHub refused access"


@asynccontextmanager
async def fetch_for_job(
    run: ReviewRun, identity: Identity, pace: RequestPace, data_folder: Path
) -> AsyncIterator[Consumers]:
    """Fetch the repositories that the settings on the base branch list.

    Those of the same installation are read with a token that covers only them. All others have to be public.
    """
    names = listed_names(run.settings.consumers, run.state.facts.repository.name)
    asking = await subject(run.host.client, run.state.facts.repository.name)
    audience = Audience(asking, run.state.facts.repository.name, can_write=not run.state.stranger)
    ours = await _in_installation(names, run, identity, pace) if audience.can_write else {}
    with scratch_folder(data_folder) as scratch:

        async def public(name: str) -> NamedConsumer:
            return await fetch_named(run.host.client, name, identity.api, scratch)

        others = await fetch_all([name for name in names if name.lower() not in ours], public)
        yield Consumers(audience, (*await _fetch_ours(ours, run, identity, pace, scratch), *others))


async def _in_installation(
    names: tuple[str, ...], run: ReviewRun, identity: Identity, pace: RequestPace
) -> dict[str, HostedRepository]:
    """Return the listed repositories that the App can read, by name in lower case."""
    wanted, installation = {name.lower() for name in names}, run.job.pull.installation
    try:
        async with apps.open_installation(identity, installation, apps.LISTING, pace) as client:
            homes = [hosted_repository(data) async for data in apps.repositories(client)]
    except (HostError, UsageError):
        return {}
    return {home.name.lower(): home for home in homes if home.name.lower() in wanted}


async def _fetch_ours(
    homes: dict[str, HostedRepository], run: ReviewRun, identity: Identity, pace: RequestPace, scratch: str
) -> tuple[NamedConsumer, ...]:
    if not homes:
        return ()
    ids = tuple(home.access.id for home in homes.values())
    try:
        async with github.open_readonly(identity, run.job.pull.installation, ids, pace) as (_, token):

            async def one(name: str) -> NamedConsumer:
                return await fetch_tip(homes[name], identity.api, token, scratch)

            return await fetch_all([*homes], one)
    except HostError as error:
        why = fetch_problem(error)
        return tuple(not_fetched(home.name, why, home.access) for home in homes.values())


@asynccontextmanager
async def fetch_for_step(run: ReviewRun, step: Step) -> AsyncIterator[Consumers]:
    """Fetch the consumers into a temporary folder. If none is listed, GitHub is not asked."""
    repository = f"{run.host.pull.owner}/{run.host.pull.name}"
    listed = (*step.inputs.consumers.split(), *run.settings.consumers)
    names = listed_names(listed, repository)
    if not names:
        yield Consumers(Audience())
        return
    token, api = step.inputs.consumers_token, step.runner.github_api_url
    audience = Audience(await subject(run.host.client, repository), repository, can_write=not run.state.stranger)
    with tempfile.TemporaryDirectory(prefix="deeprepo-", ignore_cleanup_errors=True) as folder:
        async with apps.open_with_token(token or step.inputs.github_token, api, run.host.client.pace) as client:

            async def one(name: str) -> NamedConsumer:
                # Git gets only the consumers' token, because the step's own token is for the reviewed repository.
                return await fetch_named(client, name, api, folder, token if audience.can_write else None)

            yield Consumers(audience, await fetch_all(names, one))
