"""A double in a thread of its own, so that its work does not run in the loop that is being measured."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from deeprepo_sandbox.providers.server import Server


@contextmanager
def in_thread(server: Server) -> Iterator[Server]:
    """The server, listening, until the block ends. Read its counts when no request is in flight."""
    if not isinstance(server, Server):
        raise TypeError(f"in_thread runs a Server, such as Server(script), and was given a {type(server).__name__}")
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
    thread = threading.Thread(target=lambda: asyncio.run(_serve(server, started)), name="double", daemon=True)
    thread.start()
    loop, ended = started.result()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()


async def _serve(server: Server, started_loop: "Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]") -> None:
    try:
        await server.start()
    except Exception as error:  # noqa: BLE001 - no port is free: told where it was asked for, which waits for it
        started_loop.set_exception(error)
        return
    ended = asyncio.Event()
    started_loop.set_result((asyncio.get_running_loop(), ended))
    await ended.wait()
    await server.stop()
