"""Signed deliveries as fast as asked for, from a process of its own, so that the clock beside it is not disturbed.

    python -m benchmarks.server_load ORIGIN one COUNT [FIRST]           one after the other
    python -m benchmarks.server_load ORIGIN burst COUNT                 32 at a time
    python -m benchmarks.server_load ORIGIN rate PER_SECOND SECONDS     at these moments, however long an answer takes

Each is another pull request, pushed to: a server with a long debounce stores it and lets it lie. Prints one line of JSON.
"""

import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from benchmarks.deliveries import push

CLIENTS = 32


def request(number: int) -> bytes:
    """A push as bytes on the wire."""
    delivery = push(number)
    headers = delivery.headers(f"load-{number}") | {"host": "bench", "content-length": str(len(delivery.raw))}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST /webhook HTTP/1.1\r\n{lines}\r\n".encode() + delivery.raw


class Client:
    """One connection that is kept."""

    def __init__(self, host: str, port: int) -> None:
        self._at = host, port
        self._pipe: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, wire: bytes) -> int:
        """Send one and wait for its answer: the status. A kept connection that was closed meanwhile is opened again."""
        try:
            return await self._send(wire)
        except (OSError, asyncio.IncompleteReadError) as error:
            if isinstance(error, asyncio.IncompleteReadError) and error.partial:
                raise
            self._pipe = None
            return await self._send(wire)

    async def _send(self, wire: bytes) -> int:
        if self._pipe is None:
            self._pipe = await asyncio.open_connection(*self._at)
        reader, writer = self._pipe
        writer.write(wire)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
        await reader.readexactly(length)
        if b"connection: close" in head:
            self._pipe = None
            writer.close()
        return int(head.split()[1])


async def run(origin: str, kind: str, *numbers: float) -> dict[str, Any]:
    """What the answers were, and how long each took."""
    host, _, port = origin.removeprefix("http://").partition(":")
    free = [Client(host, int(port)) for _ in range(CLIENTS)]
    seconds, statuses = [], Counter[int]()
    lock = asyncio.Semaphore(1 if kind == "one" else CLIENTS if kind == "burst" else 10_000)

    async def one(number: int, due: Callable[[], float]) -> None:
        async with lock:
            client = free.pop() if free else Client(host, int(port))
            wire = request(number)
            started = due()
            statuses[await client.send(wire)] += 1
            seconds.append(time.perf_counter() - started)
            free.append(client)

    count = int(numbers[0] if kind != "rate" else numbers[0] * numbers[1])
    first = int(numbers[1]) if kind == "one" and len(numbers) > 1 else 1
    begun = time.perf_counter()
    tasks = []
    for number in range(first, first + count):
        if kind == "rate":
            due = begun + number / numbers[0]
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            tasks.append(asyncio.create_task(one(number, lambda due=due: due)))
        else:
            tasks.append(asyncio.create_task(one(number, time.perf_counter)))
    await asyncio.gather(*tasks)
    return {"seconds": seconds, "statuses": dict(statuses), "wall": time.perf_counter() - begun}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(sys.argv[1], sys.argv[2], *map(float, sys.argv[3:])))))
