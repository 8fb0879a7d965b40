import asyncio

import pytest
from families import few
from job_scene import Diary, Scene, command, pull, push

from bot.values import CommandAsk, CommentRef, ReviewAsk


def test_a_command_does_not_wait_for_a_review(on_sqlite: Scene) -> None:
    """While the reviews' places are taken, a command is answered; a second one of the pull request waits for the first."""

    async def story() -> None:
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

    asyncio.run(story())


def test_a_busy_installation_leaves_room_for_others(scene: Scene) -> None:
    """With all places of a big installation taken and more waiting, a small one's review begins."""

    async def story() -> None:
        big = [f"big{number}" for number in range(6)]
        diary = Diary(hold=set(big))
        async with scene.running(diary, at_once=3, per_installation=2) as jobs:
            for number, head in enumerate(big):
                await jobs.submit(push(number, head=head), f"guid-{head}")
            await jobs.submit(push(50, installation=8, repository=80, head="small"), "guid-small")
            await diary.seen("end small")
            assert sum(line.startswith("begin big") for line in diary.told) <= 2
            for head in big:
                await diary.release(head)
            await scene.settled(jobs)
        assert all(f"end {head}" in diary.told for head in big)

    asyncio.run(story())


def test_a_person_goes_before_a_push(on_sqlite: Scene) -> None:
    """Of the reviews that wait in an installation, the one that a person asked for comes first."""

    async def story() -> None:
        diary = Diary(hold={"first"})
        async with on_sqlite.running(diary, per_installation=1) as jobs:
            await jobs.submit(push(1, head="first"), "guid-1")
            await diary.seen("begin first")
            await jobs.submit(push(2, head="second"), "guid-2")
            await jobs.submit(ReviewAsk(pull(3), "command", head="spoken"), "guid-3")
            await diary.release("first")
            await on_sqlite.settled(jobs)
        assert [line for line in diary.told if line.startswith("begin")] == [
            "begin first",
            "begin spoken",
            "begin second",
        ]

    asyncio.run(story())


def test_the_counts_tell_what_waits_and_runs(on_sqlite: Scene) -> None:
    """Waiting, delayed and running jobs are counted apart."""

    async def story() -> None:
        diary = Diary(hold={"first"})
        async with on_sqlite.running(diary, per_installation=1) as jobs:
            await jobs.submit(push(1, head="first"), "guid-1")
            await jobs.submit(push(2, head="second"), "guid-2")
            await jobs.submit(push(3, head="third"), "guid-3", delay=60)
            await diary.seen("begin first")
            assert await jobs.counts() == {"waiting": 1, "delayed": 1, "running": 1}

    asyncio.run(story())


def test_a_restart_obeys_its_new_limits(scene: Scene) -> None:
    """A process that starts with lower limits than the one before takes no job by the old ones."""
    heads = ["first", "second", "third"]

    async def story() -> None:
        before = Diary(hold=set(heads))
        async with scene.running(before, per_installation=3) as jobs:
            for number, head in enumerate(heads):
                await jobs.submit(push(number, head=head), f"guid-{head}")
            await before.seen(*(f"begin {head}" for head in heads))
        after = Diary(hold=set(heads))
        async with scene.running(after, per_installation=1) as jobs:
            await after.seen("begin first")
            assert await jobs.counts() == {"waiting": 2, "delayed": 0, "running": 1}
            for head in heads:
                await after.release(head)
            await scene.settled(jobs)
        assert [line for line in after.told if line.startswith("begin")] == [f"begin {head}" for head in heads]

    asyncio.run(story())


@pytest.mark.parametrize("each", few([1, 2], 0))
def test_places_are_given_in_turns(scene: Scene, each: int) -> None:
    """Of five installations that wait for one place, each has it once before the one that asked for most has it a third time."""
    others = [f"other{number}" for number in range(4)]

    async def story() -> None:
        diary = Diary(hold={"busy0"})
        async with scene.running(diary, at_once=1, per_installation=each) as jobs:
            for number in range(6):
                await jobs.submit(push(number, head=f"busy{number}"), f"guid-busy{number}")
            await diary.seen("begin busy0")
            for number, head in enumerate(others):
                await jobs.submit(push(1, installation=20 + number, repository=200 + number, head=head), f"guid-{head}")
            await diary.release("busy0")
            await scene.settled(jobs)
        begun = [line.removeprefix("begin ") for line in diary.told if line.startswith("begin")]
        assert begun[:6] == ["busy0", "busy1", *others]
        assert begun[6:] == ["busy2", "busy3", "busy4", "busy5"]

    asyncio.run(story())


