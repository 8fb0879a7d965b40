"""A second event loop, in a thread of its own: what computes for a while runs there, and the loop that answers GitHub goes on."""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from functools import cache
from typing import Any, ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")


async def run(do: Callable[Given, Coroutine[Any, Any, Result]], /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
    """Await `do` over there. Who is cancelled here cancels it there, and leaves when it has come to its end."""
    there, here = _loop(), asyncio.get_running_loop()
    ended = here.create_future()
    doing: Future[asyncio.Task[Result]] = Future()

    def begin() -> None:
        task = there.create_task(do(*args, **kwargs), context=contextvars.Context())  # nobody's step, nobody's token
        task.add_done_callback(lambda _: here.call_soon_threadsafe(ended.set_result, None))
        doing.set_result(task)

    there.call_soon_threadsafe(begin)
    try:
        await asyncio.shield(ended)
    except asyncio.CancelledError:
        there.call_soon_threadsafe(lambda: doing.result().cancel())
        await _until(ended)
        raise
    return doing.result().result()


async def _until(ended: "asyncio.Future[None]") -> None:
    """Wait for an end that is near, however often we are told to go."""
    while not ended.done():
        try:
            await asyncio.shield(ended)
        except asyncio.CancelledError:
            continue


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The loop, one for the process, from the first use on."""
    made = asyncio.new_event_loop()
    threading.Thread(target=made.run_forever, name="reviews", daemon=True).start()
    return made
