"""The one door for every paid call: what an earlier run has paid, what is sent, and answers that fit their schema."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Unpack

from bot.errors import BadAnswer, BudgetSpent, PromptTooLong, ProviderError, ProviderRefused
from bot.journal import codec
from bot.journal.writer import Journal
from bot.llm import capacity
from bot.llm.budget import Budget
from bot.llm.sending import Sender, Surroundings
from bot.llm.sizes import Sizes
from bot.masking.masks import Masks
from bot.ports import Model
from bot.values import Completion, Cost, Message, Prompt, Purpose, Usage

MEND = (
    "That answer cannot be used: {wrong}. Answer again, in full, in the form that was asked for, and with nothing else."
)
SHARED = (
    3  # calls with a common beginning from which on the first goes alone: the others read it from the provider's cache
)
FEW = 1_024  # tokens of that beginning from which on it does
FEW_OF = {"haiku": 4_096, "opus": 4_096, "gemini": 4_096}  # where a provider keeps longer beginnings only
MANY = 100_000  # tokens for comparing prices

Slot = Completion | ProviderError | BudgetSpent


class Calls:
    """Calls of one review, on one event loop."""

    def __init__(
        self, budget: Budget, journal: Journal, *, masks: Masks | None = None, **surroundings: Unpack[Surroundings]
    ) -> None:
        self.budget, self.journal = budget, journal
        self.masks = masks if masks is not None else Masks()
        self.at = ""  # the run and turn that asks now: one block runs at a time, and a child within its parent's
        self.now: Callable[[], float] = surroundings.get("clock", time.monotonic)  # seconds
        self.sizes = Sizes(budget)
        self._sender = Sender(budget, journal, self.sizes, **surroundings)
        self.sent = (
            self._sender.has_sent
        )  # set when the first request goes out: from then on somebody else's work is waited for
        self._failure, self._too_long = "", ""  # the first of each that no other try has mended
        self._done: dict[str, Completion] = {}
        self._running: dict[str, asyncio.Task[Completion]] = {}
        self._beginnings: set[tuple[str, tuple[Message, ...]]] = set()  # that were sent, by model

    def under(self, budget: Budget) -> "Calls":
        """The same door under another budget: what was answered is not sent again."""
        calls = Calls(budget, self.journal, masks=self.masks)
        calls._done = self._done
        return calls

    def cost(self) -> Cost:
        """What the review cost so far."""
        return self.budget.cost()

    @property
    def failure(self) -> str:
        """What a provider failed at, as a sentence. A prompt that is too long is split, so it is the reason only if nothing else is."""
        return self._failure or self._too_long

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
            reply = await self._longer(model, prompt, role, await self._once(model, prompt, role))
            if prompt.answer:
                if reply.stop == "refusal":  # asked again it would decline again
                    raise self._of_no_use(f"{model.name} declined to answer")
                wrong = misfit(reply.data, prompt.answer.required_keys)
                if wrong:
                    again = prompt.further(reply, MEND.format(wrong=wrong))
                    reply = await self._longer(model, again, role, await self._once(model, again, role))
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
                if len(tasks) == 1 and self._first_alone(model, prompts):
                    await asyncio.wait(tasks)
            if tasks:
                await asyncio.wait(tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return [_slot(task) for task in tasks]

    def second_calls(self, model: Model, prompts: Sequence[Prompt], role: Purpose, more: int) -> list[bool]:
        """Which of these prompts may be followed by one more call each, in the same dialogue with `more` tokens added to it.

        What an earlier run decided stays: its requests are in the journal.
        """
        prompts = self.masks.prompts(prompts)
        usd, tokens, calls = self.budget.room(role)
        reply, window = self._reply(model, role), self.sizes.window(model)
        sizes = [self.sizes.likely(model, codec.key(model.name, prompt)[1]) for prompt in prompts]
        usd -= sum(self.budget.worst(model.price, model.name, Usage(size, reply)) for size in sizes)
        tokens -= sum(size + reply for size in sizes)
        calls -= len(prompts)
        may_follow = []
        for prompt, size in zip(prompts, sizes, strict=True):
            usage = Usage(size + more + reply, reply)
            second, need = self.budget.worst(model.price, model.name, usage), usage.input + usage.output
            fits_window = window is None or need + prompt.max_tokens // 2 <= window
            with_offer, without = self._sent_before(model, prompt)
            may = (
                with_offer if with_offer != without else second <= usd and need <= tokens and calls >= 1 and fits_window
            )
            may_follow.append(may)
            if may:
                usd, tokens, calls = usd - second, tokens - need, calls - 1
        return may_follow

    def knows(self, model: Model, prompt: Prompt) -> bool:
        """Whether an earlier run has sent this prompt."""
        return any(self._sent_before(model, self.masks.prompt(prompt)))

    def may_precede(self, model: Model, prompt: Prompt) -> bool:
        """Whether this prompt may be sent before it is certain that its answer is needed. A replay sends recorded ones only."""
        return not self.journal.replays or self.knows(model, prompt)

    def room_for(self, model: Model, size: int, role: Purpose, part: int, most: int) -> int:
        """How many calls of so many tokens, `most` at most, one part in so many of what this role may still use holds."""
        reply = self._reply(model, role)
        each = self.budget.worst(model.price, model.name, Usage(size, reply))
        usd, tokens, calls = (left / part for left in self.budget.room(role))
        return max(0, int(min(usd / each if each else most, tokens / (size + reply), calls, most)))

    def _reply(self, model: Model, role: Purpose) -> int:
        """The tokens of a reply, as an estimate assumes them."""
        return capacity.REPLY + (0 if capacity.thinking(model.name) == "no" else capacity.HABIT[role])

    def _sent_before(self, model: Model, prompt: Prompt) -> tuple[bool, bool]:
        """Whether an earlier run has sent this prompt with the offer to ask for more, and without."""
        full = replace(prompt, effort=prompt.effort or self.budget.limits.effort)
        plain = replace(full, answer=prompt.answer.final or prompt.answer if prompt.answer else None)
        with_offer, without = (self.journal.knows(codec.key(model.name, one)[0]) for one in (full, plain))
        return with_offer, without

    def _first_alone(self, model: Model, prompts: Sequence[Prompt]) -> bool:
        """Whether the first of these goes alone: if the provider keeps a beginning of this length and charges less for it."""
        common = prompts[0].messages[: _common(prompts)]
        least = next((tokens for word, tokens in FEW_OF.items() if word in model.name), FEW)
        if len(prompts) < SHARED or not common or capacity.least_tokens(common) < least:
            return False
        plain, cached = model.price(Usage(MANY)), model.price(Usage(MANY, cache_read=MANY))
        is_new = (model.name, common) not in self._beginnings
        self._beginnings.add((model.name, common))
        return bool(is_new and plain and cached is not None and cached < plain)

    def _of_no_use(self, why: str) -> BadAnswer:
        """The error of a reply that was paid for and cannot be used."""
        self.budget.fail()
        return BadAnswer(why)

    async def _longer(self, model: Model, prompt: Prompt, role: Purpose, first: Completion) -> Completion:
        """The reply; one that broke off is asked for again once, with twice the room.

        The reply of a root is handed on even if it breaks off again: the root is told so. Any other is a BadAnswer.
        """
        if first.stop != "length":
            return first
        used = max(first.usage.output, prompt.max_tokens)
        text = f"the answer of {model.name} broke off at {used:,} tokens, its thinking included"
        try:
            second = await self._once(model, replace(prompt, max_tokens=2 * prompt.max_tokens), role, broke_off=used)
        except PromptTooLong:
            raise
        except BudgetSpent as error:
            if prompt.tool is None:
                raise BudgetSpent(f"{text}, and for more of them {error} or set `models.thinking` lower") from None
            raise
        except ProviderRefused:  # that many tokens are more than this model can write
            second = first
        if second.stop == "length" and prompt.tool is None:
            more = "" if second is first else f", and asked again at {max(second.usage.output, used):,}"
            raise self._of_no_use(f"{text}{more}: set `models.thinking` lower, or use another model")
        return second

    async def _once(self, model: Model, prompt: Prompt, role: Purpose, broke_off: int = 0) -> Completion:
        """A request is sent once in a run, and not at all where an earlier run has its reply. `broke_off`: with less room."""
        full = replace(prompt, effort=prompt.effort or self.budget.limits.effort)
        key, size = codec.key(model.name, full)
        while key not in self._done and (running := self._running.get(key)) is not None:
            await asyncio.wait([running])
            if not running.cancelled():
                return self.sizes.learn(model, prompt, role, size, running.result())
        if key not in self._done:
            at = "" if role == "verify" else self.at  # second opinions run beside turns and belong to none
            rows = self.journal.calls(key, {"role": role, "model": model.name, "at": at}, prompt)
            self._sender.book(rows, role)
            request = self.sizes.request(model, full, role, key, size, broke_off)
            if rows and "reply" in rows[-1]:
                if role == "root":
                    self.budget.keep(self.sizes.next_turn(model, request))
                self._done[key] = codec.completion(rows[-1])
            elif rows and rows[-1]["kind"] == "failed":
                error = codec.error(rows[-1])
                if isinstance(error, PromptTooLong):
                    self.sizes.shrink(model, error.window)
                raise error
            else:
                task = asyncio.create_task(self._sender.send(model, request, at))
                task.add_done_callback(lambda _: self._running.pop(key, None))  # before any waiter looks again
                self._running[key] = task
                self._done[key] = await task
        return self.sizes.learn(model, prompt, role, size, self._done[key])


def _common(prompts: Sequence[Prompt]) -> int:
    """How many messages all of these prompts begin with."""
    for at, messages in enumerate(zip(*(prompt.messages for prompt in prompts), strict=False)):
        if any(message != messages[0] for message in messages):
            return at
    return min(len(prompt.messages) for prompt in prompts)


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
