"""Fetch the repositories that use the reviewed one. A failed fetch only costs a sentence in the review.

Only repositories named or allowed by the workflow's author or the operator are fetched, never those that a
change's author names. GitHub is asked for each one's visibility in every review, because it may have changed.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import SecretStr

from bot.checkout import remote
from bot.errors import DeepRepoError, HostError, HostRefused, OverLimit, UsageError
from bot.github import git_url, shapes
from bot.github.client import GitHubClient
from bot.values import PullRef
from bot.values.consumer import TOO_MUCH, NamedConsumer, RepositoryAccess, Visibility

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
class Home:
    """A repository as GitHub shows it now."""

    name: str  # "owner/name"
    standing: RepositoryAccess
    default_branch: str

    @property
    def is_public(self) -> bool:
        """Whether everybody can read it."""
        return self.standing.visibility == "public"


async def look_up(client: GitHubClient, name: str) -> Home:
    """Return a repository by its "owner/name".

    Raises HostError, also if it answers under another name, because it may have been transferred.
    """
    if not is_name(name):
        raise UsageError(NO_NAME)
    owner, _, bare = name.partition("/")
    data = await client.json(client.rest.repos.async_get(owner, bare))
    if str(shapes.at(data, "full_name")).lower() != name.lower():
        raise HostRefused(MOVED, 404)
    return home_of(data)


async def subject(client: GitHubClient, name: str) -> RepositoryAccess:
    """Return who can read the repository under review; if GitHub does not say, the most restrictive answer."""
    try:
        return (await look_up(client, name)).standing
    except (HostError, UsageError):
        return RepositoryAccess(name.partition("/")[0])


def home_of(data: Any) -> Home:  # noqa: ANN401 - JSON
    """Return the repository in GitHub's answer. One with an unknown visibility counts as private."""
    owner, name, visibility = (shapes.at(data, each) for each in ("owner.login", "full_name", "visibility"))
    if visibility not in VISIBILITIES:
        visibility = "public" if shapes.at(data, "private") is False else "private"
    standing = RepositoryAccess(str(owner), cast("Visibility", visibility), id=int(shapes.at(data, "id")))
    return Home(str(name), standing, str(shapes.at(data, "default_branch")))


def is_name(text: str) -> bool:
    """Return whether a text is a valid GitHub "owner/name" that cannot lead to another address."""
    return REPOSITORY_NAME.fullmatch(text) is not None and text.partition("/")[2].strip(".") != ""


def names_in(text: str) -> tuple[str, ...]:
    """Return the unique lines of a text."""
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


async def fetch_all(
    names: Sequence[str], fetch: Callable[[str], Awaitable[NamedConsumer]]
) -> tuple[NamedConsumer, ...]:
    """Fetch all repositories, several at a time, within the time limit. Failures come with the reason."""
    gate, end = asyncio.Semaphore(AT_ONCE), asyncio.get_running_loop().time() + ALL_FETCHES_SECONDS

    async def one(name: str) -> NamedConsumer:
        async with gate:
            try:
                async with asyncio.timeout_at(end):
                    return await fetch(name)
            except TimeoutError:
                return absent(name, LATE)

    rows = await asyncio.gather(*(one(name) for name in names[:MAX_CONSUMERS]))
    why = f"no more than {MAX_CONSUMERS} repositories are checked in one review"
    return (*rows, *(absent(name, why) for name in names[MAX_CONSUMERS:]))


def absent(name: str, problem: str, standing: RepositoryAccess | None = None) -> NamedConsumer:
    """Return a consumer that could not be fetched.

    Without known visibility, only its existence may be shown.
    """
    return NamedConsumer("", name=name, standing=standing or RepositoryAccess(name.partition("/")[0]), problem=problem)


async def fetched(
    home: Home, api: str, token: SecretStr | None, folder: str, seconds: float = FETCH_SECONDS
) -> NamedConsumer:
    """Fetch the last commit of a repository's default branch into a folder below `folder`."""
    try:
        store = await fetch(home, api, token, folder, seconds=seconds)
    except DeepRepoError as error:
        return absent(home.name, fetch_problem(error), home.standing)
    return NamedConsumer(store, name=home.name, standing=home.standing)


async def fetch(
    home: Home, api: str, token: SecretStr | None, folder: str, *, commit: str = "HEAD", seconds: float = FETCH_SECONDS
) -> str:
    """Fetch one commit into a store below `folder` and return the store.

    Raises HostDown, HostRefused or GitError.
    """
    owner, _, name = home.name.partition("/")
    url = git_url(api, PullRef(0, home.standing.id, owner, name, 0))
    store = str(Path(folder, f"consumer-{home.standing.id}.git"))
    await remote.fetch_tip(url, token, store, most_bytes=MAX_CLONE_BYTES, most_seconds=seconds, commit=commit)
    return store


def fetch_problem(error: Exception) -> str:
    """Return why a fetch failed, without the address and name that GitHub's message repeats."""
    if isinstance(error, UsageError):
        return NO_NAME
    if isinstance(error, OverLimit):
        return TOO_MUCH
    if isinstance(error, HostRefused):
        return MOVED if str(error) == MOVED else UNSEEN
    text = str(error).split("\n")[0]
    return text if text.startswith(("it could not be fetched", "the repository is larger")) else "GitHub refused access"