def test_who_comes_back_goes_to_the_end(scene: Scene) -> None:
    """A pause gives no right to go before those who wait already."""

    async def story() -> None:
        diary = Diary(hold={"first"})
        async with scene.running(diary, at_once=1) as jobs:
            await jobs.submit(push(1, installation=21, repository=201, head="back"), "guid-0")
            await diary.seen("end back")
            await jobs.submit(push(1, head="first"), "guid-1")
            await diary.seen("begin first")
            await jobs.submit(push(1, installation=22, repository=202, head="waits"), "guid-2")
            await jobs.submit(push(2, installation=21, repository=201, head="back again"), "guid-3")
            await diary.release("first")
            await scene.settled(jobs)
        assert [line for line in diary.told if line.startswith("begin")][2:] == ["begin waits", "begin back again"]

    asyncio.run(story())


def _asked(word: str, number: int, who: str, installation: int = 7, *, stranger: bool = False) -> CommandAsk:
    """A command of a person in a pull request of its own."""
    return CommandAsk(pull(number, installation=installation, repository=10 * installation), word, "", who, CommentRef(number, "issue"), stranger)  # fmt: skip


def test_commands_of_one_installation_leave_places_to_others(scene: Scene) -> None:
    """With nine slow questions in one installation half of the places are taken: another installation's command begins at once."""

    async def story() -> None:
        slow = [f"slow{number}" for number in range(9)]
        diary = Diary(hold=set(slow))
        async with scene.running(diary, at_once=8) as jobs:
            for number, word in enumerate(slow):
                await jobs.submit(_asked(word, number, f"person{number}"), f"guid-{word}")
            await diary.seen("begin slow0", "begin slow1", "begin slow2", "begin slow3")
            await jobs.submit(_asked("other", 50, "ann", 8), "guid-other")
            await diary.seen("end other")
            assert sum(line.startswith("begin slow") for line in diary.told) == 4
            for word in slow:
                await diary.release(word)
            await scene.settled(jobs)
        assert all(f"end {word}" in diary.told for word in slow)

    asyncio.run(story())


def test_commands_of_one_person_leave_places_to_colleagues(on_sqlite: Scene) -> None:
    """A person has at most a quarter of the places: a colleague's command overtakes the person's others."""

    async def story() -> None:
        slow = [f"slow{number}" for number in range(5)]
        diary = Diary(hold=set(slow))
        async with on_sqlite.running(diary, at_once=8) as jobs:
            for number, word in enumerate(slow):
                await jobs.submit(_asked(word, number, "greedy"), f"guid-{word}")
            await diary.seen("begin slow0", "begin slow1")
            await jobs.submit(_asked("colleague", 50, "ann"), "guid-colleague")
            await diary.seen("end colleague")
            assert sum(line.startswith("begin slow") for line in diary.told) == 2
            for word in slow:
                await diary.release(word)
            await on_sqlite.settled(jobs)

    asyncio.run(story())


def test_the_team_goes_before_strangers(on_sqlite: Scene) -> None:
    """Of the commands that wait in one pull request, and of the reviews of an installation, the team's come first."""

    async def story() -> None:
        diary = Diary(hold={"first", "head0"})
        async with on_sqlite.running(diary, per_installation=1) as jobs:
            await jobs.submit(_asked("first", 1, "ann"), "guid-1")
            await diary.seen("begin first")
            await jobs.submit(_asked("stranger", 1, "mallory", stranger=True), "guid-2")
            await jobs.submit(_asked("team", 1, "ann"), "guid-3")
            await diary.release("first")
            await diary.seen("end stranger")
            await jobs.submit(push(10, head="head0"), "guid-4")
            await diary.seen("begin head0")
            await jobs.submit(ReviewAsk(pull(11), "opened", head="fork", stranger=True), "guid-5")
            await jobs.submit(push(12, head="own"), "guid-6")
            await diary.release("head0")
            await on_sqlite.settled(jobs)
        began = [line for line in diary.told if line.startswith("begin")]
        assert began == [f"begin {name}" for name in ("first", "team", "stranger", "head0", "own", "fork")]

    asyncio.run(story())
