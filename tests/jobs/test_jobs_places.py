import asyncio

import pytest
from job_scene import Diary, Scene, push

from bot import storage
from bot.errors import UsageError
from bot.workflow.jobs.engine import Keys


async def test_second_process_is_refused(on_sqlite: Scene) -> None:
    """A data folder serves one process; the error names that process and says what to do."""
    async with on_sqlite.running(Diary()):
        with pytest.raises(UsageError, match=r"is in use by another process \(process \d+\)\. Stop it first"):
            async with on_sqlite.running(Diary()):
                pass


async def test_process_without_workers_stores_jobs_for_a_worker(on_postgres: Scene) -> None:
    """A process that runs no jobs itself stores them, and a worker runs them."""
    idle, diary = Diary(), Diary()
    async with on_postgres.running(idle, given={"work_here": False}) as board:
        await board.submit(push(head="one"), "guid-1")
        assert await board.unready() == ""
        assert await board.counts() == {"waiting": 1, "delayed": 0, "running": 0}
    async with on_postgres.running(diary, given={"serve": False}):
        await diary.seen("end one")
    assert idle.told == []


async def test_pull_request_lock_applies_across_processes(on_postgres: Scene) -> None:
    """A lock on a pull request in the database blocks other processes, but only for this pull request."""
    told = []
    async with storage.open_store(on_postgres.url) as store:
        one, other = Keys(store.database, "one"), Keys(store.database, "other")

        async def wait() -> None:
            async with other.alone("70#1"):
                told.append("other")

        async with one.alone("70#1"):
            waiting = asyncio.create_task(wait())
            async with other.alone("70#2"):
                told.append("elsewhere")
            told.append("one")
        await waiting
        assert await one.alive(frozenset({"one", "other", "nobody"})) == {"one", "other"}
        await other.leave()
        await one.leave()
    assert told == ["elsewhere", "one", "other"]
