"""Fetch a change from a server, with a shallow fetch into a new bare repository (a store).

The token is only passed to git in its environment. It is never in an argument or a file, and never sent to
another server after a redirect.
"""

import asyncio
import base64
import os
import re
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.checkout import git
from bot.errors import GitError, HostDown, HostRefused, SupersededError, UsageError
from bot.machine import processes
from bot.values import Bases
from bot.values.change import is_object_id

MAX_FETCHED_BYTES, MAX_FETCH_SECONDS = 4 << 30, 600.0
# How many of a pull request's commits are fetched. A later review can be based on any of them, and any of
# them can contain a secret.
MAX_DEPTH = 250
TRIES = 3
TIP = "tip"  # the store's branch for the commit that `fetch_tip` fetches
SIZE_CHECK_SECONDS = 0.5  # between two checks of the store's size

GIT_OPTIONS = (
    "-c", "protocol.http.allow=always",
    "-c", "protocol.https.allow=always",
    "-c", "http.followRedirects=false",
    "-c", "http.lowSpeedLimit=1000",
    "-c", "http.lowSpeedTime=60",
    "-c", "credential.helper=",
    "-c", "core.askPass=",
    "-c", "fetch.unpackLimit=1",
    "-c", "gc.auto=0",
)  # fmt: skip
# Ignores the user's configuration.
ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "http:https",
    "HOME": "/nonexistent",
    "XDG_CONFIG_HOME": "/nonexistent",
    "GIT_LFS_SKIP_SMUDGE": "1",
}
MISSING_REF = re.compile(
    r"not our ref (\w+)|no such remote ref (\w+)|Server does not allow request for unadvertised object (\w+)"
)
DENIED = re.compile(
    r"Authentication failed|could not read Username|terminal prompts disabled|returned error: (401|403)"
)
MISSING = re.compile(r"[Rr]epository .{0,1000}not found|returned error: 404")
MOVED = re.compile(r"returned error: 30\d|unable to update url base from redirection")
DAMAGED = re.compile(r"bad object|index-pack|fsck|invalid|corrupt", re.IGNORECASE)


async def fetch(
    url: str,
    commits: Sequence[str],
    token: SecretStr | None,
    folder: str,
    *,
    depth: int = 1,
    most_bytes: int = MAX_FETCHED_BYTES,
    most_seconds: float = MAX_FETCH_SECONDS,
    backoff: float = 1.0,
) -> str:
    """Fetch these commits (merge base, head, base tip) into a new bare store, and return its path.

    `depth` is the number of commits to fetch for each. With it, a later review knows whether an earlier
    head is one of the change's commits. Raises SupersededError if the head no longer exists, HostDown,
    HostRefused and GitError.
    """
    commits = tuple(dict.fromkeys(commits))
    if not all(map(is_object_id, commits)):
        raise UsageError("fetches need commit IDs")
    store = await _store(url, str(Path(folder, "store.git")))
    try:
        async with asyncio.timeout(most_seconds):
            await _fetch_with_retries(
                _Fetch(url, commits, min(max(depth, 1), MAX_DEPTH), token, store, most_bytes), backoff
            )
    except TimeoutError:
        raise GitError(f"the repository could not be fetched within {most_seconds:.0f} s") from None
    return store


async def fetch_tip(url: str, token: SecretStr | None, store: str, *, most_bytes: int, most_seconds: float) -> None:
    """Fetch the default branch's last commit without history as the HEAD of a new bare store.

    There are no retries. Raises HostDown, HostRefused and GitError.
    """
    await _store(url, store)
    try:
        async with asyncio.timeout(most_seconds):
            await _fetch_once(_Fetch(url, (f"+HEAD:refs/heads/{TIP}",), 1, token, store, most_bytes))
    except TimeoutError:
        raise GitError(f"it could not be fetched within {most_seconds:g} s") from None


async def fetch_history(url: str, base: str, head: str, token: SecretStr | None, folder: str) -> str:
    """Fetch the history of `base` (a branch or a commit) and `head` without trees into a new bare store.

    Return the store's path. Its branches are called "base" and "head". Raises like `fetch`.
    """
    if not is_object_id(head):
        raise UsageError("fetches need commit IDs")
    store = await _store(url, str(Path(folder, "history.git")))
    source = base if is_object_id(base) else f"refs/heads/{base}"
    refs = (f"+{source}:refs/heads/base", f"+{head}:refs/heads/head")
    try:
        async with asyncio.timeout(MAX_FETCH_SECONDS):
            await _fetch_with_retries(_Fetch(url, refs, 0, token, store, MAX_FETCHED_BYTES), 1.0)
    except TimeoutError:
        raise GitError(f"the history could not be fetched within {MAX_FETCH_SECONDS:.0f} s") from None
    return store


