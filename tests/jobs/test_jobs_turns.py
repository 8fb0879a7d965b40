from job_scene import Diary, Scene, command, pull, push

from bot.values import ReviewJob


async def test_command_does_not_wait_for_a_review(on_sqlite: Scene) -> None:
    """A command runs while all review slots are taken, but waits for an earlier one on its pull request."""
    diary = Diary(hold={"one", "slow"})
    async with on_sqlite.running(diary, at_once=1) as jobs:
        await jobs.submit(push(head="one"), "guid-1")
        await diary.seen("begin one")
        await jobs.submit(command("slow"), "guid-2")
        await diary.seen("begin slow")
        await jobs.submit(command("next"), "guid-3")
        await diary.release("slow")
        await diary.seen("end next")
        await diary.release("one")
        await on_sqlite.settled(jobs)
    assert diary.told.index("end slow") < diary.told.index("begin next") < diary.told.index("end one")


async def test_installations_take_turns(scene: Scene) -> None:
    """Each waiting installation gets a turn before the busiest one gets its third."""
    others = [f"other{number}" for number in range(4)]

    diary = Diary(hold={"busy0"})
    async with scene.running(diary, at_once=1) as jobs:
        await jobs.submit(push(0, head="busy0"), "guid-busy0")
        await diary.seen("begin busy0")
        for number in range(1, 6):
            await jobs.submit(push(number, head=f"busy{number}"), f"guid-busy{number}")
        for number, head in enumerate(others):
            await jobs.submit(push(1, installation=20 + number, repository=200 + number, head=head), f"guid-{head}")
        await diary.release("busy0")
        await scene.settled(jobs)
    begun = [line.removeprefix("begin ") for line in diary.told if line.startswith("begin")]
    assert begun == ["busy0", "busy1", *others, "busy2", "busy3", "busy4", "busy5"]


async def test_commands_come_before_pushes_and_strangers_last(on_sqlite: Scene) -> None:
    """Commanded reviews come first, then the team's pushes, then those of outsiders."""
    diary = Diary(hold={"first"})
    async with on_sqlite.running(diary, at_once=1) as jobs:
        await jobs.submit(push(1, head="first"), "guid-1")
        await diary.seen("begin first")
        await jobs.submit(ReviewJob(pull(4), "opened", head="outside", stranger=True), "guid-2")
        await jobs.submit(push(2, head="second"), "guid-3")
        await jobs.submit(ReviewJob(pull(3), "command", head="spoken"), "guid-4")
        assert await jobs.counts() == {"waiting": 3, "delayed": 0, "running": 1}
        await diary.release("first")
        await on_sqlite.settled(jobs)
    begun = [line.removeprefix("begin ") for line in diary.told if line.startswith("begin")]
    assert begun == ["first", "spoken", "second", "outside"]
