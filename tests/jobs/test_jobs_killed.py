import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import waits
from job_scene import Diary, Scene, push
from waits import Output, patience

from bot.workflow.jobs import queue

HOME = Path(__file__).parents[2]


@contextmanager
def process(scene: Scene, *asked: str) -> Iterator[tuple["subprocess.Popen[str]", Output]]:
    command = [sys.executable, str(Path(__file__).parent / "job_process.py"), str(scene.folder), scene.url, *asked]
    env = {"PYTHONPATH": str(HOME), "PATH": ""}
    started = subprocess.Popen(command, cwd=HOME, env=env, stdout=subprocess.PIPE, text=True)
    with waits.ended(started):
        assert started.stdout is not None
        yield started, Output(started.stdout)


def test_jobs_survive_kill_9_and_a_job_that_keeps_crashing_is_abandoned(on_sqlite: Scene) -> None:
    """After kill -9, the next process does the stored jobs without repeating recorded steps.

    A job that keeps crashing its process is given up, with a reason.
    """
    told = ""
    with process(on_sqlite, "1=stuck", "2=later") as (first, output):
        for what in ("recorded", "end later", "ready"):
            output.wait_for(what)
        first.send_signal(signal.SIGKILL)
        told += output.all()
    for asked in (["3=poison"], []):  # each process crashes
        with process(on_sqlite, *asked) as (_, output):
            told += output.all()
    with process(on_sqlite) as (_, output):
        output.wait_for("sorry poison.*")
        if "end stuck" not in told:
            output.wait_for("end stuck")
        told += output.text
    lines = told.splitlines()
    assert lines.count("look stuck") == 1
    assert lines.count("end stuck") == 1
    assert "end later" in lines
    # The number of attempts varies: the crashing job may end the process before the other job has run.
    begun = [int(line.rpartition(" ")[2]) for line in lines if line.startswith("begin stuck")]
    assert begun[0] == 1
    assert begun[-1] > 1
    assert [line for line in lines if "poison" in line] == [
        "begin poison 1",
        "look poison",
        "begin poison 2",
        "sorry poison: its process crashed every time",
    ]


@pytest.mark.slow
def test_killed_workers_job_is_taken_over(on_postgres: Scene) -> None:
    """On PostgreSQL, another process continues a killed worker's job without repeating recorded steps."""

    async def story(dead: "subprocess.Popen[str]") -> None:
        diary = Diary()
        async with on_postgres.running(diary) as jobs:
            for _ in range(queue.LOOKS + 1):
                await jobs.sweep()  # while the worker lives, it keeps its job
            assert diary.told == []
            dead.send_signal(signal.SIGKILL)
            await diary.seen("end stuck")
            await on_postgres.settled(jobs)

    with process(on_postgres, "1=stuck") as (dead, output):
        output.wait_for("recorded")
        output.wait_for("ready")
        asyncio.run(story(dead))
        assert output.all().splitlines().count("look stuck") == 1


async def test_graceful_stop_hands_over_the_job(scene: Scene) -> None:
    """After an orderly stop, the next process continues the job, which does not count as a crash."""
    first, second = Diary(hold={"one"}), Diary()
    async with scene.running(first) as jobs:
        await jobs.submit(push(head="one"), "guid-1")
        await jobs.submit(push(2, head="two"), "guid-2", delay=0.1)
        await first.seen("begin one")
        await jobs.stop()
    async with scene.running(second) as jobs:
        await second.seen("end one", "end two")
        await scene.settled(jobs)
    assert first.told == ["begin one", "CancelledError one"]


async def test_graceful_stop_waits_for_jobs_that_finish_in_time(on_sqlite: Scene) -> None:
    """Within the grace period, a running job completes."""
    diary = Diary(hold={"one"})
    async with on_sqlite.running(diary) as jobs:
        await jobs.submit(push(head="one"), "guid-1")
        await diary.seen("begin one")
        stopping = asyncio.create_task(jobs.stop(grace=patience()))
        await diary.release("one")
        await stopping
    assert diary.told == ["begin one", "end one"]
