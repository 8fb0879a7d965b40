"""Run jobs and print each event, in a process that a test can kill: FOLDER URL [pull=head ...]."""

import asyncio
import os
import sys
from pathlib import Path

from bot import storage
from bot.values import Job, PullRef, ReviewJob
from bot.workflow.jobs import Attempt, Jobs, JobSettings

FOLDER, URL, *ASKED = sys.argv[1:]


def tell(what: str) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


async def work(job: Job, attempt: Attempt) -> None:
    assert isinstance(job, ReviewJob)
    tell(f"begin {job.head} {attempt.number}")

    async def look() -> str:
        tell(f"look {job.head}")
        return job.head

    head = await attempt.step("look", look)
    if head == "stuck":
        tell("recorded")
    if head == "poison":
        os._exit(9)
    if head == "stuck" and attempt.number == 1:
        await asyncio.Event().wait()
    tell(f"end {head}")


async def apologise(job: Job, why: str) -> None:
    assert isinstance(job, ReviewJob)
    tell(f"sorry {job.head}: {why}")


async def main() -> None:
    settings = JobSettings(Path(FOLDER), URL, crashes=2, poll=0.02)
    async with (
        storage.open_store(URL or f"sqlite:///{FOLDER}/deeprepo.db") as store,
        Jobs(settings, store).running(work, apologise) as board,
    ):
        for each in ASKED:
            number, _, head = each.partition("=")
            await board.submit(ReviewJob(PullRef(7, 70, "owner", "name", int(number)), "opened", head=head), each)
        tell("ready")
        await asyncio.Event().wait()


asyncio.run(main())
