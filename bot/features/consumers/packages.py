"""Index the packages that an installation's repositories publish and use, in the background.

Each repository is read with its own token. One that is too large, hostile or missing only gets a row with the
reason.
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
from bot.features.consumers.fetching import Home
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
SURVEY_SECONDS = 1_200.0  # seconds per installation; the next survey continues
SURVEYED_SECONDS = 86_400.0  # seconds after which a repository is read again without an event
REVIEW_SECONDS = 8.0  # seconds for a clone that a review has to fetch
NOT_YET = (
    "The repositories that use this one are still being indexed in the background. The next review will check them."
)
DEFAULT_MEGABYTES = 2_000


async def survey(ask: PackageSurvey, _: Job, server: Server) -> None:
    """Survey one repository, or all of an installation's that were not read recently."""
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
        before = known_homes.get(home.standing.id)
        is_due = ask.repository or before is None or before.problem or time.time() - before.read_at > SURVEYED_SECONDS
        if is_due and time.monotonic() < end:
            await _look(ask.installation, home, before, server)
    make_room(server.folder, (server.settings.of(ConsumerVariables).consumers_megabytes or DEFAULT_MEGABYTES) << 20)
    log.info("packages were indexed", extra={"facts": {"installation": ask.installation, "repositories": len(homes)}})


async def _homes(ask: PackageSurvey, server: Server) -> list[Home]:
    """Return the repositories to survey, listed with a token without access to contents."""
    async with apps.acting(server.identity, ask.installation, apps.LISTING, server.pace, ask.repository) as client:
        return [home async for home in _listing(client)]


async def _listing(client: GitHubClient) -> AsyncIterator[Home]:
    """Return the repositories that an installation's token covers."""
    async for data in apps.repositories(client):
        yield consumers.home_of(data)


async def _look(installation: int, home: Home, before: PackageHome | None, server: Server) -> None:
    """Index one repository, and store its clone if it uses any package.

    If it cannot be read now, the known facts stay. Raises HostError while GitHub is down.
    """
    package_home, problem = PackageHome(installation, home.standing.id, home.name, "", time.time()), ""
    try:
        async with github.reading(server.identity, installation, (home.standing.id,), server.pace) as (
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


async def _read(home: Home, package_home: PackageHome, token: SecretStr, server: Server) -> str:
    """Store what a repository publishes and uses at this commit. Return why it could not be read, or ""."""
    with scratch_folder(server.folder) as scratch:
        try:
            store = await consumers.fetch(home, server.identity.api, token, scratch, commit=package_home.commit_id)
            rows = await server.packages(store)
        except (HostError, GitError, UsageError, SupersededError, OverLimit) as error:
            return consumers.fetch_problem(error)
        await server.store.packages.keep(package_home, rows)
        if any(package.role == "takes" for package in rows):
            keep_clone(server.folder, store, home.standing.id, package_home.commit_id)
    return ""


@asynccontextmanager
async def fetch_users(run: ReviewRun, server: Server) -> AsyncIterator[Consumers]:
    """Fetch the installation's repositories that use the reviewed one, and find out who reads the review.

    The repository's own settings can limit them to a list. They are read at the base branch, so a change's
    author cannot choose. Existing clones are reused; a clone that must be fetched has REVIEW_SECONDS.
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
    if chosen:  # a repository tied only by a schema is in no manifest, so the settings must name it
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
    """Submit due surveys, at most once an hour: the feature or repository is new, or events were missed."""
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
        async with github.reading(server.identity, installation, ids, server.pace) as (client, token):
            homes = {home.standing.id: home async for home in _listing(client)}

            async def one(name: str) -> NamedConsumer:
                row = next(each for each in rows if each.name == name)
                return await _find_or_fetch(row, homes.get(row.repository), token, server, scratch)

            shown_rows = [package for package in rows if _may_be_shown(homes.get(package.repository), audience)]
            return await consumers.fetch_all([package.name for package in shown_rows], one)
    except HostError as error:
        return tuple(consumers.absent(package.name, consumers.fetch_problem(error)) for package in shown_rows)


def _may_be_shown(home: Home | None, audience: Audience) -> bool:
    """Return whether anything may be shown at all. If not, the repository is not checked."""
    return home is None or disclosure(audience, replace(home.standing, shows="lines")) != "nothing"


async def _find_or_fetch(
    package_home: PackageHome, home: Home | None, token: SecretStr, server: Server, scratch: str
) -> NamedConsumer:
    """Return the clone of a consumer at the indexed commit, fetching it if necessary."""
    if home is None:
        return consumers.absent(package_home.name, consumers.UNSEEN)
    path = find_clone(server.folder, package_home.repository, package_home.commit_id)
    if path is None:
        try:
            api, commit = server.identity.api, package_home.commit_id
            store = await consumers.fetch(home, api, token, scratch, commit=commit, seconds=REVIEW_SECONDS)
        except DeepRepoError as error:
            return consumers.absent(home.name, consumers.fetch_problem(error), home.standing)
        path = keep_clone(server.folder, store, package_home.repository, package_home.commit_id)
    return NamedConsumer(str(path), name=home.name, standing=home.standing)


async def _public(names: Sequence[str], run: ReviewRun, server: Server, scratch: str) -> tuple[NamedConsumer, ...]:
    """Fetch other owners' public repositories that the settings name, without a token."""

    async def one(name: str) -> NamedConsumer:
        try:
            home = await consumers.look_up(run.host.client, name)
            if not home.is_public:
                return consumers.absent(name, consumers.UNSEEN)
        except (HostError, UsageError) as error:
            return consumers.absent(name, consumers.fetch_problem(error))
        return await consumers.fetched(home, server.identity.api, None, scratch, REVIEW_SECONDS)

    return await consumers.fetch_all(names, one)


CLONES_FOLDER = "consumers"
IN_USE = 900.0  # seconds after its last use during which a clone is not deleted, because a review may read it
_CLONE_NAME = re.compile(r"(\d+)-([0-9a-f]{40,64})\.git")


def clones_folder(data: Path) -> Path:
    """Return the private folder of the clones."""
    path = Path(data, CLONES_FOLDER)
    files.folder(path, private=True)
    return path


def find_clone(data: Path, repository: int, commit: str) -> Path | None:
    """Return the clone of a repository at this commit, or None. A clone found counts as used now."""
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
    """Delete outdated commits, then the least recently used clones, until at most `most` bytes are used."""
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
