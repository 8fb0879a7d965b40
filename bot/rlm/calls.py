"""The one door for every paid call: journal, budget, places in flight, retries, and answers that fit their schema.

Requests at the server == lines of kind "request" in the journal: each try is one of both. Each gets a line of kind "call",
but for those that were in flight when the process was killed.
"""

import asyncio
import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from bot.errors import BadAnswer, BudgetSpent, ProviderDown, ProviderError, RateLimited
from bot.ports import Model
from bot.rlm.budget import Budget, Hold, Role, dearest
from bot.rlm.fits import misfit
from bot.rlm.gate import Gate, Pause
from bot.rlm.journal import Journal
from bot.rlm.lines import key as key_of
from bot.rlm.record import Asked
from bot.values import Completion, Cost, Message, Prompt, Usage

TRIES = 4  # the first and three more
BACKOFF, LONGEST = 0.5, 20.0  # seconds; doubled with each try
CHARS_PER_TOKEN = 3  # for reservations: on the careful side of what tokenizers do with code

Slot = Completion | ProviderError | BudgetSpent


class Calls:
    """Calls of one review, on one event loop."""

    def __init__(
        self,
        budget: Budget,
        journal: Journal,
        *,
        pause: Pause = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.budget, self.journal = budget, journal
        self.failure = ""  # the first of a provider that no other try has mended, as a sentence
        self.at = ""  # the run and turn that asks now: one block runs at a time, and a child within its parent's
        self._pause, self._clock, self._chance = pause, clock, chance
        self._done: dict[str, Completion] = {}
        self._running: dict[str, asyncio.Task[Completion]] = {}
        self._gates: dict[str, Gate] = {}
        self._settled = asyncio.Event()

    def cost(self) -> Cost:
        """What the review cost so far."""
        return self.budget.cost()

    def now(self) -> float:
        """Seconds on the clock of the calls."""
        return self._clock()

    async def complete(self, model: Model, prompt: Prompt, role: Role) -> Completion:
        """One reply; a structured answer that does not fit is asked for again once. Raises ProviderError, BudgetSpent."""
        try:
            return await self._fitting(model, prompt, role)
        except BudgetSpent as error:
            self.budget.refuse(str(error))
            raise
        except ProviderError as error:
            self.failure = self.failure or str(error)
            raise

    async def many(self, model: Model, prompts: Sequence[Prompt], role: Role) -> list[Slot]:
        """Replies in the order of the prompts; what failed or was cut off by a cap is an error in its slot."""
        tasks = [asyncio.create_task(self.complete(model, prompt, role)) for prompt in prompts]
        try:
            if tasks:
                await asyncio.wait(tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return [_slot(task) for task in tasks]

    async def _fitting(self, model: Model, prompt: Prompt, role: Role) -> Completion:
        first = await self._once(model, prompt, role)
        wrong = prompt.answer and misfit(first.data, prompt.answer.parameters)
        if not prompt.answer or not wrong:
            return first
        second = await self._once(model, _repair(prompt, first, wrong), role)
        wrong = misfit(second.data, prompt.answer.parameters)
        if wrong:
            self.budget.fail()
            raise BadAnswer(f"{model.name} gave no usable answer, asked twice: {wrong}")
        return second

    async def _once(self, model: Model, prompt: Prompt, role: Role) -> Completion:
        """A request is sent once in a run, and not at all where an earlier run has its reply."""
        key, size = key_of(model.name, prompt)
        while key not in self._done and (running := self._running.get(key)) is not None:
            await asyncio.wait([running])
            if not running.cancelled():
                return running.result()
        if key in self._done:
            return self._done[key]
        most = Usage(input=size // CHARS_PER_TOKEN, output=prompt.max_tokens)
        known = self.journal.take(key, self.at, prompt, role, model.name)
        if known is not None:
            self._book(known, role)
        if known is not None and known.reply is not None:
            if role == "root":
                self.budget.keep(Hold(most.input + most.output, dearest(model.price, most) or 0.0))
            self._done[key] = known.reply
            return known.reply
        if known is not None and known.error is not None:
            raise known.error
        task = asyncio.create_task(self._last_word(model, prompt, role, key, most))
        task.add_done_callback(lambda _: self._running.pop(key, None))  # before any waiter looks again
        self._running[key] = task
        self._done[key] = await task
        return self._done[key]

    def _book(self, known: Asked, role: Role) -> None:
        """What an earlier run paid counts in this one too, with the tries that failed: so the caps hold over all runs."""
        for usd in known.tries:
            self.budget.book(Usage(), usd, role, known.model, failed=True)
        if known.reply is not None:
            self.budget.book(known.reply.usage, known.usd, role, known.model)
        elif known.error is not None and known.usd is None:
            self.budget.unpriced(known.model)

    async def _last_word(self, model: Model, prompt: Prompt, role: Role, key: str, most: Usage) -> Completion:
        """The reply, or the error that stays: in the journal too, so that a review that goes on goes on in the same way."""
        at = self.at
        try:
            async with asyncio.timeout(self.budget.seconds_left()):
                return await self._send(model, prompt, role, key, most)
        except TimeoutError:
            error: ProviderError | BudgetSpent = BudgetSpent(self.budget.out_of_time())
        except (ProviderError, BudgetSpent) as failure:
            error = failure
        priced = 0.0 if model.price(Usage()) is not None else None
        self.journal.failed(key, role, model.name, at, error, priced)
        raise error

    async def _send(self, model: Model, prompt: Prompt, role: Role, key: str, most: Usage) -> Completion:
        for tried in range(1, TRIES + 1):
            try:
                return await self._try(model, prompt, role, key, most, tried)
            except (RateLimited, ProviderDown) as error:
                asked = error.retry_after if isinstance(error, RateLimited) else None
                wait = min(LONGEST, BACKOFF * 2**tried) if asked is None else asked
                left = self.budget.seconds_left()
                if tried == TRIES or (left is not None and wait >= left):
                    raise
                await self._pause(wait * (1 + self._chance() / 4))
        raise AssertionError("the last try returns or raises")

    async def _try(self, model: Model, prompt: Prompt, role: Role, key: str, most: Usage, tried: int) -> Completion:
        gate = self._gates.setdefault(model.name, Gate(self.budget.limits.concurrency, self._clock, self._pause))
        round_ = await gate.enter()
        try:
            hold = await self._reserve(model, role, most)
            if role == "root":
                self.budget.keep(hold)  # so that its workers cannot use up what its next reply needs
            done = await self._request(model, prompt, role, key, hold, tried)
        except RateLimited as error:
            gate.narrow(round_, error.retry_after or 0.0)
            raise
        finally:
            gate.leave()
        gate.widen()
        return done

    async def _reserve(self, model: Model, role: Role, most: Usage) -> Hold:
        """Where only calls in flight stand between this one and a cap, wait: they give back what they do not use."""
        while True:
            self._settled.clear()
            try:
                return self.budget.reserve(most, model.price, model.name, role)
            except BudgetSpent:
                if not self.budget.in_flight:
                    raise
            await self._settled.wait()

    async def _request(self, model: Model, prompt: Prompt, role: Role, key: str, hold: Hold, tried: int) -> Completion:
        """Send it. Whatever happens it is in the journal, and settled, before anybody sees it."""
        started, at = self._clock(), self.at
        self.journal.request(key, prompt, role, model.name, at, tried, hold.usd or None)
        done: Completion | str = "cancelled"
        usage, usd = Usage(), 0.0 if model.price(Usage()) is not None else None
        try:
            done = await model.complete(prompt)
            usage, usd = done.usage, model.price(done.usage)
        except ProviderError as error:
            done = f"{type(error).__name__}: {error}"
            raise
        finally:
            self.budget.settle(hold, usage, usd, role, model.name, failed=isinstance(done, str))
            self._settled.set()
            self.journal.call(key, role, model.name, at, done, usd, self._clock() - started)
        await self.journal.stored()
        return done


def _slot(task: "asyncio.Task[Completion]") -> Slot:
    if task.cancelled():
        return BudgetSpent("the call was cancelled")
    error = task.exception()
    if error is None:
        return task.result()
    if isinstance(error, (ProviderError, BudgetSpent)):
        return error
    raise error


def _repair(prompt: Prompt, first: Completion, wrong: str) -> Prompt:
    """The same dialogue with what came back, and what is wrong with it."""
    said = first.text or json.dumps(first.data, default=str) if first.text or first.data else "(no answer)"
    ask = f"That answer cannot be used: {wrong}. Answer again, in full, in the form that was asked for, and with nothing else."
    if first.stop == "length":
        ask += f" It was cut off at {prompt.max_tokens:,} tokens: be shorter."
    return replace(prompt, messages=(*prompt.messages, Message("assistant", said), Message("user", ask)))
