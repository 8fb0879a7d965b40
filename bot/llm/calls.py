"""The one door for every paid call: journal, budget, places in flight, retries, and answers that fit their schema.

Requests at the server == lines of kind "request" in the journal: each try is one of both. Each gets a line of kind "call",
but for those that were in flight when the process was killed.
"""

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
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
from bot.journal.codec import key as key_of
from bot.journal.reader import RecordedCall
from bot.journal.writer import Journal
from bot.llm import capacity
from bot.llm.budget import Budget, Hold, dearest, unknown
from bot.llm.limiter import Limiter, Pause, TooLate
from bot.llm.reach import Attempt, Held, Reachability, backoff
from bot.llm.schema import misfit
from bot.masking.masks import Masks
from bot.ports import Model
from bot.values import Completion, Cost, Message, Prompt, Purpose, Schema, Usage

TRIES = 4  # the first and three more; a rate limit is none, the limiter waits for its end
SILENCES = 2  # tries of a call during which the provider falls silent: each of them may be billed
SHARED, FEW = (
    3,
    1_024,
)  # calls from which on, and tokens of a common beginning from which on, one call fills the cache first
FEW_OF = {"haiku": 4_096, "opus": 4_096, "gemini": 4_096}  # where a provider keeps longer beginnings only
KEPT = 240.0  # seconds that a provider keeps a beginning at least
MANY = 100_000  # tokens for comparing prices
SPARE = 64  # tokens between a prompt's estimate and its window
ENLARGE = "give the server a larger window (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx), or set `models.context` to the one it has"
MEND = (
    "That answer cannot be used: {wrong}. Answer again, in full, in the form that was asked for, and with nothing else."
)
TOO_LATE = "that is longer than this review may still take ({left:,.0f} s): run it again later, or use another provider"

