"""Each request on its way: a place, a reservation, a line in the journal, the tries. Settled whatever becomes of it.

Requests at the server == lines of kind "request" in the journal: each try is one of both, so the libraries' own retries stay off.
"""

import asyncio
import copy
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TypedDict

from bot.errors import (
    AccountRefused,
    BudgetSpent,
    ModelRefused,
    PromptTooLong,
    ProviderDown,
    ProviderError,
    RateLimited,
    TimedOut,
)
from bot.journal import codec
from bot.journal.codec import Row
from bot.journal.writer import Journal
from bot.llm import capacity
from bot.llm.budget import Budget, Hold
from bot.llm.sizes import Request, Sizes
from bot.ports import Model
from bot.values import Completion, Purpose, Usage

Pause = Callable[[float], Awaitable[None]]
TRIES = 4  # of one call, and of a provider that has never answered
OUTAGE = 8  # failures of one that has answered before, after which it is given up
HEAD_START = 0.05  # seconds of the first call
BACKOFF, LONGEST_BACKOFF = 1.0, 20.0  # seconds; doubled with each failure
SHORTEST, LONGEST = 1.0, 60.0  # seconds of a pause where a limit names none
AGAIN = 0.1  # seconds at least after a limit, longer after each further one, whatever the provider says
PATIENCE = 3_600.0  # seconds to wait for a provider where the review has no deadline
SILENCES = 2  # tries of a call during which the provider falls silent: each of them may be billed


