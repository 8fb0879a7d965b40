import asyncio
import time
from pathlib import Path

import pytest
from fakes import Repository

from bot.checkout import Checkout
from bot.errors import GitError
from bot.machine.processes import finish_before_cancel
from deeprepo.impact.concurrency import OwnTime, together


async def test_failed_read_leaves_no_git_task_behind(repository: Repository) -> None:
    """After a read fails at a missing object, no task remains that could block the event loop's end."""
    pull = repository.change({"a.py": "a = 1\n"}, {"a.py": "a = 2\n"})
    oid = repository.git("rev-parse", f"{pull.head}:a.py")
    Path(repository.folder, ".git", "objects", oid[:2], oid[2:]).unlink()  # noqa: ASYNC240 - nothing else runs in this loop

    async with Checkout(pull) as tree:
        with pytest.raises(GitError):
            await tree.change()
        assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_cancellation_waits_for_short_work() -> None:
    """Cancellation waits until an object is created at GitHub and its id is stored for closing it later."""
    started, answered, done = asyncio.Event(), asyncio.Event(), list[str]()

    async def work() -> None:
        started.set()
        await answered.wait()
        done.append("stored")

    task = asyncio.create_task(finish_before_cancel(work()))
    await started.wait()
    task.cancel()
    answered.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done == ["stored"]


async def test_own_time_excludes_other_work() -> None:
    """A search doesn't reach its time limit sooner because other work runs in the same process."""
    own_time, waits, burned = OwnTime(), asyncio.Event(), asyncio.Event()

    async def search() -> str:
        waits.set()
        await burned.wait()
        return "found"

    async def burn() -> None:
        await waits.wait()
        end = time.thread_time() + 0.2
        while time.thread_time() < end:
            pass
        burned.set()

    found, _ = await together(own_time.of(search()), burn())
    assert found == "found"
    assert own_time.seconds < 0.1


async def test_timed_work_can_be_cancelled_and_can_fail() -> None:
    """Timed work cleans up when it is cancelled, and its exceptions are raised to the caller."""
    own_time, waits, ended = OwnTime(), asyncio.Event(), list[str]()

    async def work() -> None:
        try:
            waits.set()
            await asyncio.Event().wait()
        finally:
            ended.append("cleaned up")

    async def fail() -> None:
        await asyncio.sleep(0)
        raise GitError("no such object")

    task = asyncio.create_task(own_time.of(work()))
    await waits.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(GitError, match="no such object"):
        await own_time.of(fail())
    assert ended == ["cleaned up"]
