"""Limit the rate of requests to GitHub. GitHub's limits apply to all requests of an installation together."""

import asyncio
from collections.abc import Callable

# Seconds to wait after a rate limit without a time: the first time, and at most, after doubling each time.
FIRST_WAIT, MAX_WAIT = 60.0, 3600.0


class RequestPace:
    """The request rate of this process. It is mutable: it records when each installation may write again."""

    def __init__(
        self,
        between: float = 1.0,
        backoff: float = 1.0,
        patience: float = 60.0,
        timeout: float = 30.0,
        on_answer: Callable[[int, int | None], None] = lambda _status, _remaining: None,
    ) -> None:
        """Set the limits, all in seconds.

        `between`: the minimum time between two writes. `backoff`: the wait before the first retry.
        `patience`: how long a request may wait for rate limits in total. `timeout`: per response. `on_answer`
        is called with each response's status and the number of requests that GitHub still allows.
        """
        self.between, self.backoff, self.patience, self.timeout = between, backoff, patience, timeout
        self.on_answer = on_answer
        # All by installation, with times of the event loop's clock.
        self._next_write: dict[int, float] = {}  # when it may write again
        self._limited_until: dict[int, float] = {}  # until when GitHub refuses its requests
        self._streak: dict[int, int] = {}  # consecutive rate limits without a time

    async def wait_for_turn(self, installation: int) -> None:
        """Wait until this installation may write."""
        at = max(_now(), self._next_write.get(installation, 0.0))
        self._next_write[installation] = at + self.between
        await asyncio.sleep(max(0.0, at - _now()))

    def pause(self, tries: int) -> float:
        """Return the seconds to wait before the next try, which double each time."""
        return self.backoff * 2.0 ** (tries - 1)

    async def wait_before_retry(self, tries: int) -> None:
        """Wait before another try."""
        await asyncio.sleep(self.pause(tries))

    def seconds_limited(self, installation: int) -> float:
        """Return the seconds until GitHub's last rate limit ends, or 0."""
        return max(0.0, self._limited_until.get(installation, 0.0) - _now())

    def note_limit(self, installation: int, seconds: float | None) -> float:
        """Record a rate limit and return its seconds.

        A limit without a time lasts a minute, doubled each time.
        """
        if seconds is None:
            streak = self._streak[installation] = self._streak.get(installation, 0) + 1
            seconds = min(FIRST_WAIT * 2 ** (streak - 1), MAX_WAIT)
        self._limited_until[installation] = max(self._limited_until.get(installation, 0.0), _now() + seconds)
        return seconds

    def note_success(self, installation: int) -> None:
        """Record a successful request, which resets the doubling of waiting times."""
        self._streak.pop(installation, None)


def _now() -> float:
    return asyncio.get_running_loop().time()
