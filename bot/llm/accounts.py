"""Every request in the journal and in the budget: reserved before it is sent, settled whatever becomes of it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from bot.errors import BudgetSpent, ProviderError, RateLimited, TimedOut
from bot.journal.reader import RecordedCall
from bot.journal.writer import Journal
from bot.llm.budget import Budget, Hold
from bot.llm.sizes import Request, Sizes
from bot.ports import Model
from bot.values import Completion, Purpose, Usage


@dataclass(slots=True)
class SentReply:
    """The reply to a request that was sent, once there is one."""

    reply: Completion = field(init=False)


class Accounts:
    """The accounts of one review. `asker`: the run and turn that a call belongs to."""

    def __init__(
        self,
        budget: Budget,
        journal: Journal,
        sizes: Sizes,
        clock: Callable[[], float],
        asker: Callable[[Purpose], str],
    ) -> None:
        self._budget, self._journal, self._sizes, self._clock, self._asker = budget, journal, sizes, clock, asker
        self._tried: set[str] = set()  # keys of requests for which money was reserved
        self._settled = asyncio.Event()

    async def reserve(self, model: Model, request: Request) -> Hold:
        """Reserve what a request could cost. If only calls in flight keep it from a cap, wait: they give back what they do not use."""
        self._tried.add(request.key)
        usage, visible = (
            Usage(request.most, request.room),
            max(request.least, min(request.prompt.max_tokens, request.room)),
        )
        while True:
            self._settled.clear()
            try:
                return self._budget.reserve(usage, model.price, model.name, request.role, visible=visible)
            except BudgetSpent:
                if not self._budget.in_flight:
                    raise
            await self._settled.wait()

    @contextmanager
    def settling(self, model: Model, request: Request, hold: Hold, attempt: int) -> Iterator[SentReply]:
        """A request that is sent, and its reply. Whatever happens, it is in the journal and in the budget."""
        start, key, role = self._clock(), request.key, request.role
        at = self._asker(role)
        self._journal.request(key, request.prompt, role, model.name, at, attempt, self._reserved_usd(model, hold))
        outcome = SentReply()
        call_outcome: Completion | str = "cancelled"
        usage, usd = Usage(), 0.0 if model.price(Usage()) is not None else None
        was_limited = False
        try:
            yield outcome
            call_outcome = outcome.reply
            usage, usd = call_outcome.usage, model.price(call_outcome.usage)
        except ProviderError as error:
            call_outcome, was_limited = f"{type(error).__name__}: {error}", isinstance(error, RateLimited)
            billed_usage: Usage | None = getattr(error, "usage", None)  # what had arrived before it broke
            if billed_usage is not None:
                usage, usd = billed_usage, model.price(billed_usage)
            elif isinstance(error, TimedOut):  # the provider may have done all of it
                usage = Usage(self._sizes.likely(model, request.size), hold.output)
                usd = None if usd is None else hold.usd
            raise
        except asyncio.CancelledError:  # the same holds for a request that nobody waits for any more
            usage = Usage(self._sizes.likely(model, request.size), hold.output)
            usd = None if usd is None else hold.usd
            raise
        finally:
            has_failed = isinstance(call_outcome, str)
            self._budget.book(usage, usd, role, model.name, hold=hold, has_failed=has_failed, was_limited=was_limited)
            self._settled.set()
            self._journal.call(
                key, role, model.name, at, call_outcome, usd, self._clock() - start, usage if has_failed else None
            )

    @asynccontextmanager
    async def recording_failure(self, model: Model, request: Request) -> AsyncIterator[None]:
        """The error that stays goes to the journal too, so that a resumed review goes on in the same way. So does the deadline."""
        at = self._asker(request.role)
        try:
            async with asyncio.timeout(self._budget.seconds_left()):
                yield
        except TimeoutError:
            error: ProviderError | BudgetSpent = BudgetSpent(self._budget.out_of_time())
        except (ProviderError, BudgetSpent) as failure:
            error = failure
        else:
            return
        has_no_price = request.key in self._tried and model.price(Usage()) is None
        failure_usd = None if has_no_price else 0.0  # what was never sent costs nothing, whatever the model
        self._journal.fail(request.key, request.role, model.name, at, error, failure_usd)
        raise error

    def book(self, recorded_call: RecordedCall, role: Purpose) -> None:
        """What an earlier run paid counts in this one too, with the tries that failed: so the caps hold over all runs."""
        for attempt in recorded_call.tries:
            self._budget.book(
                attempt.usage,
                attempt.usd,
                role,
                recorded_call.model,
                has_failed=not attempt.was_lost,
                was_limited=attempt.rate_limited,
            )
        if recorded_call.reply is not None:
            self._budget.book(recorded_call.reply.usage, recorded_call.usd, role, recorded_call.model)
        elif recorded_call.error is not None and recorded_call.usd is None:
            self._budget.note_unpriced(recorded_call.model)

    def _reserved_usd(self, model: Model, hold: Hold) -> float | None:
        """The dollars that are set aside, as the journal says it: None where no dollars are counted."""
        return None if self._budget.is_owned(model.name) and model.price(Usage()) is None else hold.usd
