import asyncio
from dataclasses import replace

import pytest
from job_scene import Diary, Scene, command, pull, push

from bot.values import CommentRef, Forget, Job, MergeGroup, ReviewJob

SPOKEN = ReviewJob(pull(), "command", full=True, actor="ann", comment=CommentRef(9, "review", 4), head="spoken")


async def test_each_kind_of_job_runs_once(scene: Scene) -> None:
    """Every kind of job is done once, exactly as submitted."""
    diary = Diary()
    asks: list[Job] = [SPOKEN, command(), Forget(7, (70, 71)), MergeGroup(7, 70, "owner", "name", "queued")]
    async with scene.running(diary) as jobs:
        for number, ask in enumerate(asks):
            assert await jobs.submit(ask, f"guid-{number}")
        await scene.settled(jobs)
    assert sorted(diary.told) == sorted(
        f"{what} {name}" for what in ("begin", "end") for name in ("spoken", "help", "Forget", "queued")
    )
    assert all(ask in diary.asks for ask in asks)


def test_newer_push_supersedes_the_older(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    """A push cancels the running review, only the newer one completes, and no warning is logged."""

    async def story() -> None:
        diary = Diary(hold={"one"})
        async with scene.running(diary) as jobs:
            await jobs.submit(push(head="one"), "guid-1")
            await diary.seen("begin one")
            await jobs.submit(push(head="two"), "guid-2")
            await diary.seen("end two")
            await scene.settled(jobs)
        assert diary.told == ["begin one", "SupersededError one", "begin two", "end two"]
        assert diary.sorry == []

    with caplog.at_level("WARNING"):
        asyncio.run(story())
    assert caplog.text == ""


async def test_burst_of_pushes_causes_one_review(on_sqlite: Scene) -> None:
    """Of several pushes in quick succession, only the last is reviewed."""
    diary = Diary()
    async with on_sqlite.running(diary, debounce=0.5) as jobs:
        for number in range(6):
            await jobs.submit(push(head=f"h{number}"), f"guid-{number}")
        await on_sqlite.settled(jobs)
    assert [line for line in diary.told if line.startswith("end")] == ["end h5"]


async def test_duplicate_delivery_is_refused(scene: Scene) -> None:
    """A known delivery is refused, whether running or finished, and does not end a newer review."""
    diary = Diary(hold={"two"})
    async with scene.running(diary) as jobs:
        assert await jobs.submit(push(head="one"), "guid-1")
        await diary.seen("end one")
        await scene.settled(jobs)
        assert await jobs.submit(push(head="two"), "guid-2")
        await diary.seen("begin two")
        assert not await jobs.submit(push(head="one"), "guid-1")
        assert not await jobs.submit(push(head="two"), "guid-2")
        await diary.release("two")
        await diary.seen("end two")
        assert await jobs.submit(command(), "guid-3")
        assert not await jobs.submit(command(), "guid-3")
        await scene.settled(jobs)
    assert diary.told.count("begin two") == diary.told.count("begin help") == 1


async def test_push_keeps_the_command_it_replaces(on_sqlite: Scene) -> None:
    """A push that replaces a commanded review keeps the command and the head at which it was given."""
    diary = Diary(hold={"spoken"})
    async with on_sqlite.running(diary) as jobs:
        await jobs.submit(SPOKEN, "guid-1")
        await diary.seen("begin spoken")
        await jobs.submit(push(head="two"), "guid-2")
        await diary.release("spoken")
        await on_sqlite.settled(jobs)
    assert len(diary.asks) == 2
    assert diary.asks[-1] == replace(SPOKEN, base="unknown", inherited=True, also=("push",))


async def test_cancel_ends_waiting_and_running_reviews(scene: Scene) -> None:
    """Canceling ends and counts a pull request's reviews, except those submitted after the decision."""
    diary = Diary(hold={"one", "other"})
    async with scene.running(diary) as jobs:
        await jobs.submit(push(1, head="one"), "guid-1")
        await jobs.submit(push(11, head="other"), "guid-2")
        await jobs.submit(push(2, head="later"), "guid-3", delay=60)
        await diary.seen("begin one", "begin other")
        before = list(await jobs.reviews(pull(1)))
        await jobs.submit(push(1, head="newer"), "guid-5")
        assert await jobs.cancel(pull(1), before) == 0
        assert await jobs.cancel(pull(2)) == 1
        assert await jobs.cancel(pull(2)) == 0
        await diary.seen("SupersededError one")
        await diary.release("other")
        await scene.settled(jobs)
    assert {"end other", "end newer"} <= set(diary.told)
    assert "begin later" not in diary.told


async def test_catch_up_leaves_waiting_and_running_reviews_alone(on_sqlite: Scene) -> None:
    """A catch-up doesn't touch a pull request whose review already waits or runs."""
    diary = Diary(hold={"one"})
    missed = ReviewJob(pull(), "catch-up", head="missed")
    async with on_sqlite.running(diary) as jobs:
        await jobs.submit(push(head="one"), "guid-1")
        await diary.seen("begin one")
        assert not await jobs.submit(missed, "catch-up-1")
        await diary.release("one")
        await on_sqlite.settled(jobs)
        assert await jobs.submit(missed, "catch-up-2")
        await diary.seen("end missed")
