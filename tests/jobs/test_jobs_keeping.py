import asyncio
import json
import stat
from dataclasses import MISSING, asdict, fields
from typing import get_args

import pytest
from job_scene import Diary, Scene, command, pull, push
from pydantic import TypeAdapter

from bot.values import Forget, Job
from bot.workflow.jobs import Attempt, Jobs, engine, records
from bot.workflow.jobs.queue import LOOKS_OF_OURS


def names(scene: Scene) -> set[str]:
    table = "dbos.workflow_status" if scene.url else "workflow_status"
    return {name for (name,) in scene.sql(f"SELECT workflow_uuid FROM {table}")}  # noqa: S608 - names of our own


async def find_lost_jobs(board: Jobs) -> None:
    """Search for jobs that are stored as running but do not run, as often as it takes to find them."""
    for _ in range(LOOKS_OF_OURS):
        await board.sweep()


async def test_orphaned_job_is_requeued(on_sqlite: Scene) -> None:
    """A job that the database assigns to this process, but that is not running, is found and done."""
    diary = Diary()
    async with on_sqlite.running(diary) as board:
        await board.submit(push(head="one"), "guid-1", delay=60)
        on_sqlite.sql("UPDATE workflow_status SET status = 'PENDING', executor_id = 'here'")
        await find_lost_jobs(board)
        await diary.seen("end one")


async def test_two_reviews_left_by_a_crash_are_merged(scene: Scene) -> None:
    """If a process died between storing a review and ending the previous one, only the newer one runs.

    It includes what a person asked of the older one.
    """
    async with scene.running(Diary()) as board:
        await board.submit(push(1, head="older"), "guid-1", delay=60)
        await board.submit(push(1, head="newer"), "guid-2", delay=60)
    table = "dbos.workflow_status" if scene.url else "workflow_status"
    scene.sql(f"UPDATE {table} SET status = 'ENQUEUED', queue_name = 'reviews'")  # noqa: S608 - a name of our own
    diary = Diary()
    async with scene.running(diary) as board:
        await diary.seen("end newer")
        await scene.settled(board)
        await find_lost_jobs(board)
        await scene.settled(board)
    assert [line for line in diary.told if line.startswith("end")] == ["end newer"]


async def test_newer_review_ends_the_running_older_one(scene: Scene) -> None:
    """A newer review waits for the older one to end, even if the process that stored it did not end it."""
    diary = Diary(hold={"one"})
    async with scene.running(diary) as board:
        await board.submit(push(head="one"), "guid-1")
        await diary.seen("begin one")
        newer = push(head="two")
        assert await engine.put(newer, records.name(newer, "guid-2"), delay=0.0)
        await diary.seen("end two")
        await find_lost_jobs(board)
        await scene.settled(board)
    assert diary.told == ["begin one", "SupersededError one", "begin two", "end two"]


async def test_uninstalling_deletes_the_installations_jobs(scene: Scene) -> None:
    """When the App is removed, its jobs are ended and deleted, for one repository or all; others stay."""
    diary = Diary(hold={"running"})
    async with scene.running(diary) as board:
        await board.submit(push(1, repository=71, head="done"), "guid-1")
        await board.submit(push(1, installation=8, repository=80, head="other"), "guid-2")
        await diary.seen("end done", "end other")
        await board.submit(push(1, repository=70, head="running"), "guid-3")
        await board.submit(push(2, repository=70, head="waiting"), "guid-4", delay=60)
        await diary.seen("begin running")

        async def forget(_: Job, __: Attempt) -> None:
            await board.forget(7, (70,))

        diary.does = forget
        await board.submit(Forget(7, (70,)), "guid-5")
        await diary.seen("SupersededError running", "end Forget")
        await scene.settled(board)
        left = {"review~7~71#1~guid-1", "review~8~80#1~guid-2", "small~7~all~guid-5"}
        assert await asyncio.to_thread(names, scene) == left
        assert await board.forget(7) == 2
        assert await asyncio.to_thread(names, scene) == {"review~8~80#1~guid-2"}


