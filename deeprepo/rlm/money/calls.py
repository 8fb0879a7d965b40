"""Make all paid calls: mask secrets, look in the journal, reserve money, send, book, and record before the reply is used.

The journal has one line of kind "request" per request at the server. Each attempt has a separate line and a separate
reservation, so the libraries' own retries are off.
"""

import asyncio
import math
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import astuple, dataclass, field, replace
from functools import partial

from deeprepo.rlm.errors import (
    BadAnswer,
    BudgetSpent,
    PromptRefused,
    PromptTooLong,
    ProviderDown,
    ProviderError,
    ProviderRefused,
    RateLimited,
    TimedOut,
)
from deeprepo.rlm.journal import codec
from deeprepo.rlm.journal.codec import Row
from deeprepo.rlm.journal.writer import Journal
from deeprepo.rlm.money.budget import FIRST_RUN, Budget, Hold, RemainingBudget
from deeprepo.rlm.money.capacity import places
from deeprepo.rlm.money.gate import TRIES, Gate, OnWait, Pause
from deeprepo.rlm.money.sizes import ENLARGE, Request, Sizes, is_window_full
from deeprepo.rlm.values import Completion, Masks, Message, Model, Prompt, Purpose, Usage

MEND = "That answer cannot be used: {wrong}. Answer again in full, in the requested form, and with nothing else."
AT_MOST = "The actual cost may be lower: an earlier attempt was stopped while it waited for replies."
SILENCES = 2  # attempts that may time out, since each of them may be billed
Slot = Completion | ProviderError | BudgetSpent


@dataclass(slots=True, eq=False)
class Run:
    """A root's run that makes calls. What it uses includes the runs that it started.

    Roots may run at the same time. What one of them is told must not depend on the others, so that a resumed run is told the same:
    it gets what was left in its parent's budget when the parent's block began, less its own use.
    """

    calls: "Calls"
    name: str
    parent: "Run | None" = None
    turn: int = 0
    answered: int = 0  # number of calls that succeeded, without confirmations
    is_refused: bool = False  # whether a call was not sent because of a cap
    used: Usage = field(default_factory=Usage)
    usd: float = 0.0
    made: int = 0  # calls
    before_block: RemainingBudget | None = None

    def left(self) -> RemainingBudget:
        """Return what remains of the budget for this run."""
        start = self.parent.before_block if self.parent is not None else None
        if start is None:
            return self.calls.budget.left()
        tokens = self.used.input + self.used.output
        return RemainingBudget(
            usd=None if start.usd is None else max(0.0, start.usd - self.usd),
            tokens=None if start.tokens is None else max(0, start.tokens - tokens),
            calls=None if start.calls is None else max(0, start.calls - self.made),
        )


ASKING_RUN = ContextVar[Run | None]("asking_run", default=None)


