"""The caps of one run. A call's maximum cost is reserved before it is sent, and its actual cost is booked afterwards.

If a call would exceed a cap, BudgetSpent is raised, whose text names the cap and says what to do.
"""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from deeprepo.rlm.errors import BudgetSpent
from deeprepo.rlm.money.capacity import USEFUL
from deeprepo.rlm.values import COMMAND, Cost, Limits, Model, Purpose, Usage

# US dollars per million tokens of the most expensive listed model. Calls with an unknown price count this much.
DEAREST_INPUT, DEAREST_OUTPUT = 150.0, 600.0
MILLION = 1_000_000
CENT = 0.01
PriceOf = Callable[[Usage], float | None]
SHARE = 4  # while other calls are in flight, one call gets at most 1/SHARE of the remaining budget
MARGIN = 2  # a reply is expected to be at most MARGIN times as long as the longest one so far in its role
FIRST_RUN = "root"  # the name of the first root's run
STEP = 1_000  # tokens of the reply from which a price per token is computed


@dataclass(frozen=True, slots=True)
class Hold:
    """A reservation for a call in flight."""

    tokens: int
    usd: float
    output: int = 0  # maximum tokens of the reply, fewer than requested if little money is left


@dataclass(frozen=True, slots=True)
class RemainingBudget:
    """What remains under each cap; None if there is no such cap, or the use is unknown."""

    usd: float | None
    tokens: int | None
    calls: int | None


def unknown(usage: Usage) -> float:
    """Return the US dollars that a call with an unknown price counts: the price of the most expensive model."""
    return (usage.input * DEAREST_INPUT + usage.output * DEAREST_OUTPUT) / MILLION


def in_dollars(usd: float) -> str:
    """Return an amount of US dollars as text, with more digits if it is less than a cent."""
    return f"${usd:,.2f}" if usd >= CENT else f"${usd:.6f}".rstrip("0").rstrip(".")


