import asyncio

import pytest
from hosted import Scene
from told_reviews import ALL, put, said, six

from bot.workflow import publish
from deeprepo_sandbox.github import Fault


@pytest.mark.parametrize("after", [True, False], ids=["stored", "lost"])
@pytest.mark.parametrize("nth", range(3))
async def test_run_killed_at_any_write_is_completed_by_the_next_attempt(at: Scene, nth: int, *, after: bool) -> None:
    """Wherever a run is killed, before or after GitHub stored its request, the next attempt completes it."""
    task: asyncio.Task[publish.PublishResult]

    async def kill() -> None:
        task.cancel()
        await asyncio.sleep(0)

    fault = Fault(None if after else 502, after=after, skip=nth, run=kill)
    at.gh.fail("POST", r"/(reviews|comments)$", fault)
    task = asyncio.create_task(put(at, six(at)))
    with pytest.raises(asyncio.CancelledError):
        await task
    broken_off = said(at)
    outcome = await put(at, six(at))

    assert broken_off != ALL or nth == 2
    assert said(at) == ALL
    assert (outcome.posted_count, outcome.listed_count) == (4, 2)


@pytest.mark.parametrize("after", [True, False], ids=["stored", "lost"])
async def test_each_write_may_fail_before_or_after_it_is_stored(at: Scene, *, after: bool) -> None:
    """Each kind of write fails once; nothing is lost or posted twice."""
    for path in (r"/pulls/1/reviews$", r"/pulls/1/comments$", r"/issues/1/comments$"):
        at.gh.fail("POST", path, Fault(502, after=after))
    await put(at, six(at))

    assert said(at) == ALL
