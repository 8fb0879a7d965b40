"""`/deeprepo fix` when the server process is killed in the middle of it."""

import asyncio
from pathlib import Path

import pytest
from killed import serving
from waits import patience
from whole import BASE, BROKEN, SECRET

from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github import Fault, git


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "path", "after"),
    [
        ("POST", "/git/commits", True),
        ("PATCH", "/git/refs/", False),
        ("PATCH", "/git/refs/", True),
    ],
    ids=["commit made", "branch", "branch moved"],
)
async def test_server_killed_during_a_commit_makes_exactly_one_commit(
    tmp_path: Path, method: str, path: str, after: bool
) -> None:
    """After a restart, the branch has exactly one new commit on the reviewed head, and one reply names it."""
    async with sandbox.github(tmp_path / "gh", secret=SECRET) as gh:
        repo = await gh.repository("acme", "shop", files=BASE)
        await repo.commit("feature", BROKEN)
        folder = repo.repository.git
        before = await git.tip(folder, "feature")
        assert before is not None
        dead = asyncio.Event()

        def replies(number: int) -> list[str]:
            return [one.body for one in gh.pull(number).comments if '"kind": "reply"' in one.body]

        async with serving(tmp_path, gh) as server:

            async def kill() -> None:
                server.kill()
                dead.set()

            number = await repo.open_pull("feature", title="Prices without tax", body="")
            await gh.until(lambda: "total()" in "".join(c.body for c in gh.pull(number).comments), patience())
            await gh.until(lambda: all(c.status == "completed" for c in gh.pull(number).checks), patience())
            gh.fail(method, path, Fault(status=None, run=kill, after=after))
            await repo.comment(number, "/deeprepo fix 1", author="maintainer")
            await asyncio.wait_for(dead.wait(), patience())
            server.wait()
        async with serving(tmp_path, gh, LEASE="3"):
            await gh.until(lambda: bool(replies(number)), patience())
        tip = await git.tip(folder, "feature")
        assert tip is not None
        assert await git.commits(folder, before, tip) == [tip]
        (reply,) = replies(number)
        assert tip[:10] in reply