class Budget:
    """The caps, reservations and costs of one run."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self.notes: list[str] = []  # sentences for the result
        self.own: set[str] = set()  # models that nobody bills by the token, unless their price is known
        self.refused = ""  # why the first call was not sent because of a cap
        self.in_flight = 0  # number of calls with a reservation
        self._clock, self._started = clock, clock()
        # Totals of finished calls.
        self._calls = self._failures = 0
        self._usage = Usage()
        self._usd: dict[Purpose, list[float]] = {}  # known prices; summed exactly, in any order
        self._rough_usd = 0.0  # their running sum for the caps, including calls with unknown prices
        self._unpriced: set[Purpose] = set()  # roles with a call whose price is unknown
        self.by_model: dict[str, Cost] = {}
        self._held_tokens, self._held_usd = 0, 0.0
        self._kept: dict[str, Hold] = {}  # by run
        self._longest: dict[tuple[str, Purpose], int] = {}  # tokens of the longest reply, by model and role

    def meet(self, *models: Model | None) -> None:
        """Learn which of the models that a run may call are the user's own."""
        self.own |= {model.name for model in models if model is not None and getattr(model, "is_own", False)}

    def reserve(
        self,
        usage: Usage,
        price: PriceOf,
        model: str,
        role: Purpose = "worker",
        *,
        visible: int | None = None,
        run: str = FIRST_RUN,
    ) -> Hold:
        """Reserve the maximum that a call could use.

        Raises BudgetSpent if it doesn't fit; then nothing may be sent.

        `visible` tokens of the output are the expected answer, and the rest is room for thinking. If the
        whole output can't be paid, the reservation's `output` gets less of that room. The calls in flight can
        therefore never cost more than the remaining budget.
        """
        guess = ""
        if price(usage) is None:
            self.note_unpriced(model)
            guess = f" (the price of {model} is unknown, so the highest price is assumed)"
        room = self.room(role, run)
        output = self._output(usage, price, model, role, usage.output if visible is None else visible, room)
        usage = replace(usage, output=output)
        wanted = Hold(usage.input + output, self.worst(price, model, usage), output)
        self._check(wanted, room, guess)
        self._held_tokens += wanted.tokens
        self._held_usd += wanted.usd
        self.in_flight += 1
        return wanted

    def worst(self, price: PriceOf, model: str, usage: Usage) -> float:
        """Return the maximum cost of this call.

        If the model's price is unknown, the price of the most expensive model counts.
        """
        usd = price(usage)
        if usd is None:
            return 0.0 if model in self.own else unknown(usage)
        written_usd = price(replace(usage, cache_write=usage.input))  # writing to the cache may cost more
        return max(usd, written_usd or 0.0)

    def expected_reply(self, model: str, role: Purpose, visible: int) -> int:
        """Return the expected maximum tokens of a reply, based on earlier ones."""
        return max(visible, MARGIN * self._longest.get((model, role), 0))

    def keep(self, usage: Usage | None, price: PriceOf = lambda _: None, run: str = FIRST_RUN) -> None:
        """Set aside a call of this size for the final answer of a root's run; None cancels that.

        All runs together set aside at most half of each cap.
        """
        if usage is None:
            self._kept.pop(run, None)
        else:
            usd = 0.0 if price(usage) is None else self.worst(price, "", usage)
            self._kept[run] = Hold(usage.input + usage.output, usd)

    def room(self, role: Purpose, run: str = FIRST_RUN) -> tuple[float, float, float]:
        """Return the US dollars, tokens and calls that this role may still use in a run; infinite without a cap."""
        caps = self.limits
        kept = [hold for name, hold in self._kept.items() if role != "root" or name != run]
        usd = math.inf if caps.usd is None else caps.usd - self._rough_usd - self._held_usd
        used = self._usage.input + self._usage.output + self._held_tokens
        tokens = math.inf if caps.tokens is None else caps.tokens - used
        calls = math.inf if caps.calls is None else caps.calls - self._calls - self.in_flight
        if kept:
            usd -= min(sum(hold.usd for hold in kept), (caps.usd or 0.0) / 2)
            tokens -= min(sum(hold.tokens for hold in kept), (caps.tokens or 0) // 2)
        return usd, tokens, calls - bool(kept)

    def release(self, hold: Hold) -> None:
        """Release the reservation of a call that has ended and will be booked."""
        self._held_tokens -= hold.tokens
        self._held_usd -= hold.usd
        self.in_flight -= 1

    def book(
        self,
        usage: Usage,
        usd: float | None,
        role: Purpose,
        model: str,
        *,
        has_failed: bool = False,
        worst_usd: float = 0.0,
    ) -> None:
        """Book what a call used.

        Calls of an earlier run with the same journal count too, so that the caps apply to all runs.

        `worst_usd`: the minimum that the caps count if the provider may have billed more than what arrived.
        """
        self._calls += 1
        self._failures += has_failed
        self._usage += usage
        self._add(model, Cost(1, usage, usd, failed_calls=has_failed))
        if not has_failed:
            self._longest[model, role] = max(self._longest.get((model, role), 0), usage.output)
        if usd is None:
            self.note_unpriced(model)
            self._unpriced.add(role)
            self._rough_usd += max(0.0 if model in self.own else unknown(usage), worst_usd)
        else:
            self._usd.setdefault(role, []).append(usd)
            self._rough_usd += max(usd, worst_usd)

    def _add(self, model: str, cost: Cost) -> None:
        before = self.by_model.get(model, Cost())
        usd = None if before.usd is None or cost.usd is None else before.usd + cost.usd
        failed = before.failed_calls + cost.failed_calls
        self.by_model[model] = Cost(before.calls + cost.calls, before.usage + cost.usage, usd, failed_calls=failed)

    def supplement(self, costs: Iterable[tuple[Usage, float | None]], role: Purpose, model: str) -> None:
        """Add the costs of calls that are already booked; the caps already count their maximum."""
        for usage, usd in costs:
            self._add(model, Cost(0, usage, usd or 0.0))
            self._usage += usage
            self._usd.setdefault(role, []).append(usd or 0.0)

    def note_unpriced(self, model: str) -> None:
        """Add a note that this model's price is unknown, if there is a cap in dollars."""
        if self.limits.usd is None or (model in self.own and not model.startswith(COMMAND)):
            return
        sentence = (
            f"Your provider bills {model} directly, so the limit of {in_dollars(self.limits.usd)} does not apply to it"
            + (f", but the limit of {self.limits.calls:,} calls does." if self.limits.calls is not None else ".")
            if model.startswith(COMMAND)
            else f"The price of {model} is unknown. Under the limit of {in_dollars(self.limits.usd)}, its calls count at the highest listed "
            f"price (${DEAREST_INPUT:g} and ${DEAREST_OUTPUT:g} per million input and output tokens). "
            "Set its price (DEEPREPO_PRICES), use a model with a known price, or raise the limit."
        )
        self.note(sentence)

    def note(self, sentence: str) -> None:
        """Add a note to the result, unless it has the note already."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def fail(self) -> None:
        """Count a call whose reply was unusable."""
        self._failures += 1

    def seconds_left(self) -> float | None:
        """Return the seconds until the deadline, at least 0, or None if there is no deadline."""
        if self.limits.seconds is None:
            return None
        return max(0.0, self.limits.seconds - (self._clock() - self._started))

    def left(self) -> RemainingBudget:
        """Return what remains. Reservations don't count as spent."""
        caps, used = self.limits, self._usage.input + self._usage.output
        return RemainingBudget(
            usd=None if caps.usd is None or self._unpriced else max(0.0, caps.usd - self._paid()),
            tokens=None if caps.tokens is None else max(0, caps.tokens - used),
            calls=None if caps.calls is None else max(0, caps.calls - self._calls),
        )

    def cost(self) -> Cost:
        """Return the cost so far. Amounts are None if a price is unknown."""
        return Cost(
            calls=self._calls,
            usage=self._usage,
            usd=None if self._unpriced else self._paid(),
            root_usd=None if "root" in self._unpriced else self._paid("root"),
            verify_usd=None if "verify" in self._unpriced else self._paid("verify"),
            failed_calls=self._failures,
            models=tuple(self.by_model),
        )

    def _paid(self, *roles: Purpose) -> float:
        """Return the known cost of these roles, or of all roles.

        The sum is exact, so it doesn't depend on the order.
        """
        return math.fsum(usd for role in roles or tuple(self._usd) for usd in self._usd.get(role, ()))

    def out_of_time(self) -> str:
        """Return the text of the error for a reached deadline."""
        return f"the limit of {self.limits.seconds:g} seconds is reached. Allow more time"

    def _check(self, wanted: Hold, room: tuple[float, float, float], guess: str) -> None:
        """Raise BudgetSpent unless the call fits. A cap of NaN fits nothing."""
        caps, (usd, tokens, calls) = self.limits, room
        if self.seconds_left() == 0.0:
            raise BudgetSpent(self.out_of_time())
        if caps.calls is not None and not calls >= 1:
            raise BudgetSpent(f"the limit of {caps.calls:,} calls is reached. Allow more calls")
        if caps.tokens is not None and not wanted.tokens <= tokens:
            raise BudgetSpent(
                f"the limit of {caps.tokens:,} tokens would be exceeded: this call needs up to {wanted.tokens:,}, "
                f"{max(0, tokens):,} remain. Allow more tokens"
            )
        if caps.usd is not None and not wanted.usd <= usd and wanted.usd:
            raise BudgetSpent(
                f"the cap of {in_dollars(caps.usd)} would be exceeded: this call could cost ${wanted.usd:,.4f}{guess}, "
                f"${max(0.0, usd):,.4f} remains. Allow more dollars"
            )

    def _output(
        self,
        usage: Usage,
        price: PriceOf,
        model: str,
        role: Purpose,
        visible: int,
        room: tuple[float, float, float],
    ) -> int:
        """Return how many tokens the reply may have. Other calls in flight are left a share of the budget.

        It is never less than the least useful number of tokens, so that `_check` reports the exceeded cap.
        """
        usd, tokens, _ = room
        least, share = min(visible, USEFUL), 1
        if self.in_flight:
            least, share = self.expected_reply(model, role, visible), SHARE
        prompt_usd = self.worst(price, model, replace(usage, output=0))
        # Prices are linear in tokens. Subtract one because of rounding errors.
        each = (self.worst(price, model, replace(usage, output=STEP)) - prompt_usd) / STEP
        by_usd = (usd / share - prompt_usd) / each - 1 if each > 0 else math.inf
        affordable = min(float(usage.output), tokens / share - usage.input, by_usd)
        return usage.output if least >= usage.output else max(least, int(max(0.0, affordable)))
