"""The way to one provider, for all calls of a review: how many are in flight, how long it asks to wait, whether it is given up.

The first call goes a moment ahead, for as long as a closed port or a refused key needs to show. A 429 stops all calls for as long as
the provider asks, and from then on fewer are in flight. A provider that fails is tried by one call at a time: an answer lets all
others go on, and after a few failures it is given up, with every call that it has not yet been sent.
"""

import asyncio
import copy
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from bot.errors import AccountRefused, ModelRefused, ProviderDown, ProviderError, RateLimited, TimedOut

Pause = Callable[[float], Awaitable[None]]
TRIES = 4  # of one call, and of a provider that does not answer: the first and three more
IN_A_ROW = 3  # failures of a provider that has answered before, after which only one call at a time tries
HEAD_START = 0.05  # seconds of the first call
BACKOFF, LONGEST_BACKOFF = 0.5, 20.0  # seconds; doubled with each failure
SHORTEST, LONGEST = 1.0, 60.0  # seconds of a pause where a limit names none
AGAIN = 0.1  # seconds at least after a limit, longer after each further one, whatever the provider says
PATIENCE = 3_600.0  # seconds to wait for a provider where the review has no deadline


class TooLate(RateLimited):
    """The provider's limit outlasts the review: no further try."""


def backoff(failures: int, chance: float) -> float:
    """Seconds to wait after so many failures."""
    return float(min(LONGEST_BACKOFF, BACKOFF * 2**failures) * (1 + chance / 4))


class Gate:
    """Places for calls. `left` says how many seconds the review may still take; None: it has no deadline."""

    def __init__(
        self, places: int, left: Callable[[], float | None], pause: Pause, chance: Callable[[], float]
    ) -> None:
        self._most = self._width = float(max(1, places))
        self._left, self._pause, self._chance = left, pause, chance
        self._line, self._news = (
            asyncio.Lock(),
            asyncio.Event(),
        )  # the first in line waits for its turn, the others for theirs
        self._running = self._round = 0  # what was sent in an earlier round says nothing new
        self._has_begun = False
        self._hold, self._limits, self._why = 0.0, 0, RateLimited("")
        self._in_a_row = self._probes = 0  # failures since the last answer; those of one call at a time
        self._answered: set[str] = set()  # models
        self._refused: dict[str, ModelRefused] = {}
        self._gone: ProviderError | None = None  # why nothing more is sent

    @property
    def is_down(self) -> bool:
        """Whether one call at a time tries, which the gate itself lets wait."""
        return self._probes > 0

    @asynccontextmanager
    async def place(self, model: str) -> AsyncIterator[None]:
        """A place for one request; how it went decides about the next ones. Raises what is known beforehand, and TooLate."""
        sent = await self._enter(model)
        try:
            yield
        except RateLimited as error:
            self._limit(sent, error)
            raise
        except TimedOut:  # it has taken the request: with fewer at once each is answered sooner
            if self._is_news(sent):
                self._width = max(1.0, self._width // 2)
            self._answer(None)
            raise
        except ProviderDown as error:
            self._fail(sent, error)
            raise
        except (AccountRefused, ModelRefused) as error:
            if isinstance(error, AccountRefused):
                self._gone = error
            elif model not in self._answered:  # else it is about this request
                self._refused[model] = error
            raise
        except ProviderError:  # a prompt that is too long: an answer
            self._answer(model)
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
            while True:
                error = self._gone or self._refused.get(model)
                if error is not None:
                    raise copy.copy(error)
                if self._hold:
                    await self._wait(self._hold)
                elif self._running < (1 if self.is_down or not self._has_begun else int(self._width)):
                    break
                else:
                    self._news.clear()
                    try:
                        await asyncio.wait_for(self._news.wait(), None if self._has_begun else HEAD_START)
                    except TimeoutError:
                        self._has_begun = True
            self._running += 1
            return self._round

    async def _wait(self, seconds: float) -> None:
        left = self._left()
        rest = PATIENCE if left is None else left
        if seconds >= rest and not self.is_down:
            raise TooLate(
                f"{self._why}: that is longer than this review may still take ({rest:,.0f} s): "
                "run it again later, allow more seconds, or use another provider",
                self._why.retry_after,
            )
        await self._pause(seconds)
        if self._hold == seconds:
            self._hold = 0.0

    def _is_news(self, sent: int) -> bool:
        """Whether this request was sent since the last trouble: those that were in flight together meet one, not many."""
        is_news = sent == self._round
        self._round += is_news
        return is_news

    def _limit(self, sent: int, error: RateLimited) -> None:
        self._answer(None)
        self._width = max(1.0, min(self._width, self._running - 1.0))  # the others: they were taken
        if self._is_news(sent):
            self._limits, self._why = self._limits + 1, error
            asked = error.retry_after
            pause = min(LONGEST, SHORTEST * 2 ** (self._limits - 1)) if asked is None else asked
            self._hold = max(pause, min(SHORTEST, AGAIN * self._limits))

    def _fail(self, sent: int, error: ProviderDown) -> None:
        self._in_a_row += 1
        if (self._answered and self._in_a_row < IN_A_ROW and not self.is_down) or not self._is_news(sent):
            return
        self._probes += 1
        if self._probes == TRIES:
            self._gone = error
        else:
            self._hold = backoff(self._probes, self._chance())

    def _answer(self, model: str | None) -> None:
        """The provider is there."""
        if model is not None:
            self._answered.add(model)
        if self.is_down:
            self._hold = 0.0
        self._in_a_row = self._probes = 0
