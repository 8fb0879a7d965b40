import asyncio
import contextvars
import threading

import pytest

from bot.wiring import aside

NAME = contextvars.ContextVar("NAME", default="nobody")


def test_what_runs_aside_runs_in_another_thread_and_brings_its_result_back() -> None:
    """Always the same one, with a context of its own."""

    async def where(word: str) -> tuple[str, str, str]:
        await asyncio.sleep(0)
        return word, threading.current_thread().name, NAME.get()

    async def go() -> None:
        NAME.set("somebody")
        found = await asyncio.gather(*(aside.run(where, str(number)) for number in range(3)))
        assert found == [(str(number), "reviews", "nobody") for number in range(3)]

    asyncio.run(go())


def test_the_loop_goes_on_while_something_computes_aside() -> None:
    """It is answered in between, not afterwards."""

    async def computes(begun: threading.Event, answered: threading.Event) -> bool:
        begun.set()
        return answered.wait(20)

    async def go() -> None:
        begun, answered = threading.Event(), threading.Event()
        computing = asyncio.create_task(aside.run(computes, begun, answered))
        while not begun.is_set():  # noqa: ASYNC110 - an event of another thread
            await asyncio.sleep(0)
        answered.set()
        assert await computing

    asyncio.run(go())


def test_an_error_comes_back() -> None:
    """As it was raised there."""

    async def fails() -> None:
        raise LookupError("nothing there")

    with pytest.raises(LookupError, match="nothing there"):
        asyncio.run(aside.run(fails))


def test_who_is_cancelled_waits_for_the_end_over_there() -> None:
    """Whatever it opened is closed before anything else happens."""
    ended: list[str] = []

    async def go() -> None:
        begun, here = asyncio.Event(), asyncio.get_running_loop()

        async def long() -> None:
            try:
                here.call_soon_threadsafe(begun.set)
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0.01)
                ended.append("closed")

        doing = asyncio.create_task(aside.run(long))
        await begun.wait()
        doing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await doing
        assert ended == ["closed"]

    asyncio.run(go())
