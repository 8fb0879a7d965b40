"""How fast and how patiently GitHub is spoken to: its rules are about all requests of an installation together."""

import asyncio
from collections.abc import Callable

FIRST_WAIT, MAX_WAIT = 60.0, 3600.0  # of a wait that GitHub names no time for: the first, and the most it doubles to


class RequestPace:
    """One for the process. Not frozen: it remembers when each installation may write again."""

    def __init__(
        self,
        between: float = 1.0,
        backoff: float = 1.0,
        patience: float = 60.0,
        timeout: float = 30.0,
        on_answer: Callable[[int, int | None], None] = lambda _status, _remaining: None,
    ) -> None:
        """Seconds: between two writes, before the second try, of waiting in all, for one answer. `on_answer` gets the status and the requests that are left."""
        self.between, self.backoff, self.patience, self.timeout = between, backoff, patience, timeout
        self.on_answer = on_answer
        self._free: dict[int, float] = {}  # when an installation may write again
        self._held: dict[int, float] = {}  # until when GitHub wants to hear nothing of it
        self._streak: dict[int, int] = {}  # limits in a row for which GitHub named no time

    async def turn(self, installation: int) -> None:
        """Wait for this installation's next moment to write."""
        at = max(_now(), self._free.get(installation, 0.0))
        self._free[installation] = at + self.between
        await asyncio.sleep(max(0.0, at - _now()))

    def pause(self, tries: int) -> float:
        """Return seconds before another try: longer each time."""
        return self.backoff * 2.0 ** (tries - 1)

    async def breathe(self, tries: int) -> None:
        """Wait before another try."""
        await asyncio.sleep(self.pause(tries))

    def left(self, installation: int) -> float:
        """Return seconds until GitHub's last limit is over."""
        return max(0.0, self._held.get(installation, 0.0) - _now())

    def note_limit(self, installation: int, seconds: float | None) -> float:
        """Note that a limit was met; return for how many seconds. Where GitHub names no time it is a minute, and twice as long each time again."""
        if seconds is None:
            streak = self._streak[installation] = self._streak.get(installation, 0) + 1
            seconds = min(FIRST_WAIT * 2 ** (streak - 1), MAX_WAIT)
        self._held[installation] = max(self._held.get(installation, 0.0), _now() + seconds)
        return seconds

    def fine(self, installation: int) -> None:
        """Note that an answer came: the next limit without a time is the first again."""
        self._streak.pop(installation, None)


def _now() -> float:
    return asyncio.get_running_loop().time()
