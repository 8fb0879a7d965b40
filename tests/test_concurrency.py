import asyncio
from pathlib import Path

import pytest
from fakes import Repository

from bot.checkout import Checkout
from bot.errors import GitError
from bot.machine.concurrency import together


async def test_the_others_have_ended_before_an_error_goes_on() -> None:
    """A part that is still at work when another fails is cancelled, and its end is waited for."""
    ended = []

    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append("slow")

    async def fails() -> None:
        await asyncio.sleep(0)
        raise ValueError("it fails")

    with pytest.raises(ValueError, match="it fails"):
        await together(slow(), fails())
    assert ended == ["slow"]


def test_results_come_in_the_order_of_the_work() -> None:
    """Whatever ends first."""

    async def after(turns: int) -> int:
        for _ in range(turns):
            await asyncio.sleep(0)
        return turns

    async def run() -> tuple[int, ...]:
        return await together(after(3), after(1), after(2))

    assert asyncio.run(run()) == (3, 1, 2)


async def test_a_change_that_cannot_be_read_leaves_no_git_behind(repository: Repository) -> None:
    """One of the reads fails at a missing object: the event loop closes with no task left, so nothing can wait for ever."""
    pull = repository.change({"a.py": "a = 1\n"}, {"a.py": "a = 2\n"})
    oid = repository.git("rev-parse", f"{pull.head}:a.py")
    Path(repository.folder, ".git", "objects", oid[:2], oid[2:]).unlink()  # noqa: ASYNC240 - nothing else runs in this loop

    async with Checkout(pull) as tree:
        with pytest.raises(GitError):
            await tree.change()
        assert asyncio.all_tasks() == {asyncio.current_task()}
