"""Every request in the journal and in the budget: reserved before it is sent, settled whatever becomes of it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from bot.errors import BudgetSpent, ProviderError, RateLimited
from bot.journal import codec
from bot.journal.codec import Row
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
        about = {"key": key, "role": role, "model": model.name, "at": at}
        reserved = self._reserved_usd(model, hold)
        self._journal.request(
            request.prompt, **about, **{"try": attempt}, **({} if reserved is None else {"reserved": reserved})
        )
        outcome = SentReply()
        call_outcome: Completion | str = "cancelled"
        usage, usd, was_limited = Usage(), None, False
        try:
            yield outcome
            call_outcome = outcome.reply
            usage, usd = call_outcome.usage, model.price(call_outcome.usage)
        except BaseException as error:
            call_outcome = _sentence(error)
            usage, usd = self._failed(error, model, request, hold)
            was_limited = isinstance(error, RateLimited) and usage == Usage()
            raise
        finally:
            has_failed = isinstance(call_outcome, str)
            tokens = {} if has_failed and usage == Usage() else {"usage": codec.usage(usage)}
            said = {"error": call_outcome} if isinstance(call_outcome, str) else {"reply": codec.reply(call_outcome)}
            self._budget.book(usage, usd, role, model.name, hold=hold, has_failed=has_failed, was_limited=was_limited)
            self._settled.set()
            seconds = round(self._clock() - start, 3)
            self._journal.put("call", **about, seconds=seconds, usd=usd, **tokens, **said)

    def _failed(self, error: BaseException, model: Model, request: Request, hold: Hold) -> tuple[Usage, float | None]:
        """What a request without a reply of use has cost, and its dollars, None if the price is unknown.

        What was billed where that is known, nothing where it was turned away, else what was reserved: so for a request that
        nobody waits for any more, and for a reply that could not be read.
        """
        free = 0.0 if model.price(Usage()) is not None else None
        if isinstance(error, ProviderError):
            if isinstance(error.usage, Usage):
                return error.usage, model.price(error.usage)
            if not error.may_be_billed:
                return Usage(), free
        return Usage(self._sizes.likely(model, request.size), hold.output), None if free is None else hold.usd

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
        about = {"key": request.key, "role": request.role, "model": model.name, "at": at}
        self._journal.put("failed", **about, usd=failure_usd, **codec.failure(error))
        raise error

    def book(self, rows: Sequence[Row], role: Purpose) -> None:
        """What an earlier run paid counts in this one too, with the tries that failed: so the caps hold over all runs."""
        for row in rows:
            usage = Usage(*row.get("usage", ()))
            if row["kind"] == "failed":
                if row["usd"] is None:
                    self._budget.note_unpriced(row["model"])
                continue
            has_failed = "error" in row
            was_limited = has_failed and usage == Usage() and row["error"].startswith(RateLimited.__name__)
            self._budget.book(usage, row["usd"], role, row["model"], has_failed=has_failed, was_limited=was_limited)

    def _reserved_usd(self, model: Model, hold: Hold) -> float | None:
        """The dollars that are set aside, as the journal says it: None where no dollars are counted."""
        return None if self._budget.is_owned(model.name) and model.price(Usage()) is None else hold.usd


def _sentence(error: BaseException) -> str:
    """How the journal says that a request came to nothing."""
    if isinstance(error, ProviderError):
        return f"{type(error).__name__}: {error}"
    return "cancelled" if isinstance(error, asyncio.CancelledError) else type(error).__name__
