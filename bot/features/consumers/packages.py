"""Index the packages that an installation's repositories publish and use, in the background.

Each repository is read with a token that covers only that repository. If it is too large, hostile or missing,
the index only contains the reason.
"""

import logging
import os
import re
import shutil
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

from pydantic import SecretStr

from bot import github
from bot.errors import DeepRepoError, GitError, HostError, HostRefused, OverLimit, SupersededError, UsageError
from bot.features.consumers import fetching as consumers
from bot.features.consumers.disclosure import disclosure
from bot.features.consumers.fetching import HostedRepository
from bot.features.consumers.settings import ConsumerSettings
from bot.features.consumers.variables import ConsumerVariables
from bot.github import apps, shapes
from bot.github.client import GitHubClient
from bot.machine import files
from bot.storage.packages import PackageHome
from bot.values import PackageSurvey, PullRef
from bot.values.consumer import Audience, Consumers, NamedConsumer, RepositoryAccess
from bot.workflow.fetching import scratch_folder
from bot.workflow.jobs import Job
from bot.workflow.reviewer import ReviewRun
from bot.workflow.server import Server

log = logging.getLogger("deeprepo.review")
MAX_REPOSITORIES = 500  # repositories per installation
SURVEY_SECONDS = 1_200.0  # time limit per installation; the next survey continues
SURVEYED_SECONDS = 86_400.0  # a repository is read again after this time, even without an event
REVIEW_SECONDS = 8.0  # time limit for a clone that a review has to fetch
NOT_YET = (
    "The repositories that use this one are still being indexed in the background. The next review will check them."
)
DEFAULT_MEGABYTES = 2_000


async def survey(ask: PackageSurvey, _: Job, server: Server) -> None:
    """Index one repository, or all of an installation's repositories that were not read recently."""
    if not server.settings.of(ConsumerVariables).is_on:
        return
    try:
        homes = await _homes(ask, server)
    except HostRefused as refused:
        if not refused.is_gone:
            raise
        return
    known_homes = await server.store.packages.homes(ask.installation)
    end = time.monotonic() + SURVEY_SECONDS
    for home in homes[:MAX_REPOSITORIES]:
        before = known_homes.get(home.access.id)
        is_due = ask.repository or before is None or before.problem or time.time() - before.read_at > SURVEYED_SECONDS
        if is_due and time.monotonic() < end:
            await _look(ask.installation, home, before, server)
    make_room(server.folder, (server.settings.of(ConsumerVariables).consumers_megabytes or DEFAULT_MEGABYTES) << 20)
    log.info("packages were indexed", extra={"facts": {"installation": ask.installation, "repositories": len(homes)}})


async def _homes(ask: PackageSurvey, server: Server) -> list[HostedRepository]:
    """Return the repositories to index. They are listed with a token that has no access to contents."""
    async with apps.open_installation(
        server.identity, ask.installation, apps.LISTING, server.pace, ask.repository
    ) as client:
        return [home async for home in _listing(client)]


async def _listing(client: GitHubClient) -> AsyncIterator[HostedRepository]:
    """Yield the repositories that an installation's token covers."""
    async for data in apps.repositories(client):
        yield consumers.hosted_repository(data)


async def _look(installation: int, home: HostedRepository, before: PackageHome | None, server: Server) -> None:
    """Index one repository, and store its clone if it uses any package.

    If the repository cannot be read, its old rows remain, together with the reason. Raises HostError while
    GitHub is down.
    """
    package_home, problem = PackageHome(installation, home.access.id, home.name, "", time.time()), ""
    try:
        async with github.open_readonly(server.identity, installation, (home.access.id,), server.pace) as (
            client,
            token,
        ):
            owner, _, name = home.name.partition("/")
            branch = await client.json(client.rest.repos.async_get_branch(owner, name, home.default_branch))
            package_home = replace(package_home, commit_id=str(shapes.at(branch, "commit.sha")))
            if before is not None and before.commit_id == package_home.commit_id and not before.problem:
                await server.store.packages.note_read(package_home)
            else:
                problem = await _read(home, package_home, token, server)
    except HostRefused as refused:
        problem = consumers.fetch_problem(refused)
    if problem:
        await server.store.packages.note_read(
            replace(before or package_home, read_at=package_home.read_at, problem=problem)
        )


