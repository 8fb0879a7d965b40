"""Control the calls to one address with one key: how many are in flight, how long to wait, and when to give up."""

import asyncio
import copy
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from deeprepo.rlm.errors import (
    AccountRefused,
    ModelRefused,
    PromptRefused,
    PromptTooLong,
    ProviderDown,
    ProviderError,
    ProviderRefused,
    RateLimited,
    TimedOut,
)

Pause = Callable[[float], Awaitable[None]]
OnWait = Callable[[float, ProviderError], None]  # gets until when calls wait, in seconds since 1970, and why
TRIES = 4  # attempts of one call, and failures of a provider that has never answered
REFUSALS = 2  # prompts that a model may reject in every form before it has answered one
OUTAGE = 8  # failures after which a provider that has answered before is given up
HEAD_START = 0.05  # seconds before the second call
BACKOFF, LONGEST_BACKOFF = 1.0, 20.0  # seconds; doubled with each failure
SHORTEST_PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds to wait after a rate limit without a `retry-after`
LEAST_PAUSE_STEP = 0.1  # minimum seconds after a rate limit, times the number of limits since the last answer
SLOWER = 1.5  # a wave that takes this many times as long as the one before has filled the server
PATIENCE = 3_600.0  # maximum seconds to wait for a provider if the run has no deadline


