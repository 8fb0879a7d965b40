"""Run concurrent work that leaves nothing behind.

If one part fails, the others end before the error is raised. `asyncio.gather` lets the others continue. A
process that is being started when the event loop ends would then hang, because asyncio cancels the task that
connects the process's pipes, and waits for these pipes to be closed.
"""

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar, overload

T = TypeVar("T")
T1 = TypeVar("T1")
T2 = TypeVar("T2")
T3 = TypeVar("T3")
T4 = TypeVar("T4")


@overload
async def together(one: Awaitable[T1], two: Awaitable[T2], /) -> tuple[T1, T2]: ...
@overload
async def together(one: Awaitable[T1], two: Awaitable[T2], three: Awaitable[T3], /) -> tuple[T1, T2, T3]: ...
@overload
async def together(
    one: Awaitable[T1], two: Awaitable[T2], three: Awaitable[T3], four: Awaitable[T4], /
) -> tuple[T1, T2, T3, T4]: ...
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
