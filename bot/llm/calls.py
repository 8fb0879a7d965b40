"""The one door for every paid call: journal, budget, places in flight, retries, and answers that fit their schema.

Requests at the server == lines of kind "request" in the journal: each try is one of both. Each gets a line of kind "call",
but for those that were in flight when the process was killed.
"""

import asyncio
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from bot.errors import (
    BadAnswer,
    BudgetSpent,
    PromptTooLong,
    ProviderDown,
    ProviderError,
    ProviderRefused,
    RateLimited,
    TimedOut,
)
from bot.journal import codec
from bot.journal.codec import key as key_of
from bot.journal.writer import Journal
from bot.llm import capacity
from bot.llm.accounts import Accounts
from bot.llm.beginnings import Beginnings
from bot.llm.budget import Budget
from bot.llm.limiter import Limiter, Pause, TooLate
from bot.llm.offers import Offers
from bot.llm.reach import Attempt, Reachability, TurnLost, backoff
from bot.llm.sizes import Request, Sizes
from bot.masking.masks import Masks
from bot.ports import Model
from bot.values import Completion, Cost, Prompt, Purpose

TRIES = 4  # the first and three more; a rate limit is none, the limiter waits for its end
SILENCES = 2  # tries of a call during which the provider falls silent: each of them may be billed
MEND = (
    "That answer cannot be used: {wrong}. Answer again, in full, in the form that was asked for, and with nothing else."
)
TOO_LATE = "that is longer than this review may still take ({left:,.0f} s): run it again later, or use another provider"

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
        masks: Masks | None = None,
    ) -> None:
        self.budget, self.journal = budget, journal
        self.masks = masks if masks is not None else Masks()
        self._failure, self._too_long = "", ""  # the first of each that no other try has mended
        self.sent = (
            asyncio.Event()
        )  # set when the first request goes out: from then on somebody else's work is waited for
        self.at = ""  # the run and turn that asks now: one block runs at a time, and a child within its parent's
        self._pause, self._clock, self._chance = pause, clock, chance
        self._done: dict[str, Completion] = {}
        self._running: dict[str, asyncio.Task[Completion]] = {}
        self._limiters: dict[str, Limiter] = {}
        self.sizes = Sizes(budget)
        self.offers = Offers(budget, journal, self.masks, self.sizes)
        self._accounts = Accounts(budget, journal, self.sizes, clock, self._asker)
        self._beginnings = Beginnings(clock)
        self._reached: dict[str, Reachability] = {}  # by provider

    def cost(self) -> Cost:
        """What the review cost so far."""
        return self.budget.cost()

    def _asker(self, role: Purpose) -> str:
        """The run and turn that a call belongs to. Second opinions run beside turns and belong to none."""
        return "" if role == "verify" else self.at

    @property
    def failure(self) -> str:
        """What a provider failed at, as a sentence. A prompt that is too long is split, so it is the reason only if nothing else is."""
        return self._failure or self._too_long

    def now(self) -> float:
        """Seconds on the clock of the calls."""
        return self._clock()

    async def complete(self, model: Model, prompt: Prompt, role: Purpose) -> Completion:
        """One reply; an answer that does not fit its schema, or breaks off, is asked for again once.

        Raises ProviderError, BudgetSpent. Only the reply to a prompt with a tool may still be one that broke off. No secret is
        sent: a placeholder is, and the reply has the secret again. What a root writes keeps it, for the REPL knows none either.
        """
        return await self._complete(model, self.masks.prompt(prompt), role)

    async def _complete(self, model: Model, prompt: Prompt, role: Purpose) -> Completion:
        """The same of a prompt that is masked."""
        from bot.llm.schema import misfit  # here: a review without a model has no answer to compare

        with self._noting_failure():
            reply = await self._once(model, prompt, role)
            if reply.stop == "length":
                reply = await self._longer(model, prompt, role, reply)
            if not prompt.answer:
                return reply if prompt.tool else self.masks.reply(reply)
            if reply.stop == "refusal":  # asked again it would decline again
                raise self._of_no_use(f"{model.name} declined to answer")
            wrong = misfit(reply.data, prompt.answer.required_keys)
            if wrong:
                again = prompt.further(reply, MEND.format(wrong=wrong))
                reply = await self._once(model, again, role)
                if reply.stop == "length":
                    reply = await self._longer(model, again, role, reply)
                wrong = misfit(reply.data, prompt.answer.required_keys)
            if wrong:
                raise self._of_no_use(f"{model.name} gave no usable answer, asked twice: {wrong}")
            return reply if prompt.tool else self.masks.reply(reply)

    @contextmanager
    def _noting_failure(self) -> Iterator[None]:
        """Keep the sentence of an error for the reader of the review."""
        try:
            yield
        except BudgetSpent as error:
            self.budget.refuse(str(error))
            raise
        except PromptTooLong as error:
            self._too_long = self._too_long or str(error)
            raise
        except ProviderError as error:
            self._failure = self._failure or str(error)
            raise

    async def many(
        self,
        model: Model,
        prompts: Sequence[Prompt],
        role: Purpose,
        on_reply: Callable[[int, Slot], None] | None = None,
    ) -> list[Slot]:
        """Replies in the order of the prompts; what failed or was cut off by a cap is an error in its slot.

        `on_reply` is given each of them as soon as it is there.
        """
        tasks: list[asyncio.Task[Completion]] = []
        prompts = self.masks.prompts(prompts)
        try:
            for at, prompt in enumerate(prompts):
                tasks.append(asyncio.create_task(self._complete(model, prompt, role)))
                if on_reply is not None:
                    tasks[-1].add_done_callback(partial(_hand_on, on_reply, at))
                if len(tasks) == 1 and self._beginnings.first_alone(model, prompts):
                    await asyncio.wait(tasks)
            if tasks:
                await asyncio.wait(tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return [_slot(task) for task in tasks]

    def _of_no_use(self, why: str) -> BadAnswer:
        """The error of a reply that was paid for and cannot be used."""
        self.budget.fail()
        return BadAnswer(why)

    async def _longer(self, model: Model, prompt: Prompt, role: Purpose, first: Completion) -> Completion:
        """A reply that broke off, asked for again once with twice the room.

        The reply of a root is handed on even if it breaks off again: the root is told so. Any other is a BadAnswer.
        """
        used_tokens = max(first.usage.output, prompt.max_tokens)
        text = f"the answer of {model.name} broke off at {used_tokens:,} tokens, its thinking included"
        try:
            second = await self._once(
                model, replace(prompt, max_tokens=2 * prompt.max_tokens), role, broke_off=used_tokens
            )
        except PromptTooLong:
            raise
        except BudgetSpent as error:
            if prompt.tool is None:
                raise BudgetSpent(f"{text}, and for more of them {error} or set `models.thinking` lower") from None
            raise
        except ProviderRefused:  # that many tokens are more than this model can write
            second = first
        if second.stop == "length" and prompt.tool is None:
            again = max(second.usage.output, used_tokens)
            more = f", and asked again at {again:,}" if second is not first else ""
            raise self._of_no_use(f"{text}{more}: set `models.thinking` lower, or use another model")
        return second

    async def _once(self, model: Model, prompt: Prompt, role: Purpose, broke_off: int = 0) -> Completion:
        """A request is sent once in a run, and not at all where an earlier run has its reply. `broke_off`: with less room."""
        full_prompt = replace(prompt, effort=prompt.effort or self.budget.limits.effort)
        key, size = key_of(model.name, full_prompt)
        while key not in self._done and (running := self._running.get(key)) is not None:
            await asyncio.wait([running])
            if not running.cancelled():
                return self.sizes.learn(model, prompt, role, size, running.result())
        if key in self._done:
            return self.sizes.learn(model, prompt, role, size, self._done[key])
        rows = self.journal.calls(key, {"role": role, "model": model.name, "at": self._asker(role)}, prompt)
        self._accounts.book(rows, role)
        if rows and "reply" in rows[-1]:
            if role == "root":
                self.budget.keep(
                    self.sizes.next_turn(model, self.sizes.request(model, full_prompt, role, key, size, broke_off))
                )
            self._done[key] = codec.completion(rows[-1])
            return self.sizes.learn(model, prompt, role, size, self._done[key])
        if rows and rows[-1]["kind"] == "failed":
            error = codec.error(rows[-1])
            if isinstance(error, PromptTooLong):
                self.sizes.shrink(model, error.window)
            raise error
        request = self.sizes.request(model, full_prompt, role, key, size, broke_off)
        task = asyncio.create_task(self._send(model, request))
        task.add_done_callback(lambda _: self._running.pop(key, None))  # before any waiter looks again
        self._running[key] = task
        self._done[key] = await task
        return self.sizes.learn(model, prompt, role, size, self._done[key])

    async def _send(self, model: Model, request: Request) -> Completion:  # noqa: C901 - a case for each way in which a try ends
        """Every try of one request.

        A fault uses up a try, and so does whatever is billed. Otherwise a rate limit is waited for, and too much room is taken back.
        """
        attempts = failures = silent = 0
        reach = self._reached.setdefault(model.name.partition("/")[0], Reachability(self._pause, self._chance))
        async with self._accounts.recording_failure(model, request):
            while True:
                attempts += 1
                try:
                    async with reach.trying(model.name, request.key) as turn:
                        return await self._try(model, request, attempts, turn)
                except TurnLost:  # its turn comes again
                    attempts -= 1
                except TooLate as error:
                    raise RateLimited(str(error), error.retry_after) from None
                except RateLimited as error:
                    left, failures = self.budget.seconds_left(), failures + (error.usage is not None)
                    if failures == TRIES:
                        raise
                    if error.retry_after is not None and left is not None and error.retry_after >= left:
                        raise RateLimited(f"{error}: {TOO_LATE.format(left=left)}", error.retry_after) from error
                except PromptTooLong as error:
                    self.sizes.shrink(model, error.window)
                    smaller = self.sizes.with_less_room(model, request, error.window)
                    failures += error.usage is not None
                    if smaller is None or failures == TRIES:
                        raise
                    request = smaller
                except ProviderDown as error:
                    failures, silent = failures + 1, silent + isinstance(error, TimedOut)
                    wait, left = backoff(failures, self._chance()), self.budget.seconds_left()
                    if failures == TRIES or silent == SILENCES or (left is not None and wait >= left):
                        raise
                    if reach.open:
                        await self._pause(wait)

    async def _try(self, model: Model, request: Request, attempt: int, turn: Attempt) -> Completion:
        """One request: it waits for a place, reserves what it could cost, and is in the journal before anybody sees its reply."""
        name = model.name
        if name not in self._limiters:
            places = self.budget.limits.concurrency or capacity.places(name)
            self._limiters[name] = Limiter(places, self._clock, self._pause)
        async with self._limiters[name].place(
            self.sizes.likely(model, request.size), self.budget.seconds_left
        ) as ticket:
            turn.check()
            request = self.sizes.below_window(model, request)
            hold = await self._accounts.reserve(model, request)
            if request.role == "root":
                self.budget.keep(
                    self.sizes.next_turn(model, request)
                )  # its workers cannot use up what its next reply needs
            request = replace(request, prompt=replace(request.prompt, max_tokens=hold.output))
            with self._accounts.settling(model, request, hold, attempt) as outcome:
                self.sent.set()
                outcome.reply = await model.complete(request.prompt)
            await self.journal.wait_stored()
            ticket.allowance = outcome.reply.allowance
        return outcome.reply


def _hand_on(on_reply: Callable[[int, Slot], None], at: int, task: "asyncio.Task[Completion]") -> None:
    """Tell of a reply. A call that was cancelled and an error that no reply explains end the whole batch."""
    if not task.cancelled() and isinstance(task.exception(), ProviderError | BudgetSpent | None):
        on_reply(at, _slot(task))


def _slot(task: "asyncio.Task[Completion]") -> Slot:
    if task.cancelled():
        return BudgetSpent("the call was cancelled")
    error = task.exception()
    if error is None:
        return task.result()
    if isinstance(error, (ProviderError, BudgetSpent)):
        return error
    raise error
