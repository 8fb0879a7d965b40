"""When the next call to one model may be sent: how many are in flight, and what the provider's rate limit lets through.

Calls enter in the order in which they came. A provider that says 429 stops all calls for as long as it asks, then one call
tries, and further ones follow at the rate at which the provider has taken tokens so far. What it tells of its own limit in
headers is believed. The rate grows while calls go well, so that a limit that was met once does not slow a review for good.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.errors import RateLimited, TimedOut
from bot.llm.capacity import OWN_PLACES
from bot.values import Allowance

Pause = Callable[[float], Awaitable[None]]
WINDOW = 60.0  # seconds over which providers count tokens
SHORTEST, LONGEST = 1.0, 60.0  # seconds of a pause where the provider names none
INSTANT = 0.001  # seconds: a shorter wait is none
FIRST_PLACES = 2.0  # calls in flight at first at a server with few slots
SLOW, NOTABLE = 1.5, 0.5  # times the quickest reply, and seconds: a reply above both has waited for a slot
AGAIN = 0.1  # seconds at least after a refusal, longer after each further one, whatever the provider says
BRIEF = 2.0  # seconds of a pause that tell of a busy provider rather than of tokens a minute
REFUSALS = 3  # refusals one after another, from which on even short pauses teach a rate
PATIENCE = 3_600.0  # seconds to wait for a provider where the review has no deadline
PROBING, STEADY = 1.0, 0.1  # growth of the rate per call in flight: until a second 429, and after it


class TooLate(RateLimited):
    """The provider's limit outlasts the review: no further try."""


@dataclass(eq=False, slots=True)
class Ticket:
    """One request on its way."""

    round: int  # how many limits were met before it was sent
    sent_at: float
    size: int  # tokens, as far as they are known beforehand
    was_paced: bool = False
    was_refused: bool = False
    allowance: Allowance | None = None  # what the provider tells of its limit in the reply


