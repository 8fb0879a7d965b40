"""Bring the commits that cases name: each with its own tree and no history, into a bare clone for each repository. Resumable."""

import asyncio
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot import render
from bot.checkout import git
from bot.errors import GitError, UsageError
from bot.machine.processes import end_process
from deeprepo_evals.reviews.build import clone_of
from deeprepo_evals.reviews.cases import Case

HOST = "https://github.com"
AT_ONCE = 25  # commits of one fetch: an interrupted one is repeated whole
MOST_SECONDS = 3_600.0
SPARE = 500  # megabytes of the disk that are left free
NETWORK = {"GIT_ALLOW_PROTOCOL": "https:http:ssh:file"}
UNREACHABLE = ("Could not resolve host", "Could not resolve proxy", "Failed to connect", "Network is unreachable")


@dataclass(frozen=True, slots=True)
class FetchTarget:
    """What is to be brought of one repository."""

    name: str  # OWNER/NAME
    commits: tuple[str, ...] = ()  # none: all branches with their history
    megabytes: int | None = None  # None: nobody has measured it


def of(cases: Sequence[Case], sizes: Mapping[str, int]) -> tuple[FetchTarget, ...]:
    """The commits of these cases, repository by repository."""
    found: dict[str, dict[str, None]] = {}
    for case in cases:
        source = case.recipe.source_commit if case.recipe else ""
        found.setdefault(case.clone, {}).update(dict.fromkeys(filter(None, (case.base, case.head, source))))
    return tuple(FetchTarget(name, tuple(commits), sizes.get(name)) for name, commits in sorted(found.items()))


async def left(targets: Sequence[FetchTarget], folder: Path) -> tuple[FetchTarget, ...]:
    """What is not there yet. A whole history is always asked for: only its server knows what is new."""
    found = []
    for one in targets:
        clone = clone_of(folder, one.name)
        if clone is None or not one.commits:
            found.append(one)
        elif missing := await _missing(clone, one.commits):
            found.append(FetchTarget(one.name, missing, one.megabytes))
    return tuple(found)


def plan(targets: Sequence[FetchTarget], folder: Path, host: str = HOST) -> str:
    """What will be fetched, and how much that is, before anything is. Raises UsageError if the disk is too small for it."""
    known = sum(one.megabytes or 0 for one in targets)
    unknown = sum(one.megabytes is None for one in targets)
    at = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    free = shutil.disk_usage(at).free >> 20
    if free < known + SPARE:
        raise UsageError(
            f"{folder} has {free:,} MB free, and {known:,} MB are to be fetched: name another with --repos"
        )
    rows = [f"{one.name}: {_size(one)}" for one in targets]
    more = f", and {render.count(unknown, 'repository', 'repositories')} of unknown size" if unknown else ""
    commits = render.count(sum(len(one.commits) for one in targets), "commit")
    total = f"{commits} of {render.count(len(targets), 'repository', 'repositories')} from {host} into {folder}"
    return "\n".join([*rows, f"{total}: about {known:,} MB{more}; {free:,} MB are free"])


async def fetch(
    targets: Sequence[FetchTarget], folder: Path, host: str, say: Callable[[str], None]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Fetch one repository after the other: the names of those that are complete now, and a sentence for each other one."""
    done, failed = [], []
    for number, one in enumerate(targets, 1):
        say(f"{one.name} ({number} of {len(targets)})")
        try:
            await _bring(one, folder, f"{host.rstrip('/')}/{one.name}")
        except GitError as error:
            failed.append(f"{one.name} could not be fetched: {error}")
            if any(words in str(error) for words in UNREACHABLE):
                rest = len(targets) - number
                failed += [f"{host} cannot be reached: {render.count(rest, 'repository', 'repositories')} not tried"]
                break
        else:
            done.append(one.name)
    return tuple(done), tuple(failed)


async def _bring(one: FetchTarget, folder: Path, url: str) -> None:
    clone = clone_of(folder, one.name)
    if clone is not None:
        await _fill(clone, one, url)
        return
    clone = folder / one.name.replace("/", "+")
    clone.mkdir(parents=True)
    try:
        await git.output("init", "--quiet", "--bare", "--template=", ".", cwd=str(clone))
        await _fill(clone, one, url)
    except GitError:
        if not any((clone / "objects" / "pack").glob("*.pack")):
            shutil.rmtree(clone)  # an empty one would pass for a clone
        raise


async def _fill(clone: Path, one: FetchTarget, url: str) -> None:
    if not one.commits:
        shallow = ("--unshallow",) if await _shallow(clone) else ()
        await _fetch(clone, url, *shallow, "+refs/heads/*:refs/heads/*", "+HEAD:refs/heads/fetched-head")
        await git.output("symbolic-ref", "HEAD", "refs/heads/fetched-head", cwd=str(clone))
        return
    for at in range(0, len(one.commits), AT_ONCE):
        names = [f"+{commit}:{_ref(commit)}" for commit in one.commits[at : at + AT_ONCE]]
        await _fetch(clone, url, "--depth=1", *names)


async def _fetch(clone: Path, url: str, *arguments: str) -> None:
    """One fetch. Raises GitError with what git says."""
    options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance")
    process = await git.start("fetch", *options, url, *arguments, cwd=str(clone), env=NETWORK, online=True)
    try:
        async with asyncio.timeout(MOST_SECONDS):
            _, said = await process.communicate()
    except TimeoutError:
        raise GitError(
            f"git fetch took longer than {MOST_SECONDS:,.0f} s and was ended: run the command again"
        ) from None
    finally:
        await end_process(process, process.stdout, process.stderr)
    if process.returncode:
        words = " ".join(said.decode("utf-8", "replace").split())
        raise GitError(words[:400] or f"git fetch left with {process.returncode}")


async def _missing(clone: Path, commits: Sequence[str]) -> tuple[str, ...]:
    """The commits that the clone does not hold. One that a fetch has brought has its tree, as git checks that."""
    asked = "\n".join(f"{commit}^{{tree}}" for commit in commits).encode()
    told = await git.run("cat-file", "--batch-check", cwd=str(clone), stdin=asked)
    if told.status:
        raise UsageError(f"{clone} is not a git repository ({told.err[:200]}): remove it, and fetch again")
    rows = told.out.decode("utf-8", "replace").splitlines()
    return tuple(commit for commit, row in zip(commits, rows, strict=True) if row.endswith(" missing"))


async def _shallow(clone: Path) -> bool:
    told = await git.output("rev-parse", "--is-shallow-repository", cwd=str(clone))
    return os.fsdecode(told).strip() == "true"


def _ref(commit: str) -> str:
    """A name for it, so that git keeps it."""
    return f"refs/cases/{commit}"


def _size(one: FetchTarget) -> str:
    what = render.count(len(one.commits), "commit") if one.commits else "all branches with their history"
    return f"{what}, {f'about {one.megabytes:,} MB' if one.megabytes is not None else 'unknown size'}"
