import asyncio
import json
import logging
import sqlite3
import stat
from contextlib import closing
from dataclasses import MISSING, asdict, fields
from pathlib import Path
from typing import get_args

import pytest
from job_scene import Diary, Scene, command, pull, push

from bot.errors import StorageError
from bot.jobs import codec, ids
from bot.ports import Job
from bot.values import Ask, Forget, ReviewAsk


def test_jobs_of_another_version_are_adopted(scene: Scene) -> None:
    """What an earlier version had stored, waiting or begun, is carried out by this one."""

    async def story() -> None:
        diary = Diary(hold={"begun"})
        async with scene.running(diary, per_installation=1) as board:
            await board.submit(push(1, head="begun"), "guid-1")
            await diary.seen("begin begun")
            await board.submit(push(2, head="waiting"), "guid-2")
        scene.sql("UPDATE job SET version = 'deeprepo-wf-0'")
        scene.sql("UPDATE job SET state = 'running', executor = 'here' WHERE id LIKE '%guid-1'")
        later = Diary()
        async with scene.running(later) as board:
            await later.seen("end begun", "end waiting")
            await scene.settled(board)
            assert not await board.submit(push(2, head="waiting"), "guid-2")

    asyncio.run(story())


def test_a_job_that_fell_through_is_put_back(on_sqlite: Scene) -> None:
    """A job that is ours by the database, and that nobody runs, is found and carried out."""

    async def story() -> None:
        diary = Diary()
        async with on_sqlite.running(diary, look=0.05) as board:
            await board.submit(push(head="one"), "guid-1", delay=60)
            on_sqlite.sql(
                "UPDATE job SET state = 'running', executor = 'here', attempts = 1, due_at = 0 WHERE state = 'waiting'"
            )
            await diary.seen("end one")

    asyncio.run(story())


def test_two_reviews_left_by_a_crash_become_one(scene: Scene) -> None:
    """Where a process of an earlier version died between storing a review and ending the one before, the newer is carried out: it was stored with what a person asked of the older."""

    async def story() -> None:
        async with scene.running(Diary()) as board:
            await board.submit(ReviewAsk(pull(1), "command", head="spoken"), "guid-1", delay=60)
            await board.submit(push(2, head="older"), "guid-2", delay=60)
            await board.submit(push(3, head="newer"), "guid-3", delay=60)
            await board.submit(push(4, head="pushed"), "guid-4", delay=60)
        for name, was, number in (("guid-4", 4, 1), ("guid-3", 3, 2)):
            ask = f"replace(ask, '\"number\":{was}', '\"number\":{number}')"
            scene.sql(f"UPDATE job SET id = 'review~70#{number}~{name}', ask = {ask} WHERE id LIKE '%{name}'")  # noqa: S608
        scene.sql("UPDATE job SET due_at = created_at")
        diary = Diary()
        async with scene.running(diary, per_installation=8) as board:
            await scene.settled(board)
        assert sorted(line for line in diary.told if line.startswith("end")) == ["end newer", "end pushed"]

    asyncio.run(story())


def test_an_installation_is_forgotten(scene: Scene) -> None:
    """When the App is removed, the installation's jobs are ended and deleted, by repository or all; others stay."""

    async def story() -> None:
        diary = Diary(hold={"running"})
        async with scene.running(diary, per_installation=4) as board:
            await board.submit(push(1, repository=71, head="done"), "guid-1")
            await board.submit(push(1, installation=8, repository=80, head="other"), "guid-2")
            await diary.seen("end done", "end other")
            await board.submit(push(1, repository=70, head="running"), "guid-3")
            await board.submit(push(2, repository=70, head="waiting"), "guid-4", delay=60)
            await diary.seen("begin running")

            async def forget(_: Ask, __: Job) -> None:
                await board.forget(7, (70,))

            diary.does = forget
            await board.submit(Forget(7, (70,)), "guid-5")
            await diary.seen("SupersededError running", "end Forget")
            await scene.settled(board)
            left = {name for (name,) in scene.sql("SELECT id FROM job")}
            assert left == {"review~71#1~guid-1", "review~80#1~guid-2", "small~7~guid-5"}
            assert await board.forget(7) == 2
            assert scene.sql("SELECT id FROM job") == [("review~80#1~guid-2",)]

    asyncio.run(story())


