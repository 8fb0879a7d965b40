import asyncio
from pathlib import Path

import pytest
from fakes import Repository

from bot.checkout import Checkout
from bot.errors import GitError
from bot.machine.concurrency import uninterrupted


async def test_a_change_that_cannot_be_read_leaves_no_git_behind(repository: Repository) -> None:
    """One of the reads fails at a missing object: the event loop closes with no task left, so nothing can wait for ever."""
    pull = repository.change({"a.py": "a = 1\n"}, {"a.py": "a = 2\n"})
    oid = repository.git("rev-parse", f"{pull.head}:a.py")
    Path(repository.folder, ".git", "objects", oid[:2], oid[2:]).unlink()  # noqa: ASYNC240 - nothing else runs in this loop

    async with Checkout(pull) as tree:
        with pytest.raises(GitError):
            await tree.change()
        assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_short_work_ends_before_its_cancellation_does() -> None:
    """Creating something at GitHub and storing its number both happen or neither does, so that it can be ended later."""
    started, answered, done = asyncio.Event(), asyncio.Event(), list[str]()

    async def work() -> None:
        started.set()
        await answered.wait()
        done.append("stored")

    task = asyncio.create_task(uninterrupted(work()))
    await started.wait()
    task.cancel()
    answered.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done == ["stored"]
