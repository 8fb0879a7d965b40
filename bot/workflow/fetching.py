"""Fetch a pull request's change to this machine, with its own token that expires before any code is read."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pydantic import SecretStr

from bot.checkout import remote
from bot.errors import RevisionError
from bot.machine import files
from bot.values import Bases, PullFacts, PullRef, PullRequest

WORK_FOLDER = "work"  # below the data folder; leftovers of a killed process are removed at the next start


async def fill_store(url: str, facts: PullFacts, bases: Bases, token: SecretStr, folder: str) -> str:
    """Fetch the change into a store below `folder` and return the store.

    Raises RevisionError if the head has no common history with the base branch.
    """
    if not bases.merge_base:
        raise RevisionError(f"the branch has no common history with {facts.base_ref}. Rebase it onto {facts.base_ref}")
    ahead = bases.ahead + 1
    return await remote.fetch(url, (bases.merge_base, facts.head_sha, bases.tip), token, folder, depth=ahead)


async def find_bases(url: str, facts: PullFacts, base: str, token: SecretStr, folder: str) -> Bases:
    """Return where the head branched off from a branch or commit, as git finds it in the history."""
    return await remote.find_bases(await remote.fetch_history(url, base, facts.head_sha, token, folder))


def as_pull_request(facts: PullFacts, bases: Bases, store: str) -> PullRequest:
    """Return the pull request as a change in this store."""
    is_cut = Path(store, "shallow").exists()
    missing_history = remote.missing_history(bases.ahead) if is_cut else ""
    return PullRequest(
        title=facts.title, body=facts.body, base=bases.merge_base, head=facts.head_sha,
        base_name=facts.base_ref, head_name=facts.head_ref,
        git_dir=store, base_tip=bases.tip, url=facts.repository.pages or None,
        missing_history=missing_history, several_bases=None if missing_history else False,
    )  # fmt: skip


@contextmanager
def scratch_folder(folder: Path) -> Iterator[str]:
    """Yield a folder for one job, below the data folder. It is removed afterwards."""
    root = Path(folder, WORK_FOLDER)
    files.folder(root, private=True)
    with tempfile.TemporaryDirectory(
        prefix=f"pull-{os.getpid()}-", dir=root, ignore_cleanup_errors=True
    ) as folder_path:
        yield folder_path


def today(pull: PullRef, facts: PullFacts) -> PullRef:
    """Return the reference with the repository's current name. With a token, git follows no redirect."""
    owner, _, name = facts.repository.name.partition("/")
    return replace(pull, owner=owner, name=name) if name else pull


def swept(folder: Path) -> None:
    """Remove the folders of processes that no longer run. Called before the first job."""
    for left in Path(folder, WORK_FOLDER).glob("pull-*-*"):
        if not _alive(int(left.name.split("-")[1])):
            shutil.rmtree(left, ignore_errors=True)
    shutil.rmtree(Path(folder, "consumers"), ignore_errors=True)  # clones that 0.2.0 stored


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return process != os.getpid()