async def _read(home: HostedRepository, package_home: PackageHome, token: SecretStr, server: Server) -> str:
    """Store what a repository publishes and uses at this commit. Return why it could not be read, or ""."""
    with scratch_folder(server.folder) as scratch:
        try:
            store = await consumers.fetch(home, server.identity.api, token, scratch, commit=package_home.commit_id)
            rows = await server.packages(store)
        except (HostError, GitError, UsageError, SupersededError, OverLimit) as error:
            return consumers.fetch_problem(error)
        await server.store.packages.save(package_home, rows)
        if any(package.role == "takes" for package in rows):
            keep_clone(server.folder, store, home.access.id, package_home.commit_id)
    return ""


@asynccontextmanager
async def fetch_users(run: ReviewRun, server: Server) -> AsyncIterator[Consumers]:
    """Yield the installation's repositories that use the reviewed one, and who can read the review.

    The repository's own settings can limit the consumers to a list. The settings come from the base branch,
    so a change's author cannot choose. Stored clones are reused. Fetching a missing one may take
    REVIEW_SECONDS.
    """
    pull, most = run.ask.pull, server.settings.of(ConsumerVariables).consumers_shown or "existence"
    audience = Audience(RepositoryAccess(pull.owner), most, is_stranger=run.state.stranger)
    if not server.settings.of(ConsumerVariables).is_on:
        yield Consumers(audience)
        return
    audience = replace(audience, subject=await consumers.subject(run.host.client, run.state.facts.repository.name))
    known_homes = await server.store.packages.homes(pull.installation)
    await _refresh(pull, known_homes, server)
    entries = [name for name in run.settings.of(ConsumerSettings).consumers if consumers.is_name(name)]
    chosen = {name.lower() for name in entries}
    users = await server.store.packages.users(pull.installation, pull.repository)
    if chosen:  # includes repositories that only use a schema, which no manifest lists
        named = (home for home in known_homes.values() if home.commit_id and home.name.lower() in chosen)
        users = tuple(home for home in named if home.repository != pull.repository)
    with scratch_folder(server.folder) as scratch:
        asked = users[: consumers.MAX_CONSUMERS]
        own = await _own(asked, audience, run, server, scratch) if asked else ()
        others: tuple[NamedConsumer, ...] = ()
        if server.settings.of(ConsumerVariables).consumers == "any":
            foreign = [name for name in entries if name.partition("/")[0].lower() != pull.owner.lower()]
            others = await _public(foreign, run, server, scratch)
        yield Consumers(audience, (*own, *others), "" if pull.repository in known_homes else NOT_YET)


async def _refresh(pull: PullRef, known_homes: Mapping[int, PackageHome], server: Server) -> None:
    """Submit a survey, at most once an hour, if the index is empty, incomplete or old, or has problems."""
    now = time.time()
    hour = f"refresh-{int(now // 3600)}"
    if not known_homes or any(home.problem or now - home.read_at > SURVEYED_SECONDS for home in known_homes.values()):
        await server.jobs.submit(PackageSurvey(pull.installation), hour)
    elif pull.repository not in known_homes:
        await server.jobs.submit(PackageSurvey(pull.installation, pull.repository), hour)


async def _own(
    rows: Sequence[PackageHome], audience: Audience, run: ReviewRun, server: Server, scratch: str
) -> tuple[NamedConsumer, ...]:
    """Fetch the installation's repositories, with one token that covers only them."""
    installation, shown_rows = run.ask.pull.installation, list(rows)
    try:
        ids = tuple(package.repository for package in rows)
        async with github.open_readonly(server.identity, installation, ids, server.pace) as (client, token):
            homes = {home.access.id: home async for home in _listing(client)}

            async def one(name: str) -> NamedConsumer:
                row = next(each for each in rows if each.name == name)
                return await _find_or_fetch(row, homes.get(row.repository), token, server, scratch)

            shown_rows = [package for package in rows if _may_be_shown(homes.get(package.repository), audience)]
            return await consumers.fetch_all([package.name for package in shown_rows], one)
    except HostError as error:
        return tuple(consumers.not_fetched(package.name, consumers.fetch_problem(error)) for package in shown_rows)