class Calls:
    """The calls of one run, on one event loop. `pause`, `clock` and `chance` replace real time and randomness."""

    def __init__(
        self,
        budget: Budget,
        journal: Journal,
        masks: Masks,
        *,
        pause: Pause = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
        on_wait: OnWait = lambda _, __: None,
    ) -> None:
        self.journal, self.masks, self.now = journal, masks, clock
        self._waited = 0.0  # seconds that all prompts together have waited for their replies
        self._open_gate = partial(Gate, pause=pause, chance=chance, on_wait=on_wait)
        self._settled = asyncio.Event()
        self._done: dict[str, Completion] = {}
        self._asked = Counter[str]()  # number of separate requests for the same prompt
        self._running: dict[str, asyncio.Task[Completion]] = {}
        self.renew(budget)

    def renew(self, budget: Budget) -> None:
        """Continue under another budget and without recorded failures. Answered requests are not sent again."""
        self.budget, self.sizes = budget, Sizes(budget)
        self.sent = asyncio.Event()  # set when the first request is sent; from then on, the run mostly waits
        self._gates: dict[object, Gate] = {}  # by address and key
        self._searches: dict[str, asyncio.Lock] = {}  # by model, held while one request searches for a cap
        self.failures: list[tuple[Purpose, ProviderError]] = []  # final errors

    @property
    def run(self) -> Run | None:
        """The root's run that currently asks, or None."""
        run = ASKING_RUN.get()
        return run if run is not None and run.calls is self else None

    @property
    def at(self) -> str:
        """The run and turn that currently asks, or ""."""
        return f"{self.run.name}:{self.run.turn}" if self.run is not None else ""

    @contextmanager
    def running(self, name: str) -> Iterator[Run]:
        """Count the calls of the current task, and of those that it starts, as this root's."""
        token = ASKING_RUN.set(run := Run(self, name, self.run))
        try:
            yield run
        finally:
            ASKING_RUN.reset(token)
            self.budget.keep(None, run=name)

    @property
    def failure(self) -> ProviderError | None:
        """The first provider error. A prompt that is too long can be split, so other errors come first."""
        errors = [error for _, error in self.failures]
        return next(iter(sorted(errors, key=lambda error: isinstance(error, PromptTooLong))), None)

    def own_clock(self) -> float:
        """Return a time in seconds that pauses while models are asked, and may go back if several are."""
        return self.now() - self._waited

    async def complete(self, model: Model, prompt: Prompt, role: Purpose) -> Completion:
        """Ask for one reply. If it doesn't fit its schema or is cut off, ask once more. Raises ProviderError and BudgetSpent.

        Secrets are sent as placeholders, which stay in the reply.
        """
        return await self._answer(model, self.masks.prompts([prompt])[0], role)

    async def many(
        self,
        model: Model,
        prompts: Sequence[Prompt],
        role: Purpose,
        *,
        reuse: bool = True,
    ) -> list[Slot]:
        """Ask for replies, and return them in the order of the prompts, with an error for each prompt that failed.

        Without `reuse`, each prompt is sent, even if the same prompt was answered before.
        """

        async def slot(prompt: Prompt) -> Slot:
            try:
                return await self._answer(model, prompt, role, reuse=reuse)
            except (ProviderError, BudgetSpent) as error:
                return error

        tasks = [asyncio.create_task(slot(prompt)) for prompt in self.masks.prompts(prompts)]
        try:
            if tasks:
                await asyncio.wait(tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return [task.result() for task in tasks]

    async def _answer(self, model: Model, prompt: Prompt, role: Purpose, *, reuse: bool = True) -> Completion:
        """Return the reply to a masked prompt. An error is recorded for the run's notes."""
        run = self.run
        if run is not None and run.parent is not None:  # roots that run at the same time share no reply
            prompt = replace(prompt, run=run.name)
        if not reuse:  # number the separate requests for the same prompt
            key, _ = codec.key(model, prompt)
            self._asked[key] += 1
            prompt = replace(prompt, number=self._asked[key])
        began = self.now()
        try:
            return await self._fitting(model, prompt, role)
        except BudgetSpent as error:
            self.budget.refused = self.budget.refused or str(error)
            if run is not None:
                run.is_refused = True
            raise
        except ProviderError as error:
            self.failures.append((role, error))
            raise
        finally:
            self._waited += self.now() - began

    async def _fitting(self, model: Model, prompt: Prompt, role: Purpose) -> Completion:
        """Return the reply to a prompt, and ask once more if the reply doesn't match the schema.

        Raises an error if the model declines or the second reply doesn't match either.
        """
        from deeprepo.rlm.money.schema import misfit  # imported here, because runs without a model don't need it

        try:
            first = await self._reply(model, prompt, role)
        except BadAnswer as error:  # the provider could not parse the model's output, and a second attempt may succeed
            prompt = replace(prompt, messages=(*prompt.messages, Message("user", MEND.format(wrong=error))))
            first = await self._reply(model, prompt, role)
        reply = await self._retry_if_cut_off(model, prompt, role, first)
        if prompt.answer:
            if reply.stop == "refusal":  # it would decline again
                self.budget.fail()
                raise PromptRefused(f"{model.name} {reply.lack}")
            wrong = misfit(reply.data, prompt.answer.required_keys)
            if wrong:
                again = prompt.further(reply, MEND.format(wrong=wrong))
                reply = await self._retry_if_cut_off(model, again, role, await self._reply(model, again, role))
                wrong = misfit(reply.data, prompt.answer.required_keys)
            if wrong:
                raise self._unusable_reply(
                    f"{model.name} gave no usable answer in two tries: {(not reply.data and reply.lack) or wrong}"
                )
        return reply

    async def _retry_if_cut_off(self, model: Model, prompt: Prompt, role: Purpose, first: Completion) -> Completion:
        """Return the reply, and ask once more with twice the room if it was cut off.

        A root's reply is returned even if it is cut off again, and the root gets a note. For any other role,
        this is a BadAnswer.
        """
        if first.stop != "length" or (prompt.tool and is_window_full(first)):
            return first
        if is_window_full(first):
            raise self._unusable_reply(
                f"{model.name} ended its answer after {first.usage.output:,} of {first.cap:,} tokens, because its window "
                f"was full or it has a limit of its own: {ENLARGE}"
            )
        used = max(first.usage.output, first.cap or prompt.max_tokens)
        text = f"the answer of {model.name} was cut off at {used:,} tokens (including thinking)"
        if used >= (getattr(model, "longest_reply", None) or math.inf):  # it would be cut off again at the same length
            if prompt.tool is None:
                raise self._unusable_reply(f"{text}, the limit set by its `max_tokens`, so raise it")
            return first
        try:
            second = await self._reply(model, replace(prompt, max_tokens=2 * prompt.max_tokens), role, broke_off=used)
        except PromptTooLong:
            raise
        except BudgetSpent as error:
            if prompt.tool is None:
                raise BudgetSpent(f"{text}, and for a longer answer {error} or set `models.thinking` lower") from None
            raise
        except ProviderRefused:  # the model does not support so many tokens
            second = first
        if second.stop == "length" and prompt.tool is None:
            more = "" if second is first else f", and the second one at {max(second.usage.output, second.cap, used):,}"
            raise self._unusable_reply(f"{text}{more}: set `models.thinking` lower, or use another model")
        return second

    def _unusable_reply(self, why: str) -> BadAnswer:
        """Return the error for an unusable reply, which was paid for."""
        self.budget.fail()
        return BadAnswer(why)

    async def _reply(self, model: Model, prompt: Prompt, role: Purpose, broke_off: int = 0) -> Completion:
        """Return a request's reply. It is sent once per run, unless an earlier run has the reply.

        `broke_off` is the number of tokens at which an earlier reply was cut off.
        """
        self.budget.meet(model)
        full = replace(prompt, effort=prompt.effort or self.budget.limits.effort)
        key, size = codec.key(model, full)
        while key not in self._done and (running := self._running.get(key)) is not None:
            await asyncio.wait([running])
            if not running.cancelled():
                return self.sizes.learn(model, prompt, role, size, running.result())
        if key not in self._done:
            at = "" if role == "verify" else self.at  # confirmations run in parallel to turns
            about: Row = {"key": key, "role": role, "model": model.name, "at": at}
            rows = self.journal.calls(key)
            lost = self._book(rows, role)
            request = self.sizes.request(model, full, role, size, broke_off)
            if rows and "reply" in rows[-1]:
                if role == "root":
                    self.budget.keep(self.sizes.next_reply(model, request), model.price, self._run_name)
                self.sizes.recall(model, rows[-1].get("window"), rows[-1].get("room"))
                self._done[key] = codec.completion(rows[-1])
            elif rows and rows[-1]["kind"] == "failed":
                error = codec.error(rows[-1])
                if isinstance(error, PromptTooLong):
                    self.sizes.recall(model, error.window)
                raise error
            else:
                task = asyncio.create_task(self._send(model, request, about))
                task.add_done_callback(lambda _: self._running.pop(key, None))  # before any waiter checks again
                self._running[key] = task
                try:
                    reply = self._done[key] = await task
                except (ProviderError, BudgetSpent):
                    self._supplement([(Usage(), row["usd"]) for row in lost], role, model.name)
                    raise
                usd = model.price(reply.usage) if reply.usd is None else reply.usd
                self._supplement([(reply.usage, usd)] * len(lost), role, model.name)
        return self.sizes.learn(model, prompt, role, size, self._done[key])

    async def _send(self, model: Model, request: Request, about: Row) -> Completion:
        """Send one request until it succeeds or must not be tried again.

        The final error is recorded, so that a resumed run continues in the same way. Faults and billed attempts
        count as tries, and rate limits are waited for. If the prompt may fit with a shorter reply, the cap on the reply
        is lowered. Only one request at a time searches for a cap.
        """
        gate = self._gate(model)
        attempts = failures = silent = sent = 0
        try:
            async with asyncio.timeout(self.budget.seconds_left()), AsyncExitStack() as search:
                while True:
                    attempts += 1
                    try:
                        async with gate.place(model.name):
                            left = max(1, request.prompt.requests - sent)
                            request = self.sizes.fitting(model, request)
                            reply = await self._try(model, request, {**about, "try": attempts}, left)
                            await self.journal.wait_stored()
                            return reply
                    except (RateLimited, PromptTooLong, ProviderDown) as error:
                        is_fault = isinstance(error, ProviderDown) or error.may_be_billed
                        failures += is_fault
                        silent += isinstance(error, TimedOut)
                        sent += 0 if isinstance(error, RateLimited) and not is_fault else error.requests
                        is_over = failures == TRIES or silent == SILENCES or sent >= request.prompt.requests
                        if is_over or gate.given_up(model.name) is not None:
                            raise
                        if isinstance(error, PromptTooLong):
                            if error.window is None and not request.is_search:
                                await search.enter_async_context(self._searches.setdefault(model.name, asyncio.Lock()))
                            smaller = self.sizes.smaller(model, request, error)
                            if smaller is None:
                                raise
                            request = smaller
        except TimeoutError:
            last: ProviderError | BudgetSpent = BudgetSpent(self.budget.out_of_time())
        except (ProviderError, BudgetSpent) as failure:
            last = failure
        usd = None if model.price(Usage()) is None else 0.0
        self.journal.put("failed", **about, usd=usd, **codec.failure(last))
        raise last

    async def _try(self, model: Model, request: Request, about: Row, most: int) -> Completion:
        """Send one request, in at most `most` forms. It is recorded and booked before its reply is used."""
        hold = await self._reserve(model, request)
        if request.role == "root":  # so that workers leave enough for its next reply
            self.budget.keep(self.sizes.next_reply(model, request), model.price, self._run_name)
        is_free = model.name in self.budget.own and model.price(Usage()) is None
        prompt, start = replace(request.prompt, max_tokens=hold.output, requests=most), self.now()
        unsent = [about if is_free else {**about, "reserved": hold.usd}]

        def leave() -> None:
            """Record the request once. If the process is killed before that, the request costs nothing."""
            while unsent:
                self.journal.request(prompt, **unsent.pop())

        if not getattr(model, "tells_leaving", False):
            leave()
        self.sent.set()
        outcome: Completion | ProviderError | None = None
        try:
            outcome = reply = await model.complete(replace(prompt, on_leaving=leave))
        except ProviderError as error:
            outcome = error
            raise
        finally:
            outcome = outcome or (ProviderError("cancelled before it was sent") if unsent else None)
            leave()
            self._settle(model, request, hold, outcome, {**about, "seconds": round(self.now() - start, 3)})
        return reply

    async def _reserve(self, model: Model, request: Request) -> Hold:
        """Reserve a request's maximum cost. If it doesn't fit because of calls in flight, wait until one of them ends."""
        visible = max(request.least, min(request.prompt.max_tokens, request.room))
        while True:
            self._settled.clear()
            try:
                usage = Usage(request.most + self.sizes.hidden[model.name], request.room)
                run = self._run_name
                return self.budget.reserve(usage, model.price, model.name, request.role, visible=visible, run=run)
            except BudgetSpent:
                if not self.budget.in_flight:
                    raise
            await self._settled.wait()

    def _settle(
        self, model: Model, request: Request, hold: Hold, outcome: Completion | ProviderError | None, about: Row
    ) -> None:
        """Book a request and record its outcome.

        This books the reported usage or, for an interrupted reply, the prompt and the text that arrived. If the usage is
        unknown, because the call was canceled or the server didn't answer, it books the reserved amount.
        """
        usage = Usage(self.sizes.likely(model, request.size), hold.output)
        usd = None if model.price(Usage()) is None else hold.usd
        ending: Row = {"error": "cancelled"}
        worst = 0.0
        if isinstance(outcome, Completion):
            self.sizes.settle(model, request, outcome.usage)
            about |= self.sizes.learned(model)
            usage, ending = outcome.usage, {"reply": codec.reply(outcome)}
            usd = model.price(usage) if outcome.usd is None else outcome.usd
        elif isinstance(outcome, ProviderError):
            ending = {"error": f"{type(outcome).__name__}: {outcome}"}
            if outcome.usage is not None:
                usage, usd = outcome.usage, model.price(outcome.usage)
                if outcome.worst is not None:
                    worst = self.budget.worst(model.price, model.name, outcome.worst)
            elif not outcome.may_be_billed:  # it was rejected
                usage, usd = Usage(), model.price(Usage())
        has_failed = "error" in ending
        self.budget.release(hold)
        self._charge(usage, usd, request.role, model.name, has_failed=has_failed, worst_usd=worst)
        self._settled.set()
        facts = {name: value for name, value in about.items() if name != "try"}
        facts |= {"usage": astuple(usage)} if usage != Usage() or not has_failed else {}
        facts |= {"worst_usd": worst} if worst else {}
        self.journal.put("call", **facts, usd=usd, **ending)

    def _book(self, rows: Sequence[Row], role: Purpose) -> list[Row]:
        """Book what an earlier run paid, including failed attempts, so that the caps apply to all runs.

        A request in flight when the run was killed is assumed to cost as much as its repetition, and the caps count
        its reservation. Returns those that are not repeated yet, whose costs are only partly booked.
        """
        end = rows[-1] if rows else {}
        is_over = "reply" in end or end.get("kind") == "failed"
        for row in rows:
            is_lost, worst = row["kind"] == "lost", row.get("worst_usd", 0.0)
            usage, usd, has_failed = row.get("usage", ()), row["usd"], "error" in row
            if is_lost:
                self.budget.note(AT_MOST)
                worst = usd
                usage, usd = (end["usage"], end["usd"]) if "reply" in end else ((), usd if is_over else 0.0)
            if row["kind"] != "failed":
                self._charge(Usage(*usage), usd, role, row["model"], has_failed=has_failed, worst_usd=worst)
            elif usd is None:
                self.budget.note_unpriced(row["model"])
        return [] if is_over else [row for row in rows if row["kind"] == "lost"]

    def _charge(
        self, usage: Usage, usd: float | None, role: Purpose, model: str, *, has_failed: bool, worst_usd: float
    ) -> None:
        """Book a call, and count it for the run that made it and those that started this run."""
        self.budget.book(usage, usd, role, model, has_failed=has_failed, worst_usd=worst_usd)
        for run in self._runs():
            run.answered += not has_failed and role != "verify"  # confirmations run in parallel to blocks
            run.used, run.usd, run.made = run.used + usage, run.usd + (usd or 0.0), run.made + 1

    def _supplement(self, costs: Sequence[tuple[Usage, float | None]], role: Purpose, model: str) -> None:
        """Add the costs of calls that are already booked to the budget and to the runs."""
        self.budget.supplement(costs, role, model)
        for run in self._runs():
            for usage, usd in costs:
                run.used, run.usd = run.used + usage, run.usd + (usd or 0.0)

    def _runs(self) -> Iterator[Run]:
        """Yield the run that asks, and those that started it."""
        run = self.run
        while run is not None:
            yield run
            run = run.parent

    @property
    def _run_name(self) -> str:
        return self.run.name if self.run is not None else FIRST_RUN

    def _gate(self, model: Model) -> Gate:
        account, fixed = getattr(model, "account", model.name), getattr(model, "concurrency", None)
        if account not in self._gates:
            first, most = places(model.name, is_own=model.name in self.budget.own)
            set_ = self.budget.limits.concurrency
            self._gates[account] = self._open_gate(set_ or most, self.budget.seconds_left, first=set_ or first)
        if fixed:
            self._gates[account].fix(fixed)
        return self._gates[account]
