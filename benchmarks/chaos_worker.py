"""A server to be killed: it stores what is delivered to it, reviews with the real engine, and posts once.

    python -m benchmarks.chaos_worker PORT FOLDER DATABASE TOWN LOG

DATABASE: an address, or "" for a file in FOLDER. TOWN: where posts go, by pull request (GET says how many there are). LOG gets
"moment what number attempt process". A pull request from 1000 on keeps its first process busy for ever.
"""

import asyncio
import logging
import os
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bot import jobs, pipeline, storage, wiring
from bot.errors import HostDown, SupersededError
from bot.journal.writer import Journal
from bot.ports import Job
from bot.values import Ask, PullRef, Review, ReviewAsk, ReviewRequest

BUSY = 1000  # numbers from here on
SHARED = "journals"


@dataclass
class Worker:
    """What one process does."""

    folder: Path
    town: str
    log: Path
    store: storage.Store

    async def work(self, ask: Ask, job: Job) -> None:
        """A review from its first step to its post."""
        assert isinstance(ask, ReviewAsk)
        number = ask.pull.number
        self.tell("begin", number, job)
        await job.step("look", partial(_known, number))
        if number >= BUSY and job.attempt == 1:
            await job.unless_cancelled(asyncio.sleep(3600))
        if number < BUSY:
            await job.unless_cancelled(self._review(number))
        await job.step("post", partial(self._post, number, job))
        self.tell("end", number, job)

    def tell(self, what: str, number: int, job: Job) -> None:
        """Write a line for the process that counts."""
        with self.log.open("a") as file:
            file.write(f"{time.time()} {what} {number} {job.attempt} {os.getpid()}\n")

    async def _review(self, number: int) -> Review:
        path = self.folder / "journals" / f"{number}.jsonl"
        model = f"compatible/worker-{number}"  # so that the model server can tell whose requests are whose
        flags = {"strategy": "fanout", "worker": model, "root": None}
        request = ReviewRequest(str(self.log.parent / "repository"), "range", "main", "feature")
        async with self.store.journals.hold(str(number), path) as keep:
            brief = await wiring.brief(request, flags, str(self.folder))
            opened = partial(Journal, path, keep=keep)  # by the review, which also closes it
            tools = wiring.tools(brief, str(self.folder), lambda _: None, opened, keep_on_cancel=False)
            return await pipeline.review(brief, tools)

    async def _post(self, number: int, job: Job) -> int:
        """Look whether it is there already, and whether it is still wanted; then post, and look again if the answer was lost."""
        if await asyncio.to_thread(_call, "GET", f"{self.town}/{number}") == 0:
            if not await job.current():
                raise SupersededError("not ours any more")
            try:
                await asyncio.to_thread(_call, "POST", f"{self.town}/{number}")
            except urllib.error.HTTPError as error:
                if await asyncio.to_thread(_call, "GET", f"{self.town}/{number}") == 0:
                    raise HostDown(f"the post came to nothing: {error}") from error
        return number


async def _known(number: int) -> int:
    return number


def _call(method: str, url: str) -> int:
    with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=20) as answer:
        return int(answer.read())


async def _serve(board: jobs.Jobs, port: int) -> None:
    """POST /NUMBER stores a review of that pull request, and is answered once it is on disk."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        method, path, _ = (await reader.readline()).decode().split()
        status = "200 OK"
        if method == "POST":
            number = int(path.strip("/"))
            await board.submit(ReviewAsk(PullRef(number % 5, 70, "owner", "name", number), "opened"), f"guid-{number}")
            status = "202 Accepted"
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", port) as server:
        await server.serve_forever()


async def main(port: str, folder: str, url: str, town: str, log: str) -> None:
    """Serve until killed."""
    told = logging.StreamHandler()
    told.setFormatter(logging.Formatter("%(asctime)s %(name)s %(message)s %(facts)s", defaults={"facts": ""}))
    logging.getLogger().addHandler(told)
    data = Path(folder)
    # It is we who kill: a job that is met again and again is no suspect here.
    settings = jobs.JobSettings(data, url, crashes=10_000)
    async with storage.open_store(url or f"sqlite:///{folder}/deeprepo.db") as store:
        worker = Worker(data, town, Path(log), store)
        async with jobs.running(settings, worker.work, store=store) as board:
            await _serve(board, int(port))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