def _may_be_shown(home: HostedRepository | None, audience: Audience) -> bool:
    """Return whether anything about the consumer may be shown. If not, it is not checked."""
    return home is None or disclosure(audience, replace(home.access, shows="lines")) != "nothing"


async def _find_or_fetch(
    package_home: PackageHome, home: HostedRepository | None, token: SecretStr, server: Server, scratch: str
) -> NamedConsumer:
    """Return a consumer with its clone at the indexed commit. A missing clone is fetched and stored."""
    if home is None:
        return consumers.not_fetched(package_home.name, consumers.UNSEEN)
    path = find_clone(server.folder, package_home.repository, package_home.commit_id)
    if path is None:
        try:
            api, commit = server.identity.api, package_home.commit_id
            store = await consumers.fetch(home, api, token, scratch, commit=commit, seconds=REVIEW_SECONDS)
        except DeepRepoError as error:
            return consumers.not_fetched(home.name, consumers.fetch_problem(error), home.access)
        path = keep_clone(server.folder, store, package_home.repository, package_home.commit_id)
    return NamedConsumer(str(path), name=home.name, access=home.access)


async def _public(names: Sequence[str], run: ReviewRun, server: Server, scratch: str) -> tuple[NamedConsumer, ...]:
    """Fetch other owners' public repositories, without a token."""

    async def one(name: str) -> NamedConsumer:
        try:
            home = await consumers.look_up(run.host.client, name)
            if not home.is_public:
                return consumers.not_fetched(name, consumers.UNSEEN)
        except (HostError, UsageError) as error:
            return consumers.not_fetched(name, consumers.fetch_problem(error))
        return await consumers.fetch_tip(home, server.identity.api, None, scratch, REVIEW_SECONDS)

    return await consumers.fetch_all(names, one)


CLONES_FOLDER = "consumers"
IN_USE = 900.0  # seconds; a clone that was used more recently is not deleted, because a review may read it
_CLONE_NAME = re.compile(r"(\d+)-([0-9a-f]{40,64})\.git")


def clones_folder(data: Path) -> Path:
    """Return the folder with the clones, and create it if necessary."""
    path = Path(data, CLONES_FOLDER)
    files.folder(path, private=True)
    return path


def find_clone(data: Path, repository: int, commit: str) -> Path | None:
    """Return the clone of a repository at this commit, or None. This counts as a use of the clone."""
    path = Path(data, CLONES_FOLDER, f"{repository}-{commit}.git")
    if not _CLONE_NAME.fullmatch(path.name) or not path.is_dir():
        return None
    with suppress(OSError):
        os.utime(path)
    return path


def keep_clone(data: Path, store: str, repository: int, commit: str) -> Path:
    """Store a fetched clone for later reviews. Return its new path, or the old one if it cannot be stored."""
    path = clones_folder(data) / f"{repository}-{commit}.git"
    try:
        files.place(Path(store), path)  # another process may have stored the same commit first
    except UsageError:
        log.warning("the clone of repository %d cannot be stored for later reviews", repository, exc_info=True)
        return Path(store)
    return path


def make_room(data: Path, most: int) -> None:
    """Delete clones of old commits, and the least recently used clones above the limit of `most` bytes."""
    now, newest, total = time.time(), set[str](), 0
    for last_use, path in sorted(_rows(data), key=lambda row: -row[0]):
        repository = path.name.partition("-")[0]
        total += _size(path)
        if (repository in newest or total > most) and now - last_use > IN_USE:
            shutil.rmtree(path, ignore_errors=True)
        newest.add(repository)


def forget_clones(data: Path, repositories: Iterable[int]) -> None:
    """Delete the clones of these repositories."""
    ids = {str(repository) for repository in repositories}
    for _, path in _rows(data):
        if path.name.partition("-")[0] in ids:
            shutil.rmtree(path, ignore_errors=True)


def _rows(data: Path) -> list[tuple[float, Path]]:
    """Return the time of the last use and the path of each clone."""
    rows = []
    for path in Path(data, CLONES_FOLDER).glob("*.git"):
        with suppress(OSError):
            if _CLONE_NAME.fullmatch(path.name):
                rows.append((path.stat().st_mtime, path))
    return rows


def _size(path: Path) -> int:
    total = 0
    for part in path.rglob("*"):
        with suppress(OSError):
            total += part.stat().st_size
    return total