class Gate:
    """Limits concurrent calls to one address with one key.

    The first call gets a short head start, so that a closed port or a rejected key shows before others are sent. A 429
    stops all calls for as long as the provider asks, and reduces their number. While a provider fails, only one call is
    tried at a time. `left` returns the seconds until the run's deadline, or None.

    If fewer calls than `places` may be in flight at `first`, the first wave of so many calls ends before another call is sent. If all
    of them took about as long, none has waited for another one, and the limit is `places`. Otherwise, it is doubled after each wave
    that takes no longer than the one before, until a time-out.
    """

    def __init__(
        self,
        places: int,
        left: Callable[[], float | None],
        pause: Pause,
        chance: Callable[[], float],
        on_wait: OnWait = lambda _, __: None,
        *,
        first: int | None = None,
    ) -> None:
        self._most = float(max(1, places))
        self._width = min(self._most, float(first or places))
        self._is_growing = self._width < self._most  # by doubling
        self._wave, self._is_full = 1, False  # the wave, and whether so many calls were in flight in it
        self._seconds, self._mean = list[float](), 0.0  # of the wave's answers; their mean in the wave before
        self._left, self._pause, self._chance, self._on_wait = left, pause, chance, on_wait
        self._queue = asyncio.Lock()  # its holder waits for a place, and all others for the lock
        self._change = asyncio.Event()
        self._running = self._generation = 0  # failures of calls from an earlier generation are not counted again
        self._has_begun = False
        self._wait_seconds, self._wait_reason = 0.0, ProviderError("")  # seconds to wait, and the reason
        self._limit_count = self._failure_count = 0  # since the last answer
        self._answered: set[str] = set()  # models that have answered
        self._refusals = Counter[str]()  # refusals by models that have never answered
        self._given_up: dict[str, ProviderError] = {}  # by model, why nothing more is sent to it; "" for all models

    def fix(self, places: int) -> None:
        """Set how many calls may be in flight. Only a rate limit or a time-out narrows it."""
        if self._is_growing or self._most != places:
            self._most = self._width = float(places)
            self._is_growing = False

    def given_up(self, model: str) -> ProviderError | None:
        """Return why nothing more is sent to this model, or None."""
        return self._given_up.get("") or self._given_up.get(model)

    @asynccontextmanager
    async def place(self, model: str) -> AsyncIterator[None]:
        """Wait until a request may be sent, and learn from its outcome. Raises the error if the model is given up."""
        sent = await self._enter(model)
        wave, clock = self._wave, asyncio.get_running_loop().time
        began = clock()
        try:
            yield
        except ProviderError as error:
            self._learn_from(error, model, is_first=sent == self._generation)
            raise
        else:
            self._answer(model)
            self._limit_count = 0 if sent == self._generation else self._limit_count
            if self._is_growing:
                self._seconds += [clock() - began] * (wave == self._wave)
            else:
                self._width = min(self._most, self._width + 1 / self._width)
        finally:
            self._has_begun = True
            self._running -= 1
            if self._is_growing:
                self._grow()
            self._change.set()

    async def _enter(self, model: str) -> int:
        async with self._queue:
            while (error := self.given_up(model)) is None:
                if self._wait_seconds:
                    await self._wait(self._wait_seconds)
                elif self._running < self._room():
                    self._running += 1
                    self._is_full |= self._running >= self._width
                    return self._generation
                else:
                    self._change.clear()
                    try:
                        async with asyncio.timeout(None if self._has_begun else HEAD_START):
                            await self._change.wait()
                    except TimeoutError:
                        self._has_begun = True
            raise copy.copy(error)

    def _room(self) -> int:
        """Return how many calls may be in flight now."""
        is_first_wave = self._is_growing and self._wave == 1 and self._is_full
        return 0 if is_first_wave else 1 if self._failure_count or not self._has_begun else int(self._width)

    def _grow(self) -> None:
        """End the wave if enough of its calls are answered. If they took no longer than those before, double the calls in flight."""
        is_over = self._is_full and len(self._seconds) >= self._width / 2 and (self._wave > 1 or not self._running)
        if is_over:
            mean = sum(self._seconds) / len(self._seconds)
            if self._wave == 1:
                is_even = max(self._seconds) <= SLOWER * (min(self._seconds) + HEAD_START)
                self._width = self._most if is_even else self._width
            elif mean <= SLOWER * (self._mean + HEAD_START):
                self._width = min(self._most, 2 * self._width)
            else:
                self._most = self._width = max(1.0, self._width // 2)
            self._is_growing = self._width < self._most
            self._mean, self._wave = mean, self._wave + 1
        if is_over or not self._running:
            self._is_full, self._seconds = False, []

    async def _wait(self, seconds: float) -> None:
        left = self._left()
        rest = PATIENCE if left is None else left
        if seconds < rest:
            self._on_wait(time.time() + seconds, self._wait_reason)
            await self._pause(seconds)
            self._wait_seconds = 0.0 if self._wait_seconds == seconds else self._wait_seconds
            return
        error = self._wait_reason
        if isinstance(error, RateLimited):
            error = type(error)(
                f"{error}. The remaining time of {rest:,.0f} s is too short to wait for it. "
                "Try again in a few minutes, raise the time limit, or use another provider",
                error.retry_after,
            )
        self._given_up[""] = error

    def _learn_from(self, error: ProviderError, model: str, *, is_first: bool) -> None:  # noqa: C901, PLR0912 - one case per kind
        """Learn from a failure. Of the requests that were in flight together, only the first failure counts."""
        match error:
            case RateLimited():
                self._failure_count = 0
                self._width = max(1.0, min(self._width, self._running - 1.0))  # the other calls were accepted
                self._is_growing = False
                if is_first:
                    self._limit_count += 1
                    asked = error.retry_after
                    if asked is None:
                        asked = min(LONGEST_PAUSE, SHORTEST_PAUSE * 2 ** (self._limit_count - 1))
                    least = min(SHORTEST_PAUSE, LEAST_PAUSE_STEP * self._limit_count)
                    self._wait_seconds, self._wait_reason = max(asked, least), error
            case TimedOut():  # an overloaded server answers sooner with fewer calls
                self._failure_count = 0
                if is_first:
                    self._width = max(1.0, self._width // 2)
                    self._most = self._width if self._is_growing else self._most
                    self._is_growing = False
            case ProviderDown() if is_first:
                self._failure_count += 1
                wait = min(LONGEST_BACKOFF, BACKOFF * 2 ** (self._failure_count - 1))
                self._wait_seconds, self._wait_reason = wait * (1 + self._chance() / 4), error
                if self._failure_count >= (OUTAGE if self._answered else TRIES):  # other models may still be served
                    self._given_up[model], self._wait_seconds = error, 0.0
            case ProviderDown():
                return
            case AccountRefused():
                self._given_up[""] = error
                return
            case ModelRefused():  # if the model has answered before, this is only about one request
                self._given_up |= {} if model in self._answered else {model: error}
                return
            case ProviderRefused() if not isinstance(error, (PromptRefused, PromptTooLong)):
                self._refusals[model] += 1
                if self._refusals[model] >= REFUSALS and model not in self._answered:
                    self._given_up[model] = error
                return
            case _:  # a prompt that is too long counts as an answer
                self._answer(model)
                return
        self._generation += is_first

    def _answer(self, model: str) -> None:
        self._failure_count = 0
        self._answered.add(model)
