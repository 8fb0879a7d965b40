"""A server is killed while a pull request's test runs: cleanup, and how the review continues."""

import asyncio
import os
from pathlib import Path

import pytest
from boxes import missing
from sample import AFTER, BEFORE
from test_reproducing import HEAD, PROOF, Model
from waits import patience, until
from workflow.killed import serving

from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.processes import alive

MOUNTS = Path("/proc/self/mounts")
boxed = pytest.mark.skipif(bool(missing()), reason=missing() or "-")


@boxed
@pytest.mark.slow
def test_killed_server_is_cleaned_up_and_the_review_continues(tmp_path: Path) -> None:
    """The next server finishes the review, and the finding is posted once."""
    mounts = MOUNTS.read_text()
    mark = f"{7_000_000 + os.getpid()}"
    sleeping = HEAD + f"        import subprocess; subprocess.run(['sleep', '{mark}'])\n"
    files = {name: str(text) for name, text in BEFORE.items()}

    async def go() -> None:
        brain = Model(sleeping, PROOF, PROOF)
        async with (
            doubles.openai_server(doubles.PerModel({"worker": brain})) as model,
            sandbox.github(tmp_path / "gh") as gh,
        ):
            settings = {"WORKER": "openai/worker", "BASE_URL": model.openai_url, "RUN": "1"}
            repo = await gh.repository("acme", "shop", files=files)
            await repo.commit("feature", {name: str(text) for name, text in AFTER.items()})
            async with serving(tmp_path, gh, **settings) as server:
                number = await repo.open_pull("feature", title="No check", body="")
                await asyncio.to_thread(until, lambda: alive(mark), "the test runs")
                server.kill()
                server.wait()
            await asyncio.to_thread(until, lambda: not alive(mark), "the test is ended")
            async with serving(tmp_path, gh, **settings):
                await gh.until(lambda: any(one.status == "completed" for one in gh.pull(number).checks), patience(100))
            pull = gh.pull(number)
            posted = [one.body for one in pull.review_comments if "no longer refused" in one.body]
            assert len(posted) == 1, pull.review_comments

    asyncio.run(go())
    assert not alive(mark)
    assert MOUNTS.read_text() == mounts
    assert not [path for path in (tmp_path / "data").rglob("*deeprepo_*") if path.is_file()]
