"""Run concurrent work that leaves nothing behind.

If one part fails, the others end before the error is raised. `asyncio.gather` lets the others continue. A
process that is being started when the event loop ends would then hang, because asyncio cancels the task that
connects the process's pipes, and waits for these pipes to be closed.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from time import thread_time
from typing import Any, TypeVar, cast, overload

T = TypeVar("T")
T1 = TypeVar("T1")
T2 = TypeVar("T2")
T3 = TypeVar("T3")


@overload
async def together(one: Awaitable[T1], two: Awaitable[T2], /) -> tuple[T1, T2]: ...
@overload
async def together(one: Awaitable[T1], two: Awaitable[T2], three: Awaitable[T3], /) -> tuple[T1, T2, T3]: ...
@overload
async def together(*work: Awaitable[T]) -> tuple[T, ...]: ...
async def together(*work: Awaitable[Any]) -> tuple[Any, ...]:
    """Return the results in order.

    Raises the first error, after all others have been cancelled and have ended.
    """
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        return tuple(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class OwnTime:
    """The CPU time that awaited work spends itself, without what else the process does while the work waits."""

    def __init__(self) -> None:
        self.seconds = 0.0

    async def of(self, work: Awaitable[T]) -> T:
        """Return the result of the work, after adding its time."""
        return await _Timed(work, self)


class _Timed(Awaitable[T]):
    def __init__(self, work: Awaitable[T], spent: OwnTime) -> None:
        self._work, self._spent = work, spent

    def __await__(self) -> Generator[Any, Any, T]:
        steps = self._work.__await__()
        resume: Callable[[], Any] = partial(next, steps)
        while True:
            start = thread_time()
            try:
                waits_for = resume()
            except StopIteration as end:
                return cast("T", end.value)
            finally:
                self._spent.seconds += thread_time() - start
            try:
                yield waits_for
                resume = partial(next, steps)
            except BaseException as error:  # noqa: BLE001 - the work decides what it means
                resume = partial(steps.throw, error)
