"""Each request on its way: a place, a reservation, a line in the journal, the tries. Settled whatever becomes of it.

Requests at the server == lines of kind "request" in the journal: each try is one of both, so the libraries' own retries stay off.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import TypedDict

from bot.errors import BudgetSpent, PromptTooLong, ProviderDown, ProviderError, RateLimited, TimedOut
from bot.journal import codec
from bot.journal.codec import Row
from bot.journal.writer import Journal
from bot.llm import capacity
from bot.llm.budget import Budget, Hold
from bot.llm.gate import TRIES, Gate, Pause, TooLate, backoff
from bot.llm.sizes import Request, Sizes
from bot.ports import Model
from bot.values import Completion, Purpose, Usage

SILENCES = 2  # tries of a call during which the provider falls silent: each of them may be billed


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
                except TooLate as error:
                    raise RateLimited(str(error), error.retry_after) from None
                except RateLimited as error:
                    failures += error.usage is not None or error.may_be_billed
                    if failures == TRIES:
                        raise
                except PromptTooLong as error:
                    self._sizes.shrink(model, error.window)
                    smaller = self._sizes.with_less_room(model, request, error.window)
                    failures += error.usage is not None or error.may_be_billed
                    if smaller is None or failures == TRIES:
                        raise
                    request = smaller
                except ProviderDown as error:
                    failures, silent = failures + 1, silent + isinstance(error, TimedOut)
                    wait, left = backoff(failures, self._chance()), self._budget.seconds_left()
                    if failures == TRIES or silent == SILENCES or (left is not None and wait >= left):
                        raise
                    if not self._gate(model).is_down:
                        await self._pause(wait)

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
            with self._settling(model, request, hold, about) as replies:
                self.has_sent.set()
                replies.append(await model.complete(request.prompt))
            await self._journal.wait_stored()
        return replies[0]

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

    @contextmanager
    def _settling(self, model: Model, request: Request, hold: Hold, about: Row) -> Iterator[list[Completion]]:
        """A request that is sent, and its reply. Whatever happens, it is in the journal and in the budget."""
        start, is_free = self._clock(), self._budget.is_owned(model.name) and model.price(Usage()) is None
        self._journal.request(request.prompt, **about, **({} if is_free else {"reserved": hold.usd}))
        replies: list[Completion] = []
        usage, usd, said, was_limited = *self._reserved(model, request, hold), Row(error="cancelled"), False
        try:
            yield replies
            usage, usd = replies[0].usage, model.price(replies[0].usage)
            said = {"reply": codec.reply(replies[0])}
        except ProviderError as error:
            if isinstance(error.usage, Usage):
                usage, usd = error.usage, model.price(error.usage)
            elif not error.may_be_billed:  # it was turned away
                usage, usd = Usage(), model.price(Usage())
            was_limited = isinstance(error, RateLimited) and usage == Usage()
            said = {"error": f"{type(error).__name__}: {error}"}
            raise
        finally:
            self._budget.book(
                usage, usd, request.role, model.name, hold=hold, has_failed=not replies, was_limited=was_limited
            )
            self._settled.set()
            facts = {name: value for name, value in about.items() if name != "try"}
            facts |= {"usage": codec.usage(usage)} if usage != Usage() or replies else {}
            self._journal.put("call", **facts, seconds=round(self._clock() - start, 3), usd=usd, **said)

    def _reserved(self, model: Model, request: Request, hold: Hold) -> tuple[Usage, float | None]:
        """What a request counts whose cost nobody knows: nobody waits for it any more, or its reply could not be read."""
        usd = None if model.price(Usage()) is None else hold.usd
        return Usage(self._sizes.likely(model, request.size), hold.output), usd

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
        usd = None if model.name in self._budget.unpriced else 0.0
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
