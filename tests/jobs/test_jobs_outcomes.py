from collections import Counter
from contextlib import closing

import pytest
from job_scene import Diary, Scene, push

from bot.errors import HostDown, HostLimited, HostRefused
from bot.values import Job
from bot.workflow.jobs import Attempt
from deeprepo.rlm.journal.writer import Journal


async def test_failed_job_does_not_affect_the_next_one(on_sqlite: Scene, caplog: pytest.LogCaptureFixture) -> None:
    """The failure is logged with its traceback, reported to the person who asked, and the next job runs."""

    async def fail(ask: Job, _: Attempt) -> None:
        if ask == push(1, head="bad"):
            raise ZeroDivisionError("secret detail")

    diary = Diary(does=fail)
    async with on_sqlite.running(diary) as jobs:
        await jobs.submit(push(1, head="bad"), "guid-1")
        await diary.seen("sorry bad")
        await jobs.submit(push(2, head="good"), "guid-2")
        await diary.seen("end good")
        await on_sqlite.settled(jobs)
    assert diary.sorry == [(push(1, head="bad"), "an error inside deeprepo (ZeroDivisionError)")]
    assert "ZeroDivisionError: secret detail" in caplog.text


async def test_postponed_job_runs_later(on_sqlite: Scene) -> None:
    """If GitHub is down, limits us or refuses without a reason, or an earlier attempt uses the journal, the job runs later."""
    tries: Counter[str] = Counter()
    names = set()

    async def fail(ask: Job, job: Attempt) -> None:
        names.add(job.id)
        tries["all"] += 1
        if tries["all"] == 1:
            raise HostLimited("the limit is reached", 0.05)
        if tries["all"] == 2:
            raise HostDown("GitHub answers with 502")
        if 2 < tries["all"] < 7:  # more often than a refusal with a reason
            raise HostRefused("GitHub refused it", 403, may_pass=True)
        if tries["all"] == 7:
            with closing(Journal(on_sqlite.folder / "one.jsonl")):  # as an earlier attempt would
                Journal(on_sqlite.folder / "one.jsonl")

    diary = Diary(does=fail)
    async with on_sqlite.running(diary) as jobs:
        await jobs.submit(push(head="one"), "guid-1")
        await diary.seen("end one")
        await on_sqlite.settled(jobs)
        assert not await jobs.submit(push(head="one"), "guid-1")
    assert diary.sorry == []
    assert tries["all"] == 8
    assert len(names) == 1


async def test_job_is_abandoned_after_its_last_attempt(on_sqlite: Scene) -> None:
    """If GitHub stays down, the job is given up after its last attempt, with the reason."""

    async def fail(_: Job, __: Attempt) -> None:
        raise HostDown("GitHub answers with 502")

    diary = Diary(does=fail)
    async with on_sqlite.running(diary, tries=1, pause=0.01) as jobs:
        await jobs.submit(push(head="one"), "guid-1")
        await diary.seen("sorry one")
        await on_sqlite.settled(jobs)
    assert diary.told.count("begin one") == 2
    assert diary.sorry == [(push(head="one"), "GitHub answers with 502")]


async def test_postponed_review_is_superseded_by_a_push(on_sqlite: Scene) -> None:
    """A review that waits for GitHub's rate limit is superseded like any other."""

    async def fail(ask: Job, _: Attempt) -> None:
        if ask == push(head="one"):
            raise HostLimited("the limit is reached", 600.0)

    diary = Diary(does=fail)
    async with on_sqlite.running(diary) as jobs:
        await jobs.submit(push(head="one"), "guid-1")
        await diary.seen("HostLimited one")

        async def is_delayed() -> bool:
            return (await jobs.counts())["delayed"] > 0

        await on_sqlite.changes.until(is_delayed)
        await jobs.submit(push(head="two"), "guid-2")
        await diary.seen("end two")
        await on_sqlite.settled(jobs)