Slot = Completion | ProviderError | BudgetSpent


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it is to be sent: its key in the journal, its size, and the room that its reply needs."""

    key: str
    prompt: Prompt
    role: Purpose
    size: int  # characters that are sent
    most: int  # tokens that the prompt can have at worst
    room: int  # tokens of the reply, thinking included
    least: int = 0  # of them: fewer are of no use


@dataclass(slots=True)
class SentReply:
    """The reply to a request that was sent, once there is one."""

    reply: Completion = field(init=False)


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
        self._reached: dict[str, Reachability] = {}  # by provider
        self._tried: set[str] = set()  # keys of requests for which money was reserved
        self._settled = asyncio.Event()
        self._windows: dict[str, int] = {}  # tokens that a model takes, as it was found out
        self._cut: dict[
            str, tuple[int, str]
        ] = {}  # models that read a part of a prompt only: how much, and the note on it
        self._broken: dict[tuple[str, Purpose], int] = {}  # tokens at which replies broke off
        self._density: dict[str, float] = {}  # tokens of a prompt for each of its characters
        self._read: dict[tuple[str, Purpose], tuple[tuple[Message, ...], int]] = {}  # the last prompt, and its tokens
        self._warm: dict[tuple[str, tuple[Message, ...]], float] = {}  # beginnings that a provider has in its cache

    def cost(self) -> Cost:
        """What the review cost so far."""
        return self.budget.cost()

    def _asker(self, role: Purpose) -> str:
        """The run and turn that a call belongs to. Second opinions run beside turns and belong to none."""
        return "" if role == "verify" else self.at

    def room_for(self, model: Model, size: int, role: Purpose, part: int, most: int) -> int:
        """How many calls of so many tokens, `most` at most, one part in so many of what this role may still use holds."""
        reply = capacity.REPLY + (0 if capacity.thinking(model.name) == "no" else capacity.HABIT[role])
        usage = Usage(size, reply)
        usd = dearest(model.price, usage)
        each = (0.0 if self.budget.owned(model.name) else unknown(usage)) if usd is None else usd
        dollars, tokens, calls = (left / part for left in self.budget.room(role))
        fits = min(dollars / each if each else most, tokens / (size + reply), calls, most)
        return max(0, int(fits))

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
        with self._noting_failure():
            reply = await self._once(model, prompt, role)
            if reply.stop == "length":
                reply = await self._longer(model, prompt, role, reply)
            if not prompt.answer:
                return reply if prompt.tool else self.masks.reply(reply)
            if reply.stop == "refusal":  # asked again it would decline again
                raise self._of_no_use(f"{model.name} declined to answer")
            wrong = misfit(reply.data, prompt.answer.demanded)
            if wrong:
                again = prompt.further(reply, MEND.format(wrong=wrong))
                reply = await self._once(model, again, role)
                if reply.stop == "length":
                    reply = await self._longer(model, again, role, reply)
                wrong = misfit(reply.data, prompt.answer.demanded)
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
        heard: Callable[[int, Slot], None] | None = None,
    ) -> list[Slot]:
        """Replies in the order of the prompts; what failed or was cut off by a cap is an error in its slot.

        `heard` is given each of them as soon as it is there.
        """
        tasks: list[asyncio.Task[Completion]] = []
        prompts = self.masks.prompts(prompts)
        try:
            for at, prompt in enumerate(prompts):
                tasks.append(asyncio.create_task(self._complete(model, prompt, role)))
                if heard is not None:
                    tasks[-1].add_done_callback(partial(_hand_on, heard, at))
                if len(tasks) == 1 and self._warms(model, prompts):
                    await asyncio.wait(tasks)
            if tasks:
                await asyncio.wait(tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return [_slot(task) for task in tasks]

    @contextmanager
    def promising(self, model: Model, prompts: Sequence[Prompt], role: Purpose, more: int) -> Iterator[list[bool]]:
        """Which of these prompts may be followed by one more call each, in the same dialogue with `more` tokens added to it.

        What these second calls are likely to use is kept back from other roles until the end of the block. What an earlier run
        decided stays: its requests are in the journal.
        """
        prompts = self.masks.prompts(prompts)
        usd, tokens, calls = self.budget.room(role)
        likely = [self._dialogue(model, prompt, role, more) for prompt in prompts]
        usd -= sum(first.usd for first, _ in likely)
        tokens -= sum(first.tokens for first, _ in likely)
        calls -= len(prompts)
        offered: list[bool] = []
        promised = Hold(0, 0.0)
        for prompt, (_, second) in zip(prompts, likely, strict=True):
            known = self._known_offer(model, prompt)
            fits = (
                second.usd <= usd and second.tokens <= tokens and calls >= 1 and self._fits(model, prompt, role, more)
            )
            offered.append(fits if known is None else known)
            if offered[-1]:
                usd, tokens, calls = usd - second.usd, tokens - second.tokens, calls - 1
                promised = Hold(promised.tokens + second.tokens, promised.usd + second.usd)
        self.budget.promise(role, promised)
        try:
            yield offered
        finally:
            self.budget.break_promise(role, promised)

    def _known_offer(self, model: Model, prompt: Prompt) -> bool | None:
        """Whether an earlier run has sent this prompt with the offer to ask for more, or without; None if neither."""
        with_offer, without = self._known(model, prompt)
        return with_offer if with_offer != without else None

    def knows(self, model: Model, prompt: Prompt) -> bool:
        """Whether an earlier run has sent this prompt."""
        return any(self._known(model, self.masks.prompt(prompt)))

    def may_precede(self, model: Model, prompt: Prompt) -> bool:
        """Whether this prompt may be sent before it is certain that its answer is needed. A replay sends recorded ones only."""
        return not self.journal.replays or self.knows(model, prompt)

    def _known(self, model: Model, prompt: Prompt) -> tuple[bool, bool]:
        """Whether an earlier run has sent this prompt with the offer to ask for more, and without."""
        asked = replace(prompt, effort=prompt.effort or self.budget.limits.effort)
        plain = replace(asked, answer=prompt.answer.final or prompt.answer if prompt.answer else None)
        return self._recorded(model, asked), self._recorded(model, plain)

    def _as_recorded(self, model: Model, asked: Prompt) -> tuple[Prompt, str, int]:
        """The prompt with its key and its size: in the form of an earlier version where only that one was sent."""
        key, size = key_of(model.name, asked)
        if asked.former is not asked and not self.journal.knows(key):
            former, length = key_of(model.name, asked.former)
            if self.journal.knows(former):
                return asked.former, former, length
        return asked, key, size

    def _recorded(self, model: Model, asked: Prompt) -> bool:
        """Whether an earlier run has sent this very prompt, in the form of this version or of an earlier one."""
        return any(self.journal.knows(key_of(model.name, one)[0]) for one in (asked, asked.former))

    def _dialogue(self, model: Model, prompt: Prompt, role: Purpose, more: int) -> tuple[Hold, Hold]:
        """What the first and the second call of a dialogue are likely to use."""
        size = self._likely(model, key_of(model.name, prompt)[1])
        reply = capacity.REPLY + (0 if capacity.thinking(model.name) == "no" else capacity.HABIT[role])
        holds = []
        for usage in (Usage(size, reply), Usage(size + more + reply, reply)):
            usd = dearest(model.price, usage)
            counted = (0.0 if self.budget.owned(model.name) else unknown(usage)) if usd is None else usd
            holds.append(Hold(usage.input + usage.output, counted))
        return holds[0], holds[1]

    def _fits(self, model: Model, prompt: Prompt, role: Purpose, more: int) -> bool:
        """Whether both calls fit the model's window, as far as anybody knows it."""
        window, (_, second) = self.window(model), self._dialogue(model, prompt, role, more)
        return window is None or second.tokens + prompt.max_tokens // 2 <= window

    def window(self, model: Model) -> int | None:
        """Tokens that the model takes, prompt and reply together: as it is set, or as it was found out; None: nobody knows."""
        known = (self.budget.limits.context, self._windows.get(model.name))
        return min((size for size in known if size), default=None)

    def _warms(self, model: Model, prompts: Sequence[Prompt]) -> bool:
        """Whether the first of these prompts goes alone, so that the others find their common beginning in the provider's cache.

        Only where the provider keeps a beginning of this length and charges less for it.
        """
        shared = prompts[0].messages[: _common(prompts)]
        least = next((tokens for word, tokens in FEW_OF.items() if word in model.name), FEW)
        if len(prompts) < SHARED or not shared or capacity.expected(shared) < least:
            return False
        plain, cached = model.price(Usage(MANY)), model.price(Usage(MANY, cache_read=MANY))
        known = self._warm.get((model.name, shared))
        now = self._clock()
        self._warm[model.name, shared] = now
        return bool(plain and cached is not None and cached < plain) and (known is None or now - known > KEPT)

    def _of_no_use(self, why: str) -> BadAnswer:
        """The error of a reply that was paid for and cannot be used."""
        self.budget.fail()
        return BadAnswer(why)

    async def _longer(self, model: Model, prompt: Prompt, role: Purpose, first: Completion) -> Completion:
        """A reply that broke off, asked for again once with twice the room.

        The reply of a root is handed on even if it breaks off again: the root is told so. Any other is a BadAnswer.
        """
        used = max(first.usage.output, prompt.max_tokens)
        said = f"the answer of {model.name} broke off at {used:,} tokens, its thinking included"
        try:
            second = await self._once(model, replace(prompt, max_tokens=2 * prompt.max_tokens), role, broke_off=used)
        except PromptTooLong:
            raise
        except BudgetSpent as error:
            if prompt.tool is None:
                raise BudgetSpent(f"{said}, and for more of them {error} or set `models.thinking` lower") from None
            raise
        except ProviderRefused:  # that many tokens are more than this model can write
            second = first
        if second.stop == "length" and prompt.tool is None:
            again = max(second.usage.output, used)
            more = f", and asked again at {again:,}" if second is not first else ""
            raise self._of_no_use(f"{said}{more}: set `models.thinking` lower, or use another model")
        return second

    async def _once(self, model: Model, prompt: Prompt, role: Purpose, broke_off: int = 0) -> Completion:
        """A request is sent once in a run, and not at all where an earlier run has its reply. `broke_off`: with less room."""
        asked = replace(prompt, effort=prompt.effort or self.budget.limits.effort)
        asked, key, size = self._as_recorded(model, asked)
        while key not in self._done and (running := self._running.get(key)) is not None:
            await asyncio.wait([running])
            if not running.cancelled():
                return self._judged(model, prompt, role, size, running.result())
        if key in self._done:
            return self._judged(model, prompt, role, size, self._done[key])
        known = self.journal.take(key, self._asker(role), prompt, role, model.name)
        if known is not None:
            self._book(known, role)
        if known is not None and known.reply is not None:
            if role == "root":
                self.budget.keep(self._next_turn(model, self._request(model, asked, role, key, size, broke_off)))
            self._done[key] = known.reply
            return self._judged(model, prompt, role, size, known.reply)
        if known is not None and known.error is not None:
            if isinstance(known.error, PromptTooLong):
                self._shrink(model, known.error.window)
            raise known.error
        request = self._request(model, asked, role, key, size, broke_off)
        task = asyncio.create_task(self._send(model, request))
        task.add_done_callback(lambda _: self._running.pop(key, None))  # before any waiter looks again
        self._running[key] = task
        self._done[key] = await task
        return self._judged(model, prompt, role, size, self._done[key])

    def _judged(self, model: Model, prompt: Prompt, role: Purpose, size: int, reply: Completion) -> Completion:
        """The reply, with what it teaches. Raises PromptTooLong where the server has read a part of the prompt only."""
        name, usage = model.name, reply.usage
        if capacity.cut_silently(name, prompt.messages, usage):
            self._shrink(model, usage.input)
            self._note_cut(name, usage.input)
            raise PromptTooLong(
                f"{name} read only {usage.input:,} of about {capacity.expected(prompt.messages):,} tokens: {ENLARGE}",
                usage.input,
            )
        if usage.input:
            self._density[name] = max(usage.input / max(1, size), self._density.get(name, 0.0))
            self._read[name, role] = (prompt.messages, usage.input)
        if reply.stop == "length":
            self._broken[name, role] = max(self._broken.get((name, role), 0), usage.output)
        return reply

    def _note_cut(self, name: str, window: int) -> None:
        """One sentence for the reader of the review, with the smallest window that was seen."""
        least, note = self._cut.get(name, (window, ""))
        least = min(least, window)
        said = (
            f"{name} cuts prompts that are longer than its window without a word (it read {least:,} tokens): what stood in "
            f"such a prompt does not count as read. {ENLARGE[:1].upper()}{ENLARGE[1:]}."
        )
        notes = self.budget.notes
        if note in notes:
            notes[notes.index(note)] = said
        else:
            notes.append(said)
        self._cut[name] = (least, said)

    def _shrink(self, model: Model, window: int | None) -> None:
        if window:
            self._windows[model.name] = min(window, self._windows.get(model.name, window))

    def _request(self, model: Model, prompt: Prompt, role: Purpose, key: str, size: int, broke_off: int) -> Request:
        """What is to be sent: a reply gets the room that its role and its model's thinking need."""
        name, visible = model.name, prompt.max_tokens
        before, tokens = self._read.get((name, role), ((), 0))
        if not before or prompt.messages[: len(before)] != before:
            before, tokens = (), sum(_schema(schema) for schema in (prompt.answer, prompt.tool) if schema)
        rest = prompt.messages[len(before) :]  # where the dialogue has only grown since, the rest is known
        most = tokens + sum(_most(message) for message in rest)
        wanted = max(
            capacity.of(name, role, visible),
            2 * broke_off,
            min(capacity.LARGEST, 2 * self._broken.get((name, role), 0)),
        )
        least = broke_off + broke_off // 2 if broke_off else min(visible, capacity.USEFUL)
        effort = capacity.effort(name, role, prompt.effort)
        return Request(key, replace(prompt, effort=effort), role, size, most, wanted, least)

    def _likely(self, model: Model, size: int) -> int:
        """The tokens of a prompt of so many characters."""
        return int(size * self._density.get(model.name, 1 / capacity.LIKELY_CHARS)) + 1

    def _next_turn(self, model: Model, request: Request) -> Hold:
        """What the root's next reply needs: by what its replies cost so far, not by all that it may take."""
        visible = request.prompt.max_tokens
        expected = min(request.room, self.budget.expected(model.name, request.role, visible))
        usage = Usage(self._likely(model, request.size), expected)
        return Hold(usage.input + usage.output, dearest(model.price, usage) or 0.0)

    def _book(self, known: RecordedCall, role: Purpose) -> None:
        """What an earlier run paid counts in this one too, with the tries that failed: so the caps hold over all runs."""
        for failed in known.tries:
            self.budget.book(
                failed.usage, failed.usd, role, known.model, failed=not failed.lost, limited=failed.limited
            )
        if known.reply is not None:
            self.budget.book(known.reply.usage, known.usd, role, known.model)
        elif known.error is not None and known.usd is None:
            self.budget.unpriced(known.model)

    @asynccontextmanager
    async def _recording_failure(self, model: Model, request: Request) -> AsyncIterator[None]:
        """The error that stays goes to the journal too, so that a resumed review goes on in the same way. So does the deadline."""
        at = self._asker(request.role)
        try:
            async with asyncio.timeout(self.budget.seconds_left()):
                yield
        except TimeoutError:
            error: ProviderError | BudgetSpent = BudgetSpent(self.budget.out_of_time())
        except (ProviderError, BudgetSpent) as failure:
            error = failure
        else:
            return
        unpriced = request.key in self._tried and model.price(Usage()) is None
        priced = None if unpriced else 0.0  # what was never sent costs nothing, whatever the model
        self.journal.failed(request.key, request.role, model.name, at, error, priced)
        raise error

    async def _send(self, model: Model, request: Request) -> Completion:  # noqa: C901 - a case for each way in which a try ends
        """Every try of one request. Only a fault uses up a try: a rate limit is waited for, and too much room is taken back."""
        tried = failed = silent = 0
        reach = self._reached.setdefault(model.name.partition("/")[0], Reachability(self._pause, self._chance))
        async with self._recording_failure(model, request):
            while True:
                tried += 1
                try:
                    async with reach.trying(model.name, request.key) as turn:
                        return await self._try(model, request, tried, turn)
                except Held:  # its turn comes again
                    tried -= 1
                except TooLate as error:
                    raise RateLimited(str(error), error.retry_after) from None
                except RateLimited as error:
                    left = self.budget.seconds_left()
                    if error.retry_after is not None and left is not None and error.retry_after >= left:
                        raise RateLimited(f"{error}: {TOO_LATE.format(left=left)}", error.retry_after) from error
                except PromptTooLong as error:
                    self._shrink(model, error.window)
                    smaller = self._with_less_room(model, request, error.window)
                    if smaller is None:
                        raise
                    request = smaller
                except ProviderDown as error:
                    failed, silent = failed + 1, silent + isinstance(error, TimedOut)
                    wait, left = backoff(failed, self._chance()), self.budget.seconds_left()
                    if failed == TRIES or silent == SILENCES or (left is not None and wait >= left):
                        raise
                    if reach.open:
                        await self._pause(wait)

    def _with_less_room(self, model: Model, request: Request, window: int | None) -> Request | None:
        """The same prompt with a reply that fits beside it, None where only a shorter prompt would."""
        free = (
            min(request.prompt.max_tokens, request.room // 2)
            if window is None
            else window - self._likely(model, request.size) - SPARE
        )
        return replace(request, room=free) if request.least <= free < request.room else None

    async def _try(self, model: Model, request: Request, tried: int, turn: Attempt) -> Completion:
        """One request: it waits for a place, reserves what it could cost, and is in the journal before anybody sees its reply."""
        name = model.name
        if name not in self._limiters:
            places = self.budget.limits.concurrency or capacity.places(name)
            self._limiters[name] = Limiter(places, self._clock, self._pause)
        async with self._limiters[name].place(self._likely(model, request.size), self.budget.seconds_left) as ticket:
            turn.check()
            request = self._below_window(model, request)
            self._tried.add(request.key)
            hold = await self._reserve(model, request)
            if request.role == "root":
                self.budget.keep(self._next_turn(model, request))  # its workers cannot use up what its next reply needs
            request = replace(request, prompt=replace(request.prompt, max_tokens=hold.output))
            with self._settling(model, request, hold, tried) as outcome:
                self.sent.set()
                outcome.reply = await model.complete(request.prompt)
            await self.journal.stored()
            ticket.allowance = outcome.reply.allowance
        return outcome.reply

    def _below_window(self, model: Model, request: Request) -> Request:
        """The request with a reply that fits the window. Raises PromptTooLong if none fits; then nothing is sent."""
        window = self.window(model)
        if window is None:
            return request
        tokens = self._likely(model, request.size)
        if tokens + request.least > window:
            raise PromptTooLong(
                f"a prompt of about {tokens:,} tokens does not fit the window of {model.name} ({window:,} tokens): {ENLARGE}",
                window,
            )
        return replace(request, room=max(request.least, min(request.room, window - tokens - SPARE)))

    async def _reserve(self, model: Model, request: Request) -> Hold:
        """Where only calls in flight stand between this one and a cap, wait: they give back what they do not use."""
        usage, visible = (
            Usage(request.most, request.room),
            max(request.least, min(request.prompt.max_tokens, request.room)),
        )
        while True:
            self._settled.clear()
            try:
                return self.budget.reserve(usage, model.price, model.name, request.role, visible=visible)
            except BudgetSpent:
                if not self.budget.in_flight:
                    raise
            await self._settled.wait()

    def _reserved(self, model: Model, hold: Hold) -> float | None:
        """The dollars that are set aside, as the journal says it: None where no dollars are counted."""
        return None if self.budget.owned(model.name) and model.price(Usage()) is None else hold.usd

    @contextmanager
    def _settling(self, model: Model, request: Request, hold: Hold, tried: int) -> Iterator[SentReply]:
        """A request that is sent, and its reply. Whatever happens, it is in the journal and in the budget."""
        started, key, role = self._clock(), request.key, request.role
        at = self._asker(role)
        self.journal.request(key, request.prompt, role, model.name, at, tried, self._reserved(model, hold))
        outcome = SentReply()
        done: Completion | str = "cancelled"
        usage, usd = Usage(), 0.0 if model.price(Usage()) is not None else None
        limited = False
        try:
            yield outcome
            done = outcome.reply
            usage, usd = done.usage, model.price(done.usage)
        except ProviderError as error:
            done, limited = f"{type(error).__name__}: {error}", isinstance(error, RateLimited)
            billed: Usage | None = getattr(error, "usage", None)  # what had arrived before it broke
            if billed is not None:
                usage, usd = billed, model.price(billed)
            elif isinstance(error, TimedOut):  # the provider may have done all of it
                usage = Usage(self._likely(model, request.size), hold.output)
                usd = None if usd is None else hold.usd
            raise
        except asyncio.CancelledError:  # the same holds for a request that nobody waits for any more
            usage = Usage(self._likely(model, request.size), hold.output)
            usd = None if usd is None else hold.usd
            raise
        finally:
            failed = isinstance(done, str)
            self.budget.settle(hold, usage, usd, role, model.name, failed=failed, limited=limited)
            self._settled.set()
            self.journal.call(key, role, model.name, at, done, usd, self._clock() - started, usage if failed else None)


def _most(message: Message) -> int:
    """The tokens of a message at worst, with what the provider wants back."""
    calls = [call.unparsed or json.dumps(dict(call.arguments), ensure_ascii=False) for call in message.calls]
    extras = [json.dumps(dict(extra)) for extra in (message.extra, *(call.extra for call in message.calls)) if extra]
    return capacity.at_most((message.text, *calls, *extras)) + capacity.FRAME * (1 + len(calls))


def _schema(schema: Schema) -> int:
    """The same of a schema, which some providers write out at more length than it has."""
    return 2 * capacity.at_most((schema.name, schema.description, json.dumps(schema.parameters, default=dict)))


def _hand_on(heard: Callable[[int, Slot], None], at: int, task: "asyncio.Task[Completion]") -> None:
    """Tell of a reply. A call that was cancelled and an error that no reply explains end the whole batch."""
    if not task.cancelled() and isinstance(task.exception(), ProviderError | BudgetSpent | None):
        heard(at, _slot(task))


def _slot(task: "asyncio.Task[Completion]") -> Slot:
    if task.cancelled():
        return BudgetSpent("the call was cancelled")
    error = task.exception()
    if error is None:
        return task.result()
    if isinstance(error, (ProviderError, BudgetSpent)):
        return error
    raise error


def _common(prompts: Sequence[Prompt]) -> int:
    """How many messages all of these prompts begin with."""
    for at, messages in enumerate(zip(*(prompt.messages for prompt in prompts), strict=False)):
        if any(message != messages[0] for message in messages):
            return at
    return min(len(prompt.messages) for prompt in prompts)
