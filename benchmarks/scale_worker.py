"""A process that carries out stored reviews of known length: it holds a place for as long as the ask says, and computes nothing.

    python -m benchmarks.scale_worker FOLDER DATABASE LOG

LOG gets a line "number begin end" for each, in seconds since 1970. Whole reviews would keep the two cores busy, and the bench would
measure those; the store, the queue, its looks and its claims are those of a server.
"""

import asyncio
import sys
import time
from pathlib import Path

from bot import jobs, storage
from bot.ports import Job
from bot.values import Ask, ReviewAsk


async def main(folder: str, url: str, log: str) -> None:
    """Work until ended."""
    with Path(log).open("a", buffering=1, encoding="utf-8") as told:

        async def work(ask: Ask, job: Job) -> None:
            assert isinstance(ask, ReviewAsk)
            begin = time.time()
            await job.unless_cancelled(asyncio.sleep(float(ask.head)))
            told.write(f"{ask.pull.number} {begin:.6f} {time.time():.6f}\n")

        async with (
            storage.open_store(url) as store,
            jobs.running(jobs.JobSettings(Path(folder), url), work, store=store),
        ):
            print("ready", flush=True)
            await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