async def test_old_finished_jobs_are_deleted(on_sqlite: Scene) -> None:
    """Jobs that ended long ago are deleted with all their data; newer and unfinished ones stay."""
    async with on_sqlite.running(Diary()) as board:
        for number in range(3):
            await board.submit(push(number, head=f"h{number}"), f"guid-{number}")
        await on_sqlite.settled(board)
        await board.submit(push(9, head="waits"), "guid-9", delay=600)
    for number in (0, 1):
        on_sqlite.sql(f"UPDATE workflow_status SET completed_at = 1000 WHERE workflow_uuid LIKE '%guid-{number}'")  # noqa: S608
    async with on_sqlite.running(Diary()) as board:
        await board.tidy_up()
        assert names(on_sqlite) == {"review~7~70#2~guid-2", "review~7~70#9~guid-9"}


async def test_asks_are_stored_as_plain_json(on_sqlite: Scene) -> None:
    """The database contains JSON that only its owner can read, and reading it runs no code."""
    async with on_sqlite.running(Diary()) as board:
        await board.submit(command(), "guid-1")
        await on_sqlite.settled(board)
    ((stored,),) = on_sqlite.sql("SELECT inputs FROM workflow_input")
    assert '"kind\\":\\"CommandAsk' in json.dumps(json.loads(stored))
    assert {stat.S_IMODE(path.stat().st_mode) for path in on_sqlite.folder.iterdir()} == {0o600}


@pytest.mark.parametrize("kind", get_args(Job), ids=lambda kind: kind.__name__)
def test_every_kind_of_job_can_be_stored(kind: type[Job]) -> None:
    """Every job is read back as it was written, and belongs to a queue."""
    values = {"pull": asdict(pull()), "comment": {"id": 1, "kind": "issue"}, "trigger": "push", "reason": "closed"}
    needed = {one.name for one in fields(kind) if one.default is MISSING}
    written = {name: values.get(name, 7 if name in ("installation", "repository") else "x") for name in needed}
    job = records.read(
        json.dumps(
            {
                "kind": records.STORED_NAMES.get(kind, kind.__name__),
                "form": records.JOB_FORM,
                **written,
                "mentioned": True,
            }
        )
    )
    assert job is not None
    assert records.read(records.write(job)) == job
    assert records.queue(records.name(job, "guid")) in ("reviews", "commands")


NEWER = """UPDATE workflow_input SET inputs = replace(replace(inputs, '\\"form\\":1', '\\"form\\":2'), '\\"by\\":\\"', '\\"by\\":\\"9.')"""


async def test_unreadable_job_waits_for_the_build_that_stored_it(on_sqlite: Scene) -> None:
    """An unreadable job is kept, readiness names its build, and a build that can read it does the job."""
    diary = Diary()
    async with on_sqlite.running(diary) as board:
        await board.submit(push(head="one"), "guid-1", delay=60)
    on_sqlite.sql(NEWER)
    on_sqlite.sql("UPDATE workflow_status SET status = 'ENQUEUED', delay_until_epoch_ms = NULL")
    async with on_sqlite.running(diary) as board:
        ready, why = await board.unready(), await board.unread()
        await board.submit(push(2, head="two"), "guid-2")
        await diary.seen("end two")
    assert (ready, "1 that another build (9." in why) == ("", True)
    on_sqlite.sql(NEWER.replace('\\":1', '\\":X').replace('\\":2', '\\":1').replace('\\":X', '\\":2'))
    async with on_sqlite.running(diary) as board:
        await diary.seen("end one")
        await on_sqlite.settled(board)
        assert await board.unread() == ""


async def test_step_recorded_by_another_build_is_not_repeated(on_sqlite: Scene) -> None:
    """The command's author is told that this build cannot read the result, and nothing is done twice."""
    form = TypeAdapter(int)
    done: list[str] = []

    async def work(_: Job, job: Attempt) -> None:
        await job.step("count", lambda: asyncio.sleep(0, "many"), TypeAdapter(str))
        await job.step("count", lambda: asyncio.sleep(0, done.append("again") or 1), form)

    diary = Diary(does=work)
    async with on_sqlite.running(diary) as board:
        await board.submit(command(), "guid-1")
        await on_sqlite.settled(board)
    assert (done, len(diary.sorry)) == ([], 1)
    assert "another build of deeprepo began this" in diary.sorry[0][1]
