"""Limit the rate of requests to GitHub, whose limits apply to an installation's requests together."""

import asyncio
from collections.abc import Callable

# Seconds to wait if GitHub names no time: the first, and the maximum after doubling.
FIRST_WAIT, MAX_WAIT = 60.0, 3600.0


class RequestPace:
    """The pace of this process. Not frozen, because it records when each installation may write again."""

    def __init__(
        self,
        between: float = 1.0,
        backoff: float = 1.0,
        patience: float = 60.0,
        timeout: float = 30.0,
        on_answer: Callable[[int, int | None], None] = lambda _status, _remaining: None,
    ) -> None:
        """Set seconds between writes, before the second try, of waiting in total, and per response.

        `on_answer` gets the status and the remaining requests.
        """
        self.between, self.backoff, self.patience, self.timeout = between, backoff, patience, timeout
        self.on_answer = on_answer
        self._free: dict[int, float] = {}  # when an installation may write again
        self._held: dict[int, float] = {}  # until when GitHub refuses its requests
        self._streak: dict[int, int] = {}  # consecutive limits without a time

    async def turn(self, installation: int) -> None:
        """Wait until this installation may write."""
        at = max(_now(), self._free.get(installation, 0.0))
        self._free[installation] = at + self.between
        await asyncio.sleep(max(0.0, at - _now()))

    def pause(self, tries: int) -> float:
        """Return the seconds before another try, which grow each time."""
        return self.backoff * 2.0 ** (tries - 1)

    async def wait_before_retry(self, tries: int) -> None:
        """Wait before another try."""
        await asyncio.sleep(self.pause(tries))

    def left(self, installation: int) -> float:
        """Return the seconds until GitHub's last limit ends."""
        return max(0.0, self._held.get(installation, 0.0) - _now())

    def note_limit(self, installation: int, seconds: float | None) -> float:
        """Record a limit and return its seconds. Without a time it is a minute, doubled each time."""
        if seconds is None:
            streak = self._streak[installation] = self._streak.get(installation, 0) + 1
            seconds = min(FIRST_WAIT * 2 ** (streak - 1), MAX_WAIT)
        self._held[installation] = max(self._held.get(installation, 0.0), _now() + seconds)
        return seconds

    def fine(self, installation: int) -> None:
        """Record a success, which resets the waiting time."""
        self._streak.pop(installation, None)


def _now() -> float:
    return asyncio.get_running_loop().time()
