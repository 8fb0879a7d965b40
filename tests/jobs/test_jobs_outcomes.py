import asyncio
from collections import Counter
from contextlib import closing

import pytest
from job_scene import Diary, Scene, push

from bot.errors import DeepRepoError, HostDown, HostLimited, HostRefused, SupersededError
from bot.journal.writer import Journal
from bot.ports import Job
from bot.values import Ask


def test_a_fault_ends_its_job_alone(on_sqlite: Scene, caplog: pytest.LogCaptureFixture) -> None:
    """A job that fails is logged with its traceback, the person who asked gets a reason, and the next job is carried out."""

    async def fail(ask: Ask, _: Job) -> None:
        if ask == push(1, head="bad"):
            raise ZeroDivisionError("secret detail")

    async def story() -> None:
        diary = Diary(does=fail)
        async with on_sqlite.running(diary) as jobs:
            await jobs.submit(push(1, head="bad"), "guid-1")
            await diary.seen("sorry bad")
            await jobs.submit(push(2, head="good"), "guid-2")
            await diary.seen("end good")
            await on_sqlite.settled(jobs)
        assert diary.sorry == [(push(1, head="bad"), "an error inside deeprepo (ZeroDivisionError)")]

    asyncio.run(story())
    assert "ZeroDivisionError: secret detail" in caplog.text


def test_what_we_raise_on_purpose_is_told_as_it_is(on_sqlite: Scene) -> None:
    """The person who asked gets the sentence of a deeprepo error."""

    async def fail(_: Ask, __: Job) -> None:
        raise DeepRepoError("the change is too large")

    async def story() -> None:
        diary = Diary(does=fail)
        async with on_sqlite.running(diary) as jobs:
            await jobs.submit(push(head="one"), "guid-1")
            await diary.seen("sorry one")
        assert diary.sorry == [(push(head="one"), "the change is too large")]

    asyncio.run(story())


def test_a_job_that_is_put_off_comes_again(on_sqlite: Scene) -> None:
    """If GitHub is away or asks to wait, or an earlier attempt still writes the journal, the job is stored for later, and done then."""
    tries: Counter[str] = Counter()
    names = set()

    async def fail(ask: Ask, job: Job) -> None:
        names.add(job.id)
        tries["all"] += 1
        if tries["all"] == 1:
            raise HostLimited("the limit is reached", 0.05)
        if tries["all"] == 2:
            raise HostDown("GitHub answers with 502")
        if tries["all"] == 3:
            with closing(Journal(on_sqlite.folder / "one.jsonl")):  # as an attempt does that is still ending
                Journal(on_sqlite.folder / "one.jsonl")

    async def story() -> None:
        diary = Diary(does=fail)
        async with on_sqlite.running(diary) as jobs:
            await jobs.submit(push(head="one"), "guid-1")
            await diary.seen("end one")
            await on_sqlite.settled(jobs)
            assert not await jobs.submit(push(head="one"), "guid-1")
        assert diary.sorry == []

    asyncio.run(story())
    assert tries["all"] == 4
    assert len(names) == 1


def test_a_job_is_put_off_so_often_and_no_more(on_sqlite: Scene) -> None:
    """When GitHub stays away, the job is given up after its last try, with the reason."""

    async def fail(_: Ask, __: Job) -> None:
        raise HostDown("GitHub answers with 502")

    async def story() -> None:
        diary = Diary(does=fail)
        async with on_sqlite.running(diary, tries=1, pause=0.01) as jobs:
            await jobs.submit(push(head="one"), "guid-1")
            await diary.seen("sorry one")
            await on_sqlite.settled(jobs)
        assert diary.told.count("begin one") == 2
        assert diary.sorry == [(push(head="one"), "GitHub answers with 502")]

    asyncio.run(story())


def test_a_put_off_review_gives_way_to_a_push(on_sqlite: Scene) -> None:
    """A review that waits for GitHub's limit is superseded like any other."""

    async def fail(ask: Ask, _: Job) -> None:
        if ask == push(head="one"):
            raise HostLimited("the limit is reached", 600.0)

    async def story() -> None:
        diary = Diary(does=fail)
        async with on_sqlite.running(diary) as jobs:
            await jobs.submit(push(head="one"), "guid-1")
            await diary.seen("HostLimited one")
            while (await jobs.counts())["delayed"] == 0:  # noqa: ASYNC110 - a database tells nobody
                await asyncio.sleep(0)
            await jobs.submit(push(head="two"), "guid-2")
            await diary.seen("end two")
            await on_sqlite.settled(jobs)

    asyncio.run(story())


def test_a_job_may_end_itself(on_sqlite: Scene) -> None:
    """Work that finds its head moved ends quietly: nobody is told, nothing is tried again."""

    async def leave(_: Ask, __: Job) -> None:
        raise SupersededError("the head moved")

    async def story() -> None:
        diary = Diary(does=leave)
        async with on_sqlite.running(diary) as jobs:
            await jobs.submit(push(head="one"), "guid-1")
            await on_sqlite.settled(jobs)
        assert diary.told == ["begin one", "SupersededError one"]
        assert diary.sorry == []

    asyncio.run(story())


def test_steps_hold_plain_values(on_sqlite: Scene) -> None:
    """A step returns what JSON makes of its result, in the first attempt too; what is no JSON or too large is refused."""
    results: list[object] = []

    async def give(value: object) -> object:
        return value

    async def steps(_: Ask, job: Job) -> None:
        results.append(await job.step("pair", lambda: give({"pair": (1, 2)})))  # type: ignore[arg-type, return-value]
        for name, value in (("object", object()), ("large", "x" * 1_200_000)):
            with pytest.raises(DeepRepoError, match=f"the step {name} returned"):
                await job.step(name, lambda value=value: give(value))  # type: ignore[misc]

    async def story() -> None:
        diary = Diary(does=steps)
        async with on_sqlite.running(diary) as jobs:
            await jobs.submit(push(head="one"), "guid-1")
            await on_sqlite.settled(jobs)
        assert diary.told == ["begin one", "end one"]

    asyncio.run(story())
    assert results == [{"pair": [1, 2]}]


def test_a_refusal_is_tried_again_a_few_times(on_sqlite: Scene) -> None:
    """Refusals are counted apart from failures, the work knows its last try, and the person who asked gets the reason after it."""
    lasts: list[bool] = []

    async def fail(_: Ask, job: Job) -> None:
        lasts.append(job.last)
        if len(lasts) == 2:
            raise HostDown("GitHub answers with 502")
        raise HostRefused("GitHub refuses it", 403)

    async def story() -> None:
        diary = Diary(does=fail)
        async with on_sqlite.running(diary, refusals=2, refusal_pause=0.01, pause=0.01) as jobs:
            await jobs.submit(push(head="one"), "guid-1")
            await diary.seen("sorry one")
            await on_sqlite.settled(jobs)
        assert lasts == [False, False, False, True]
        assert diary.sorry == [(push(head="one"), "GitHub refuses it")]

    asyncio.run(story())