class Gate:
    """The way to one provider, for all calls of a review: how many are in flight, how long it asks to wait, whether it is given up.

    The first call goes a moment ahead, for as long as a closed port or a refused key needs to show. A 429 stops all calls for as long
    as the provider asks, and from then on fewer are in flight. While a provider fails, one call at a time tries.
    `left` says how many seconds the review may still take; None: it has no deadline.
    """

    def __init__(
        self, places: int, left: Callable[[], float | None], pause: Pause, chance: Callable[[], float]
    ) -> None:
        self._most = self._width = float(max(1, places))
        self._left, self._pause, self._chance = left, pause, chance
        self._line, self._news = (
            asyncio.Lock(),
            asyncio.Event(),
        )  # the first in line waits for its turn, the rest for theirs
        self._running = self._round = 0  # what was sent in an earlier round says nothing new
        self._has_begun = False
        self._hold, self._why = 0.0, ProviderError("")  # seconds to wait, and the reason
        self._limits = self._failures = 0  # since the last answer
        self._answered: set[str] = set()  # models
        self._gone: dict[str, ProviderError] = {}  # why nothing more is sent to a model; "": to none of them

    def gone(self, model: str) -> ProviderError | None:
        """Why nothing more is sent to this model; None if it is not given up."""
        return self._gone.get("") or self._gone.get(model)

    @asynccontextmanager
    async def place(self, model: str) -> AsyncIterator[None]:
        """A place for one request; how it went decides about the next ones. Raises why the model is given up, if it is."""
        sent = await self._enter(model)
        try:
            yield
        except ProviderError as error:
            self._hear(error, model, sent)
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
        elif isinstance(self._why, RateLimited):
            self._gone[""] = RateLimited(
                f"{self._why}: that is longer than this review may still take ({rest:,.0f} s): "
                "run it again later, allow more seconds, or use another provider",
                self._why.retry_after,
            )
        else:
            self._gone[""] = self._why

    def _hear(self, error: ProviderError, model: str, sent: int) -> None:
        """What a failure says of the next requests."""
        match error:
            case RateLimited():
                self._failures, self._width = (
                    0,
                    max(1.0, min(self._width, self._running - 1.0)),
                )  # the others were taken
                if self._is_news(sent):
                    self._limits += 1
                    pause = error.retry_after, min(LONGEST, SHORTEST * 2 ** (self._limits - 1))
                    asked = next(seconds for seconds in pause if seconds is not None)
                    self._hold, self._why = max(asked, min(SHORTEST, AGAIN * self._limits)), error
            case TimedOut():  # it has taken the request: with fewer at once each is answered sooner
                self._failures = 0
                if self._is_news(sent):
                    self._width = max(1.0, self._width // 2)
            case ProviderDown():
                if self._is_news(sent):
                    self._failures += 1
                    wait = min(LONGEST_BACKOFF, BACKOFF * 2 ** (self._failures - 1)) * (1 + self._chance() / 4)
                    self._hold, self._why = wait, error
                    if self._failures == (OUTAGE if self._answered else TRIES):
                        self._gone[""] = error
            case AccountRefused():
                self._gone[""] = error
            case ModelRefused():  # of one that has answered it is about this request
                self._gone |= {} if model in self._answered else {model: error}
            case _:  # a prompt that is too long: an answer
                self._answer(model)

    def _is_news(self, sent: int) -> bool:
        """Whether this request was sent since the last trouble: those that were in flight together meet one, not many."""
        is_news = sent == self._round
        self._round += is_news
        return is_news

    def _answer(self, model: str) -> None:
        self._failures = 0
        self._answered.add(model)


class Surroundings(TypedDict, total=False):
    """Time and chance, where they are not the machine's own."""

    pause: Pause
    clock: Callable[[], float]
    chance: Callable[[], float]


class Sender:
    """The way out of one review, on one event loop."""

    def __init__(
        self,
        budget: Budget,
        journal: Journal,
        sizes: Sizes,
        *,
        pause: Pause = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._budget, self._journal, self._sizes = budget, journal, sizes
        self._pause, self._clock, self._chance = pause, clock, chance
        self._gates: dict[str, Gate] = {}  # by provider
        self._settled = asyncio.Event()
        self.has_sent = asyncio.Event()

    async def send(self, model: Model, request: Request, at: str) -> Completion:
        """Every try of one request.

        A fault uses up a try, and so does whatever is billed. Otherwise a rate limit is waited for, and too much room is taken back.
        """
        about: Row = {"key": request.key, "role": request.role, "model": model.name, "at": at}
        attempts = failures = silent = 0
        async with self._recording_failure(model, about):
            while True:
                attempts += 1
                try:
                    return await self._try(model, request, {**about, "try": attempts})
                except (RateLimited, PromptTooLong, ProviderDown) as error:
                    failures += isinstance(error, ProviderDown) or error.may_be_billed
                    silent += isinstance(error, TimedOut)
                    if failures == TRIES or silent == SILENCES or self._gate(model).gone(model.name) is not None:
                        raise
                    if isinstance(error, PromptTooLong):
                        self._sizes.shrink(model, error.window)
                        smaller = self._sizes.with_less_room(model, request, error.window)
                        if smaller is None:
                            raise
                        request = smaller

    def _gate(self, model: Model) -> Gate:
        provider = model.name.partition("/")[0]
        if provider not in self._gates:
            places = self._budget.limits.concurrency or capacity.places(model.name)
            self._gates[provider] = Gate(places, self._budget.seconds_left, self._pause, self._chance)
        return self._gates[provider]

    async def _try(self, model: Model, request: Request, about: Row) -> Completion:
        """One request: it waits for a place, reserves what it could cost, and is in the journal before anybody sees its reply."""
        async with self._gate(model).place(model.name):
            request = self._sizes.below_window(model, request)
            hold = await self._reserve(model, request)
            if request.role == "root":  # its workers cannot use up what its next reply needs
                self._budget.keep(self._sizes.next_turn(model, request))
            request = replace(request, prompt=replace(request.prompt, max_tokens=hold.output))
            reply = await self._settled_call(model, request, hold, about)
            await self._journal.wait_stored()
        return reply

    async def _reserve(self, model: Model, request: Request) -> Hold:
        """Reserve what a request could cost. If only calls in flight keep it from a cap, wait: they give back what they do not use."""
        visible = max(request.least, min(request.prompt.max_tokens, request.room))
        while True:
            self._settled.clear()
            try:
                return self._budget.reserve(
                    Usage(request.most, request.room), model.price, model.name, request.role, visible=visible
                )
            except BudgetSpent:
                if not self._budget.in_flight:
                    raise
            await self._settled.wait()

    async def _settled_call(self, model: Model, request: Request, hold: Hold, about: Row) -> Completion:
        """The reply to a request. Whatever happens, it is in the journal and in the budget.

        A request whose cost nobody knows counts as it was reserved: nobody waits for it any more, or the model was at work when it failed.
        """
        start, has_price = self._clock(), model.price(Usage()) is not None
        is_free = self._budget.is_owned(model.name) and not has_price
        self._journal.request(request.prompt, **about, **({} if is_free else {"reserved": hold.usd}))
        usage, usd = Usage(self._sizes.likely(model, request.size), hold.output), hold.usd if has_price else None
        said, was_limited = Row(error="cancelled"), False
        self.has_sent.set()
        try:
            reply = await model.complete(request.prompt)
            usage, usd, said = reply.usage, model.price(reply.usage), {"reply": codec.reply(reply)}
        except ProviderError as error:
            if not error.may_be_billed:  # it was turned away
                usage, usd = Usage(), model.price(Usage())
            was_limited = isinstance(error, RateLimited) and usage == Usage()
            said = {"error": f"{type(error).__name__}: {error}"}
            raise
        else:
            return reply
        finally:
            has_failed = "error" in said
            self._budget.book(
                usage, usd, request.role, model.name, hold=hold, has_failed=has_failed, was_limited=was_limited
            )
            self._settled.set()
            facts = {name: value for name, value in about.items() if name != "try"}
            facts |= {"usage": codec.usage(usage)} if usage != Usage() or not has_failed else {}
            self._journal.put("call", **facts, seconds=round(self._clock() - start, 3), usd=usd, **said)

    @asynccontextmanager
    async def _recording_failure(self, model: Model, about: Row) -> AsyncIterator[None]:
        """The error that stays goes to the journal too, so that a resumed review goes on in the same way. So does the deadline."""
        try:
            async with asyncio.timeout(self._budget.seconds_left()):
                yield
        except TimeoutError:
            error: ProviderError | BudgetSpent = BudgetSpent(self._budget.out_of_time())
        except (ProviderError, BudgetSpent) as failure:
            error = failure
        else:
            return
        usd = None if model.price(Usage()) is None else 0.0
        self._journal.put("failed", **about, usd=usd, **codec.failure(error))
        raise error

    def book(self, rows: Sequence[Row], role: Purpose) -> None:
        """What an earlier run paid counts in this one too, with the tries that failed: so the caps hold over all runs."""
        for row in rows:
            if row["kind"] == "failed":
                if row["usd"] is None:
                    self._budget.note_unpriced(row["model"])
                continue
            usage, error = Usage(*row.get("usage", ())), row.get("error", "")
            was_limited = error.startswith(RateLimited.__name__) and usage == Usage()
            self._budget.book(usage, row["usd"], role, row["model"], has_failed=bool(error), was_limited=was_limited)
