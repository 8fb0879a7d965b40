import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from fetching import REFS, fetched
from hosted import HEAD, Scene, scene
from pydantic import SecretStr
from raw_server import raw_server
from waits import patience

from bot import github
from bot.checkout import Checkout, remote
from bot.errors import DeepRepoError, GitError, HostDown, HostRefused, SupersededError, UsageError
from deeprepo_sandbox.github import Fault

PACK = r"shop\.git/git-upload-pack$"


async def _deleted(at: Scene) -> None:
    at.repo.delete()


async def _withdrawn(at: Scene) -> None:
    at.gh.revoke_tokens()


def _failing(fault: Fault, path: str = REFS) -> Callable[[Scene], Awaitable[None]]:
    async def fail(at: Scene) -> None:
        at.gh.fail("*", path, fault)

    return fail


@pytest.mark.parametrize(
    ("happens", "kind", "says"),
    [
        (_deleted, HostRefused, "the repository was not found"),
        (_withdrawn, HostRefused, "access to the repository was denied"),
        (_failing(Fault(403, times=-1)), HostRefused, "permission to read contents"),
        (_failing(Fault(502, times=-1)), HostDown, "git could not fetch"),
        (_failing(Fault(drop=True, times=-1)), HostDown, "git could not fetch"),
        (_failing(Fault(502, times=-1), PACK), HostDown, "git could not fetch"),
        (_failing(Fault(hang=True)), GitError, "could not be fetched within 1 s"),
    ],
    ids=["deleted", "token", "forbidden", "down", "dropped", "pack", "slow"],
)
async def test_fetch_failures_have_distinct_errors(
    tmp_path: Path, happens: Callable[[Scene], Awaitable[None]], kind: type[DeepRepoError], says: str
) -> None:
    """A permanent refusal, an outage and a timeout have their own errors, without the token."""
    limit = 1.0 if "within 1 s" in says else patience()
    async with scene(tmp_path / "hub") as at:
        base, head = (await at.host.facts()).base_sha, at.stands.head_sha
        token = SecretStr(at.gh.token({"contents": "read"}, (at.repo.id,)))
        url = github.git_url(at.identity.api, at.pull)
        await happens(at)
        with pytest.raises(kind, match=says) as error:
            await remote.fetch(url, (base, head), token, str(tmp_path), most_seconds=limit, backoff=0)

        assert token.get_secret_value() not in str(error.value)


async def test_single_server_error_is_retried(tmp_path: Path) -> None:
    """A single server error is not reported."""
    async with scene(tmp_path / "hub") as at:
        at.gh.fail("GET", REFS, Fault(503))
        async with Checkout(await fetched(at, tmp_path / "here")) as tree:
            assert await tree.read("app.py") == HEAD.encode()


async def test_missing_head_counts_as_superseded(tmp_path: Path) -> None:
    """The head was force-pushed away and pruned; another job reviews its successor."""
    async with scene(tmp_path / "hub") as at:
        base = (await at.host.facts()).base_sha
        async with github.open_readonly(at.identity, at.pull.installation, (at.pull.repository,), at.pace) as (
            _,
            token,
        ):
            with pytest.raises(SupersededError, match="commit 0123456701 is no longer in the repository"):
                await remote.fetch(
                    github.git_url(at.identity.api, at.pull), (base, "01234567" * 5), token, str(tmp_path)
                )


async def test_repository_over_the_size_limit_is_not_fetched(tmp_path: Path) -> None:
    """The error names the limit."""
    async with scene(tmp_path / "hub") as at:
        with pytest.raises(GitError, match="larger than 0 MiB without its history"):
            await fetched(at, tmp_path / "here", most_bytes=100)


async def test_redirects_are_not_followed(tmp_path: Path) -> None:
    """Following a redirect would leak the token to another server."""
    asked: list[bytes] = []

    async def elsewhere(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))

    async with raw_server(elsewhere) as port, scene(tmp_path / "hub") as at:
        away = {"location": f"http://127.0.0.1:{port}/acme/shop.git/info/refs?service=git-upload-pack"}
        at.gh.fail("GET", REFS, Fault(301, headers=away, times=-1))
        with pytest.raises(HostRefused, match="does not follow redirects"):
            await fetched(at, tmp_path / "here")

    assert asked == []


@pytest.mark.parametrize(
    ("url", "head"),
    [
        ("file:///etc", "a" * 40),
        ("ext::sh -c id", "a" * 40),
        ("ssh://git@github.com/o/n.git", "a" * 40),
        ("https://github.com/o/n.git", "main"),
        ("https://github.com/o/n.git", "--upload-pack=id"),
    ],
)
def test_only_commits_over_http_are_fetched(tmp_path: Path, url: str, head: str) -> None:
    """Other transports and ambiguous revisions are refused before git is started."""
    with pytest.raises(UsageError):
        asyncio.run(remote.fetch(url, ("b" * 40, head), None, str(tmp_path)))
    assert list(tmp_path.iterdir()) == []
