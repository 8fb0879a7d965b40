import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import waits
from job_scene import Diary, Scene, push
from waits import patience

HOME = Path(__file__).parents[2]


@contextmanager
def process(scene: Scene, log: Path, *asked: str) -> Iterator["subprocess.Popen[bytes]"]:
    command = [sys.executable, str(Path(__file__).parent / "job_process.py"), str(scene.folder), scene.url, str(log)]
    started = subprocess.Popen([*command, *asked], cwd=HOME, env={"PYTHONPATH": str(HOME), "PATH": ""})
    with waits.ended(started):
        yield started


def told(log: Path, *whats: str, by: "subprocess.Popen[bytes] | None" = None) -> list[str]:
    """Return a log's lines once each of these is the start of a line, or the process has ended."""
    until = time.monotonic() + patience()
    while True:
        ended = by is not None and by.poll() is not None
        lines = log.read_text().splitlines() if log.exists() else []
        if all(any(line.startswith(what) for line in lines) for what in whats) or ended:
            return lines
        assert time.monotonic() < until, lines
        time.sleep(0.01)


def test_jobs_survive_kill_9_and_a_job_that_keeps_crashing_is_abandoned(on_sqlite: Scene, tmp_path: Path) -> None:
    """After kill -9, the next process does the stored jobs without repeating recorded steps.

    A job that keeps crashing its process is given up, with a reason.
    """
    log = tmp_path / "log"
    with process(on_sqlite, log, "1=stuck", "2=later") as first:
        told(log, "recorded", "end later", "ready")
        first.send_signal(signal.SIGKILL)
        first.wait(patience())
    with process(on_sqlite, log, "3=poison") as second:
        told(log, "end stuck", "ready", by=second)
        second.wait(patience())
    with process(on_sqlite, log) as third:
        third.wait(patience())
    with process(on_sqlite, log) as fourth:
        lines = told(log, "sorry poison", "end stuck", by=fourth)
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
def test_killed_workers_job_is_taken_over(on_postgres: Scene, tmp_path: Path) -> None:
    """On PostgreSQL, another process continues a killed worker's job without repeating recorded steps."""
    log = tmp_path / "log"

    async def story(dead: "subprocess.Popen[bytes]") -> None:
        diary = Diary()
        async with on_postgres.running(diary) as jobs:
            await asyncio.sleep(1.0)  # while the worker lives, it keeps its job
            assert diary.told == []
            dead.send_signal(signal.SIGKILL)
            await diary.seen("end stuck")
            await on_postgres.settled(jobs)

    with process(on_postgres, log, "1=stuck") as dead:
        told(log, "recorded", "ready")
        asyncio.run(story(dead))
    assert log.read_text().splitlines().count("look stuck") == 1


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
