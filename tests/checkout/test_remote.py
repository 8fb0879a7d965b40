import asyncio
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import waits
from fetching import REFS, fetched
from hosted import HEAD, scene
from pydantic import SecretStr

from bot.checkout import Checkout
from deeprepo_sandbox.github import Fault


async def test_change_is_fetched_and_read(tmp_path: Path) -> None:
    """A single fetch without history brings both sides and the newest base branch."""
    async with scene(tmp_path / "hub") as at:
        await at.repo.commit("main", {".deeprepo.yml": "quota: 1\n"})
        pull = await fetched(at, tmp_path / "here")
        async with Checkout(pull) as tree:
            assert await tree.read("app.py") == HEAD.encode()
            assert b"-line 5\n+five\n" in (await tree.change()).patch
            assert await tree.settings_at_tip(".deeprepo.yml") == b"quota: 1\n"
            assert await tree.read(".deeprepo.yml", "base") is None

        asked = [seen.path for seen in at.gh.requests if ".git/" in seen.path]
        assert len([path for path in asked if path.endswith("info/refs?service=git-upload-pack")]) == 1


async def test_later_review_knows_whether_the_old_head_is_an_ancestor(tmp_path: Path) -> None:
    """The pull request's own commits are fetched. After a force push, the old head is not an ancestor."""
    async with scene(tmp_path / "hub") as at:
        first = at.stands.head_sha
        await at.repo.push("feature", {"app.py": HEAD + "more\n"})
        second = at.stands.head_sha
        async with Checkout(await fetched(at, tmp_path / "pushed")) as tree:
            assert await tree.descends(first)
            assert (await tree.many_at(first, ["app.py"]))["app.py"] == HEAD.encode()
        await at.repo.force_push("feature", {"app.py": HEAD + "other\n"})
        async with Checkout(await fetched(at, tmp_path / "forced")) as tree:
            assert await tree.descends(first)
            assert not await tree.descends(second)


async def test_token_is_never_written_to_disk(tmp_path: Path) -> None:
    """No file in the object store contains the token, which is revoked after reading."""
    async with scene(tmp_path / "hub") as at:
        await at.host.facts()
        known = set(at.gh.world.tokens)
        text = at.gh.token({"contents": "read"}, (at.repo.id,))
        await fetched(at, tmp_path / "here", SecretStr(text))
        await fetched(at, tmp_path / "again")

        assert set(at.gh.world.tokens) == known | {text}
        secrets = (text, "AUTHORIZATION", "extraheader")
        for path in (tmp_path / "here").rglob("*"):
            content = path.read_bytes().lower() if path.is_file() else b""
            assert not any(secret.lower().encode() in content for secret in secrets)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
async def test_canceled_fetch_leaves_no_processes(tmp_path: Path) -> None:
    """A fetch's command line never shows a secret, and after canceling, none of its processes is left."""
    async with scene(tmp_path / "hub") as at:
        await at.host.facts()
        text = at.gh.token({"contents": "read"}, (at.repo.id,))
        reached = asyncio.Event()

        async def reach() -> None:
            reached.set()

        at.gh.fail("GET", REFS, Fault(hang=True, run=reach))
        task = asyncio.create_task(fetched(at, tmp_path / "here", SecretStr(text)))
        await waits.told(reached, task)
        lines = _running("here/store.git", at.repo.url)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        assert lines
        assert not any(text in line or "Authorization" in line for line in lines)
        assert _running("here/store.git", at.repo.url) == []


def _running(*words: str) -> list[str]:
    """Return the command lines of processes that contain one of these words."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # the process has ended
            found.append(path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
    return [line for line in found if any(word in line for word in words)]
