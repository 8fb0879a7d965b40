"""The way to one provider, for all calls of a review: how many are in flight, how long it asks to wait, whether it is given up."""

import asyncio
import copy
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from rlm.errors import AccountRefused, ModelRefused, ProviderDown, ProviderError, RateLimited, TimedOut

Pause = Callable[[float], Awaitable[None]]
TRIES = 4  # of one call, and of a provider that has never answered
OUTAGE = 8  # failures of one that has answered before, after which it is given up
HEAD_START = 0.05  # seconds of the first call
BACKOFF, LONGEST_BACKOFF = 1.0, 20.0  # seconds; doubled with each failure
SHORTEST, LONGEST = 1.0, 60.0  # seconds of a pause where a limit names none
AGAIN = 0.1  # seconds at least after a limit, longer after each further one, whatever the provider says
PATIENCE = 3_600.0  # seconds to wait for a provider where the review has no deadline


class Gate:
    """The first call goes a moment ahead, for as long as a closed port or a refused key needs to show.

    A 429 stops all calls for as long as the provider asks, and from then on fewer are in flight. While a provider fails, one call at
    a time tries. `left` says how many seconds the review may still take; None: it has no deadline.
    """

    def __init__(
        self, places: int, left: Callable[[], float | None], pause: Pause, chance: Callable[[], float]
    ) -> None:
        self._most = self._width = float(max(1, places))
        self._left, self._pause, self._chance = left, pause, chance
        self._line = asyncio.Lock()  # the first in it waits for a place, the rest for their turn
        self._news = asyncio.Event()
        self._running = self._round = 0  # what was sent in an earlier round says nothing new
        self._has_begun = False
        self._hold, self._why = 0.0, ProviderError("")  # seconds to wait, and the reason
        self._limits = self._failures = 0  # since the last answer
        self._answered: set[str] = set()  # models
        self._gone: dict[str, ProviderError] = {}  # why nothing more is sent to a model; "": to none of them

    def gone(self, model: str) -> ProviderError | None:
        """Return why nothing more is sent to this model; None if it is not given up."""
        return self._gone.get("") or self._gone.get(model)

    @asynccontextmanager
    async def place(self, model: str) -> AsyncIterator[None]:
        """Wait for a place for one request; how it went decides about the next ones. Raises why the model is given up, if it is."""
        sent = await self._enter(model)
        try:
            yield
        except ProviderError as error:
            self._hear(error, model, is_news=sent == self._round)
            raise
        else:
            self._answer(model)
            self._limits = 0 if sent == self._round else self._limits
            self._width = min(self._most, self._width + 1 / self._width)
        finally:
            self._has_begun = True
            self._running -= 1
            self._news.set()

    async def _enter(self, model: str) -> int:
        async with self._line:
            while (error := self.gone(model)) is None:
                if self._hold:
                    await self._wait(self._hold)
                elif self._running < (1 if self._failures or not self._has_begun else int(self._width)):
                    self._running += 1
                    return self._round
                else:
                    self._news.clear()
                    try:
                        async with asyncio.timeout(None if self._has_begun else HEAD_START):
                            await self._news.wait()
                    except TimeoutError:
                        self._has_begun = True
            raise copy.copy(error)

    async def _wait(self, seconds: float) -> None:
        left = self._left()
        rest = PATIENCE if left is None else left
        if seconds < rest:
            await self._pause(seconds)
            self._hold = 0.0 if self._hold == seconds else self._hold
            return
        error = self._why
        if isinstance(error, RateLimited):
            error = RateLimited(
                f"{error}: that is longer than this review may still take ({rest:,.0f} s): "
                "run it again later, allow more seconds, or use another provider",
                error.retry_after,
            )
        self._gone[""] = error

    def _hear(self, error: ProviderError, model: str, *, is_news: bool) -> None:
        """What a failure says of the next requests. Those that were in flight together meet one trouble, not many: the first is news."""
        match error:
            case RateLimited():
                self._failures = 0
                self._width = max(1.0, min(self._width, self._running - 1.0))  # the others were taken
                if is_news:
                    self._limits += 1
                    asked = error.retry_after
                    if asked is None:
                        asked = min(LONGEST, SHORTEST * 2 ** (self._limits - 1))
                    self._hold, self._why = max(asked, min(SHORTEST, AGAIN * self._limits)), error
            case TimedOut():  # it has taken the request: with fewer at once each is answered sooner
                self._failures = 0
                self._width = max(1.0, self._width // 2) if is_news else self._width
            case ProviderDown() if is_news:
                self._failures += 1
                wait = min(LONGEST_BACKOFF, BACKOFF * 2 ** (self._failures - 1))
                self._hold, self._why = wait * (1 + self._chance() / 4), error
                if self._failures == (OUTAGE if self._answered else TRIES):
                    self._gone[""] = error
            case ProviderDown():
                return
            case AccountRefused():
                self._gone[""] = error
                return
            case ModelRefused():  # of one that has answered it is about this request
                self._gone |= {} if model in self._answered else {model: error}
                return
            case _:  # a prompt that is too long: an answer
                self._answer(model)
                return
        self._round += is_news

    def _answer(self, model: str) -> None:
        self._failures = 0
        self._answered.add(model)