def test_old_jobs_are_deleted(scene: Scene) -> None:
    """Jobs that ended long ago are deleted with all that is stored of them; newer and unfinished ones stay."""

    async def story() -> None:
        async with scene.running(Diary()) as board:
            for number in range(3):
                await board.submit(push(number, head=f"h{number}"), f"guid-{number}")
            await scene.settled(board)
            await board.submit(push(9, head="waits"), "guid-9", delay=600)
        old = "UPDATE job SET finished_at = 1000, created_at = 1000 WHERE id LIKE '%guid-{}'"
        scene.sql(old.format(0))
        scene.sql(old.format(1))
        async with scene.running(Diary()) as board, asyncio.timeout(20):
            while len(await asyncio.to_thread(scene.sql, "SELECT 1 FROM job")) > 2:  # noqa: ASYNC110 - a database tells nobody
                await asyncio.sleep(0.01)
            left = {name for (name,) in scene.sql("SELECT id FROM job")}
            assert left == {"review~70#2~guid-2", "review~70#9~guid-9"}
            assert (await board.counts())["delayed"] == 1

    asyncio.run(story())


def test_asks_are_stored_as_plain_text(on_sqlite: Scene) -> None:
    """The database holds JSON until the job's end, and is its owner's alone: reading it runs nothing."""

    async def story() -> None:
        async with on_sqlite.running(Diary()) as board:
            await board.submit(command(), "guid-1")
            await on_sqlite.settled(board)
            await board.submit(push(), "guid-2", delay=60)

    asyncio.run(story())
    done, waiting = on_sqlite.sql("SELECT ask FROM job ORDER BY created_at")
    assert done == ("",)
    assert waiting[0].startswith('{"kind":"ReviewAsk"')
    assert {stat.S_IMODE(path.stat().st_mode) for path in on_sqlite.folder.iterdir()} == {0o600}


def test_a_damaged_ask_is_a_sentence() -> None:
    """A payload that is not an ask raises an error of the product; fields that another version added are left out."""
    for text in ("", "[]", '{"kind":"Unknown"}', '{"kind":"Forget"}', '{"kind":"ReviewAsk","pull":4,"trigger":"x"}'):
        with pytest.raises(StorageError, match="cannot be read"):
            codec.read(text)
    assert codec.read('{"kind":"Forget","installation":7,"repositories":[1],"later":true}') == Forget(7, (1,))


@pytest.mark.parametrize("kind", get_args(Ask), ids=lambda kind: kind.__name__)
def test_every_kind_of_ask_can_be_stored(kind: type[Ask]) -> None:
    """What is asked is read back as it was written, and its job is in a queue and its installation's turn."""
    values = {"pull": asdict(pull()), "comment": {"id": 1, "kind": "issue"}, "trigger": "push", "reason": "closed"}
    needed = {one.name for one in fields(kind) if one.default is MISSING}
    written = {name: values.get(name, 7 if name in ("installation", "repository") else "x") for name in needed}
    ask = codec.read(json.dumps({"kind": kind.__name__, **written, "mentioned": True}))
    assert codec.read(codec.write(ask)) == ask
    assert ids.queue(ids.name(ask, "guid")) in ids.QUEUES.values()
    assert ids.places(ask)["installation"] in (7, pull().installation)


def test_names_of_jobs_are_harmless() -> None:
    """A delivery's id cannot make a name that means another job."""
    hostile = ids.name(push(), "x~1#2~y+7/%_\n" + "z" * 500)
    assert hostile.startswith("review~70#1~x-1-2-y-7")
    assert len(hostile) < 150
    assert ids.root(ids.following(ids.following(hostile))) == hostile
    assert ids.tries(ids.following(ids.following(hostile))) == 2


def test_superseding_is_no_warning(on_sqlite: Scene, caplog: pytest.LogCaptureFixture) -> None:
    """Superseding a running review writes no warning and no traceback."""

    async def story() -> None:
        diary = Diary(hold={"one"})
        async with on_sqlite.running(diary) as board:
            await board.submit(push(head="one"), "guid-1")
            await diary.seen("begin one")
            await board.submit(push(head="two"), "guid-2")
            await diary.seen("end two")
            await on_sqlite.settled(board)

    with caplog.at_level(logging.WARNING):
        asyncio.run(story())
    assert caplog.text == ""


def test_jobs_that_a_library_had_stored_are_carried_out(tmp_path: Path) -> None:
    """The jobs in a database that an earlier version of deeprepo wrote with a library go on: the begun one with its step, and the waiting one."""
    scene = Scene(tmp_path / "data")
    scene.folder.mkdir()
    with closing(sqlite3.connect(scene.settings.file)) as file:
        file.executescript((Path(__file__).parent / "data" / "dbos_3_3.sql").read_text())
    looked: list[str] = []

    async def steps(ask: Ask, job: Job) -> None:
        async def look() -> str:
            return f"looked at {ask.head}"  # type: ignore[union-attr]

        looked.append(await job.step("look", look))

    async def story() -> None:
        diary = Diary(does=steps)
        async with scene.running(diary) as board:
            await diary.seen("end begun", "end waiting")
            await scene.settled(board)

    asyncio.run(story())
    assert sorted(looked) == ["looked", "looked at waiting"]