class Limiter:
    """The way to one model, for all calls of a review."""

    def __init__(self, places: int, clock: Callable[[], float] = time.monotonic, pause: Pause = asyncio.sleep) -> None:
        self._most = float(max(1, places))
        self._small = places <= OWN_PLACES  # a server with few slots: more calls than slots only wait in its own queue
        self._quickest = 0.0  # seconds of the quickest reply
        self.width = min(self._most, FIRST_PLACES) if self._small else self._most
        self.running = 0
        self.rate: float | None = None  # tokens a second, once a limit is known
        self._clock, self._pause = clock, pause
        self._passed = 0.0  # seconds that pauses took by their own account and not by the clock's
        self._queue = asyncio.Lock()  # the first in line waits for its turn, the others for theirs
        self._freed = asyncio.Event()
        self._round, self._opens, self._refusals = 0, 0.0, 0
        self._level, self._at = 0.0, 0.0  # tokens that the provider would take now, and when that was
        self._capacity = 0.0  # tokens that its limit holds when it is full, by its headers
        self._told = False  # whether the rate is the provider's own word
        self._slow_start = True
        self._sent: deque[Ticket] = deque()  # of the last minute
        self._why: RateLimited | None = None

    def now(self) -> float:
        """Seconds on the limiter's clock."""
        return self._clock() + self._passed

    @asynccontextmanager
    async def place(self, size: int, left: Callable[[], float | None]) -> AsyncIterator[Ticket]:
        """A place for one request, which is given back at the end; how the request went sets the pace of the next ones."""
        ticket = await self.enter(size, left)
        try:
            yield ticket
        except RateLimited as error:
            self.note_limit(ticket, error)
            raise
        except TimedOut:
            self.note_silence(ticket)
            raise
        finally:
            self.leave()
        self.went_well(ticket)

    async def enter(self, size: int = 1, left: Callable[[], float | None] = lambda: None) -> Ticket:
        """Wait for a place and for the provider's limit. Raises TooLate where that would take longer than is `left`."""
        start = self.now()
        async with self._queue:
            while True:
                if self.running >= int(self.width):
                    self._freed.clear()
                    await self._freed.wait()
                    continue
                wait = self._wait(size)
                if wait <= 0:
                    break
                self._give_up(wait, start, left())
                until = self.now() + wait
                await self._pause(wait)
                self._passed += max(0.0, until - self.now())
            now = self.now()
            ticket = Ticket(self._round, now, size, was_paced=self.rate is not None)
            if self.rate is not None:
                self._level, self._at = self._fill(now) - size, max(now, self._at)
            self.running += 1
            self._sent.append(ticket)
        return ticket

    def leave(self) -> None:
        """Give the place back."""
        self.running -= 1
        self._freed.set()

    def note_limit(self, ticket: Ticket, error: RateLimited) -> None:
        """The provider said 429. Calls that were in flight together meet one limit, not many."""
        now, allowance = self.now(), getattr(error, "allowance", None)
        ticket.was_refused, self._why = True, error
        if ticket.round == self._round:
            self._round += 1
            self._slow_start = self._slow_start and not ticket.was_paced
            self._refusals += 1
        self.width = max(1.0, min(self.width, self.running - 1.0))  # the others: they were taken
        taken_tokens = self._taken_tokens(now)
        # A provider that asks for a moment is busy: that teaches no rate of tokens, unless it refuses again and again.
        busy = error.retry_after is not None and error.retry_after <= BRIEF and self._refusals < REFUSALS
        if busy and self.rate is None:
            self._hold(now, error.retry_after or 0.0)
            return
        if taken_tokens and not self._told:
            self.rate = taken_tokens / WINDOW
        elif not taken_tokens and not ticket.was_paced and not self._told:
            self.rate = None  # nothing was taken: there is nothing to learn a rate from
        seconds = error.retry_after
        if seconds is None and allowance is not None and allowance.reset_seconds is not None and not allowance.tokens:
            seconds = min(allowance.reset_seconds, LONGEST)
        if seconds is None:
            need = ticket.size / self.rate if taken_tokens and self.rate else SHORTEST * 2 ** min(self._refusals - 1, 6)
            seconds = min(LONGEST, max(SHORTEST, need))
        self._hold(now, seconds)
        # One call tries then; those after it are paced by the rate.
        self._level, self._at = float(ticket.size), self._opens

    def _hold(self, now: float, seconds: float) -> None:
        """Let no call in for so long."""
        self._opens = max(now + max(seconds, min(SHORTEST, AGAIN * self._refusals)), self._opens)

    def note_silence(self, ticket: Ticket) -> None:
        """The provider was silent for too long: with fewer calls at once each is answered sooner."""
        if ticket.round == self._round:
            self._round += 1
            self.width = max(1.0, self.width // 2)

    def went_well(self, ticket: Ticket) -> None:
        """A call was answered: one more place per width of calls, and a little more of the rate."""
        seconds = self.now() - ticket.sent_at
        self._quickest = min(seconds, self._quickest or seconds)
        was_queued = self._small and seconds > max(SLOW * self._quickest, NOTABLE)
        if not was_queued:
            self.width = min(self._most, self.width + 1 / self.width)
        self._freed.set()
        if ticket.round == self._round:
            self._refusals = 0
            if self.rate is not None and not self._told:
                self._level, self._at = self._fill(self.now()), max(self.now(), self._at)
                self.rate *= 1 + (PROBING if self._slow_start else STEADY) / max(1, self.running + 1)
        allowance = ticket.allowance
        if allowance is not None and allowance.tokens is not None and allowance.reset_seconds is not None:
            self._learn(ticket, allowance.tokens, allowance.reset_seconds)

    def _learn(self, ticket: Ticket, tokens: int, reset: float) -> None:
        """What the provider had left when it took this call, and until when it is full again."""
        self._capacity = max(self._capacity, float(tokens + ticket.size))
        missing = self._capacity - tokens
        if reset <= 0 or missing <= 0:
            return
        now = self.now()
        self.rate, self._told = missing / reset, True
        later = sum(other.size for other in self._sent if other.sent_at > ticket.sent_at and not other.was_refused)
        level = min(self._capacity, tokens + self.rate * (now - ticket.sent_at)) - later
        if now >= self._opens:
            self._level, self._at = level, now

    def _wait(self, size: int) -> float:
        """Seconds until a call of this size may be sent."""
        now = self.now()
        if now + INSTANT < self._opens:
            return self._opens - now
        if self.rate is None:
            return 0.0
        missing = min(float(size), self._full()) - self._fill(now)
        wait = missing / self.rate
        return wait if wait > INSTANT else 0.0

    def _full(self) -> float:
        return max(self._capacity, (self.rate or 0.0) * WINDOW)

    def _fill(self, now: float) -> float:
        return min(self._full(), self._level + max(0.0, now - self._at) * (self.rate or 0.0))

    def _taken_tokens(self, now: float) -> int:
        """Tokens that the provider has taken in the last minute."""
        while self._sent and self._sent[0].sent_at < now - WINDOW:
            self._sent.popleft()
        return sum(ticket.size for ticket in self._sent if not ticket.was_refused)

    def _give_up(self, wait: float, start: float, left: float | None) -> None:
        """Raise TooLate where the wait would outlast the review: what has only passed in pauses counts as well."""
        if self._why is None:
            return
        rest = PATIENCE - (self.now() - start) if left is None else left - self._passed
        if wait < rest:
            return
        raise TooLate(
            f"{self._why}: that is longer than this review may still take ({max(0.0, rest):,.0f} s); "
            "run it again later, allow more seconds, or use another provider",
            self._why.retry_after,
        )