async def find_bases(store: str) -> Bases:
    """Return the merge base in a store made by `fetch_history`, and the commits ahead and behind."""
    env = {**ENVIRONMENT, "GIT_DIR": store}

    async def ask(*arguments: str, ok: tuple[int, ...] = (0,)) -> str:
        return (await git.output(*arguments, cwd=store, env=env, ok=ok)).decode().strip()

    tip = await ask("rev-parse", "refs/heads/base")
    merge_base = (await ask("merge-base", "refs/heads/base", "refs/heads/head", ok=(0, 1))).split("\n")[0]
    behind, ahead = (await ask("rev-list", "--count", "--left-right", "refs/heads/base...refs/heads/head")).split()
    return Bases(tip, merge_base, int(ahead), int(behind)) if merge_base else Bases(tip, "", 0, 0)


async def _store(url: str, path: str) -> str:
    if urlsplit(url).scheme not in ("http", "https"):
        raise UsageError("repositories are fetched over http or https")
    arguments = ("init", "--quiet", "--bare", "--template=", f"--initial-branch={TIP}", path)
    await git.output(*arguments, cwd=str(Path(path).parent), env=ENVIRONMENT)
    return path


@dataclass(frozen=True, slots=True)
class _Fetch:
    url: str
    commits: tuple[str, ...]
    depth: int  # 0 means the whole history, without trees
    token: SecretStr | None
    store: str
    most_bytes: int


def missing_history(ahead: int) -> str:
    """Return why a store may lack commits of a change with `ahead` commits, or "" if it has all of them."""
    return "" if ahead < MAX_DEPTH else f"the change has {ahead:,} commits, and only the last {MAX_DEPTH} are fetched"


async def _fetch_with_retries(job: _Fetch, backoff: float) -> None:
    for tries in range(TRIES):
        try:
            return await _fetch_once(job)
        except HostDown:
            if tries == TRIES - 1:
                raise
        await asyncio.sleep(backoff * 2**tries)
    return None


async def _fetch_once(job: _Fetch) -> None:
    process = await git.start(
        *GIT_OPTIONS, "fetch", "--quiet", f"--depth={job.depth}" if job.depth else "--filter=tree:0", "--no-tags", "--no-recurse-submodules",
        "--no-write-fetch-head", "--no-auto-maintenance", "--end-of-options", job.url, *job.commits,
        cwd=job.store, env={**ENVIRONMENT, **_token_variables(job.url, job.token), "GIT_DIR": job.store}, online=True,
    )  # fmt: skip
    processes.limit_process(process.pid)
    replies = asyncio.ensure_future(process.communicate())
    try:
        while not replies.done():
            await asyncio.wait([replies], timeout=SIZE_CHECK_SECONDS)
            if _size(job.store) > job.most_bytes:
                limit = job.most_bytes >> 20
                raise GitError(
                    f"the repository is larger than {limit:,} MiB without its history, so it was not fetched"
                )
        _, err = replies.result()
    finally:
        await _kill(process)
        replies.cancel()
    if process.returncode:
        words = err.decode("utf-8", "replace").strip()
        raise _failure(words.replace(job.token.get_secret_value(), "***") if job.token else words, job.commits)


async def _kill(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _token_variables(url: str, token: SecretStr | None) -> dict[str, str]:
    """Return environment variables that make git send the token, but only to this repository's URL."""
    if token is None:
        return {}
    login = base64.b64encode(f"x-access-token:{token.get_secret_value()}".encode()).decode()
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"http.{url}.extraHeader",
        "GIT_CONFIG_VALUE_0": f"Authorization: Basic {login}",
    }


def _failure(stderr: str, commits: Sequence[str]) -> Exception:
    """Return the error for git's message: SupersededError, HostRefused, GitError or HostDown."""
    missing = MISSING_REF.search(stderr)
    if missing:
        name = next(filter(None, missing.groups()), commits[-1])
        return SupersededError(f"commit {name[:10]} is no longer in the repository: it was force-pushed away")
    if MISSING.search(stderr):
        return HostRefused(
            "the repository was not found. It was deleted or renamed, or the App is not installed there", 404
        )
    if DENIED.search(stderr):
        return HostRefused("access to the repository was denied. The App needs permission to read contents", 403)
    if MOVED.search(stderr):
        return HostRefused("the repository has moved, and git does not follow redirects with a token", 404)
    if DAMAGED.search(stderr) and "early EOF" not in stderr:
        return GitError(f"the fetched data cannot be used: {stderr[:300]}")
    return HostDown(f"git could not fetch: {stderr[:300] or 'it exited without a message'}")


def _size(store: str) -> int:
    total = 0
    for pack in Path(store, "objects", "pack").glob("*"):
        with suppress(OSError):  # git may rename a pack at the same time
            total += pack.stat().st_size
    return total
