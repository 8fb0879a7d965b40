"""How many calls to one model may be in flight: starts wide, halves when the provider says 429, grows back slowly."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

Pause = Callable[[float], Awaitable[None]]


class Gate:
    """An asynchronous lock with a changing number of places. Entering gives the round that a later `narrow` refers to."""

    def __init__(self, places: int, clock: Callable[[], float], pause: Pause) -> None:
        self.width = float(max(1, places))
        self.running = 0
        self._most, self._clock, self._pause = self.width, clock, pause
        self._round, self._open_at = 0, 0.0
        self._waiters: deque[asyncio.Future[None]] = deque()

    async def enter(self) -> int:
        """Wait for a place, and for the end of a pause that the provider asked for."""
        wait = self._open_at - self._clock()
        if wait > 0:
            await self._pause(wait)
        while self.running >= int(self.width):
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            try:
                await waiter
            except asyncio.CancelledError:
                self._waiters.remove(waiter)
                self._wake()  # the place that it may have been given goes to the next
                raise
            self._waiters.remove(waiter)
        self.running += 1
        return self._round

    def leave(self) -> None:
        """Give the place back."""
        self.running -= 1
        self._wake()

    def narrow(self, round_: int, seconds: float) -> None:
        """The provider said 429 to a call of this round. The calls in flight at that moment halve the width only once."""
        self._open_at = max(self._open_at, self._clock() + seconds)
        if round_ == self._round:
            self._round += 1
            self.width = max(1.0, self.width // 2)

    def widen(self) -> None:
        """A call went well: one more place per width of calls."""
        self.width = min(self._most, self.width + 1 / self.width)
        self._wake()

    def _wake(self) -> None:
        free = int(self.width) - self.running
        for waiter in list(self._waiters)[: max(0, free)]:
            if not waiter.done():
                waiter.set_result(None)
