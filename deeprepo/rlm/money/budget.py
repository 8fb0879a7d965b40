"""The caps of one run: what a call could cost is reserved before it is sent, what it did cost is settled after it.

A cap that is hit is an outcome: `BudgetSpent`, with a sentence that names the cap and says what to do.
"""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from deeprepo.rlm.errors import BudgetSpent
from deeprepo.rlm.money.capacity import USEFUL
from deeprepo.rlm.values import COMMAND, OWN_SERVERS, Cost, Limits, Purpose, Usage, provider_name

# Dollars for a million tokens in and out of the dearest model on the price list: what a call counts where nobody knows its price.
DEAREST_INPUT, DEAREST_OUTPUT = 150.0, 600.0
MILLION = 1_000_000
CENT = 0.01
PriceOf = Callable[[Usage], float | None]
SHARE = 4  # while other calls are in flight, one of them takes at most this part of what is left
MARGIN = 2  # times the longest reply so far: what a reply of the same role is expected to stay under
STEP = 1_000  # tokens of a reply for comparing prices


@dataclass(frozen=True, slots=True)
class Hold:
    """What is set aside for a call in flight."""

    tokens: int
    usd: float
    output: int = 0  # tokens that the reply may take: fewer than asked for where little is left


@dataclass(frozen=True, slots=True)
class RemainingBudget:
    """What remains under each cap; None if there is no such cap or it cannot be counted."""

    usd: float | None
    tokens: int | None
    calls: int | None


def unknown(usage: Usage) -> float:
    """Return what a call of unknown price counts under a cap in dollars: as much as one of the dearest model."""
    return (usage.input * DEAREST_INPUT + usage.output * DEAREST_OUTPUT) / MILLION


def in_dollars(usd: float) -> str:
    """Return an amount as text, in cents unless it is smaller than one."""
    return f"${usd:,.2f}" if usd >= CENT else f"${usd:.6f}".rstrip("0").rstrip(".")


class Budget:
    """One run's purse."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self.notes: list[str] = []  # sentences for the reader of the result
        self.refused = ""  # the sentence of the first call that was not sent because of a cap
        self.in_flight = 0  # calls that hold a reservation: what they do not use comes back
        self._clock, self._started = clock, clock()
        # What settled calls came to.
        self._calls = self._failures = 0
        self._usage = Usage()
        self._usd: dict[Purpose, list[float]] = {}  # known prices, one by one: a sum must not depend on their order
        self._rough_usd = 0.0  # their sum as it came, for the caps; with what calls of unknown price count
        self._unpriced: set[Purpose] = set()  # roles with a call whose price nobody knows
        self._models: dict[str, None] = {}
        self._held_tokens, self._held_usd = 0, 0.0
        self._kept: Hold | None = None
        self._longest: dict[tuple[str, Purpose], int] = {}  # replies of a model in a role

    def is_owned(self, model: str) -> bool:
        """Return whether the model runs on the user's own server, which doesn't bill by the token."""
        provider = provider_name(model)
        return provider in OWN_SERVERS or provider in self.limits.own

    def reserve(
        self, usage: Usage, price: PriceOf, model: str, role: Purpose = "worker", *, visible: int | None = None
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
        output = self._output(usage, price, model, role, usage.output if visible is None else visible)
        usage = replace(usage, output=output)
        wanted = Hold(usage.input + output, self.worst(price, model, usage), output)
        self._check(wanted, role, guess)
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
            return 0.0 if self.is_owned(model) else unknown(usage)
        written_usd = price(replace(usage, cache_write=usage.input))  # a provider may charge more for what it keeps
        return max(usd, written_usd or 0.0)

    def expected_reply(self, model: str, role: Purpose, visible: int) -> int:
        """Return how long a reply may become, by those that came before it."""
        return max(visible, MARGIN * self._longest.get((model, role), 0))

    def keep(self, usage: Usage | None, price: PriceOf = lambda _: None) -> None:
        """Keep a call of this size, half of each cap at most, back for the root's last word; None ends that."""
        if usage is None:
            self._kept = None
        else:
            usd = 0.0 if price(usage) is None else self.worst(price, "", usage)
            self._kept = Hold(usage.input + usage.output, usd)

    def room(self, role: Purpose) -> tuple[float, float, float]:
        """Return dollars, tokens and calls that calls of this role may still use together; infinite where no cap counts them."""
        caps = self.limits
        kept = self._kept if role != "root" else None
        usd = math.inf if caps.usd is None else caps.usd - self._rough_usd - self._held_usd
        used = self._usage.input + self._usage.output + self._held_tokens
        tokens = math.inf if caps.tokens is None else caps.tokens - used
        calls = math.inf if caps.calls is None else caps.calls - self._calls - self.in_flight
        if kept is not None:
            usd -= min(kept.usd, (caps.usd or 0.0) / 2)
            tokens -= min(kept.tokens, (caps.tokens or 0) // 2)
        return usd, tokens, calls - bool(kept)

    def release(self, hold: Hold) -> None:
        """Give a reservation back: its call has ended, and what it used is booked."""
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
        self._models.setdefault(model)
        if not has_failed:
            self._longest[model, role] = max(self._longest.get((model, role), 0), usage.output)
        if usd is None:
            self.note_unpriced(model)
            self._unpriced.add(role)
            self._rough_usd += max(0.0 if self.is_owned(model) else unknown(usage), worst_usd)
        else:
            self._usd.setdefault(role, []).append(usd)
            self._rough_usd += max(usd, worst_usd)

    def supplement(self, costs: Iterable[tuple[Usage, float | None]], role: Purpose) -> None:
        """Add to booked calls what they have cost; the caps count their worst already."""
        for usage, usd in costs:
            self._usage += usage
            self._usd.setdefault(role, []).append(usd or 0.0)

    def note_unpriced(self, model: str) -> None:
        """Add a note that this model's price is unknown, if there is a cap in dollars."""
        if self.limits.usd is None or (self.is_owned(model) and not model.startswith(COMMAND)):
            return
        sentence = (
            f"Your provider bills {model} directly: the limit of {in_dollars(self.limits.usd)} does not apply to it"
            + (f", but the limit of {self.limits.calls:,} calls does." if self.limits.calls is not None else ".")
            if model.startswith(COMMAND)
            else f"The price of {model} is unknown. Under the limit of {in_dollars(self.limits.usd)}, its calls count at the highest listed "
            f"price (${DEAREST_INPUT:g} and ${DEAREST_OUTPUT:g} per million input and output tokens). "
            "Use a model with a known price, or raise the limit."
        )
        self.note(sentence)

    def note(self, sentence: str) -> None:
        """Add a note to the result, once."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def fail(self) -> None:
        """Count an answered call whose reply was of no use."""
        self._failures += 1

    def seconds_left(self) -> float | None:
        """Return the seconds until the deadline, at least 0; None where there is none."""
        if self.limits.seconds is None:
            return None
        return max(0.0, self.limits.seconds - (self._clock() - self._started))

    def left(self) -> RemainingBudget:
        """Return what remains, reservations not counted as spent."""
        caps, used = self.limits, self._usage.input + self._usage.output
        return RemainingBudget(
            usd=None if caps.usd is None or self._unpriced else max(0.0, caps.usd - self._paid()),
            tokens=None if caps.tokens is None else max(0, caps.tokens - used),
            calls=None if caps.calls is None else max(0, caps.calls - self._calls),
        )

    def cost(self) -> Cost:
        """Return what the run has cost so far; dollars are None where a price is unknown."""
        return Cost(
            calls=self._calls,
            usage=self._usage,
            usd=None if self._unpriced else self._paid(),
            root_usd=None if {"root", "pairs"} & self._unpriced else self._paid("root", "pairs"),
            verify_usd=None if "verify" in self._unpriced else self._paid("verify"),
            failed_calls=self._failures,
            models=tuple(self._models),
        )

    def _paid(self, *roles: Purpose) -> float:
        """Return the known cost of these roles, or of all roles.

        The sum is exact, so it doesn't depend on the order.
        """
        return math.fsum(usd for role in roles or tuple(self._usd) for usd in self._usd.get(role, ()))

    def out_of_time(self) -> str:
        """Return the sentence for the deadline."""
        return f"the limit of {self.limits.seconds:g} seconds is reached: finish with what you have, or allow more time"

    def _check(self, wanted: Hold, role: Purpose, guess: str) -> None:
        """Raise BudgetSpent unless the call fits. Each comparison also fails for a cap that is not a number."""
        caps, (usd, tokens, calls) = self.limits, self.room(role)
        if self.seconds_left() == 0.0:
            raise BudgetSpent(self.out_of_time())
        if caps.calls is not None and not calls >= 1:
            raise BudgetSpent(
                f"the limit of {caps.calls:,} calls is reached: finish with what you have, or allow more calls"
            )
        if caps.tokens is not None and not wanted.tokens <= tokens:
            raise BudgetSpent(
                f"the limit of {caps.tokens:,} tokens would be exceeded: this call needs up to {wanted.tokens:,}, "
                f"{max(0, tokens):,} remain; finish with what you have, or allow more tokens"
            )
        if caps.usd is not None and not wanted.usd <= usd and wanted.usd:
            raise BudgetSpent(
                f"the cap of {in_dollars(caps.usd)} would be exceeded: this call could cost ${wanted.usd:,.4f}{guess}, "
                f"${max(0.0, usd):,.4f} remains; finish with what you have, or allow more dollars"
            )

    def _output(self, usage: Usage, price: PriceOf, model: str, role: Purpose, visible: int) -> int:
        """Return how many tokens the reply may take.

        If other calls are in flight, it leaves a share of the budget to them.

        It never returns fewer than the least useful number of tokens, so that `_check` reports which cap is
        exceeded.
        """
        usd, tokens, _ = self.room(role)
        least, share = min(visible, USEFUL), 1
        if self.in_flight:
            least, share = self.expected_reply(model, role, visible), SHARE
        prompt_usd = self.worst(price, model, replace(usage, output=0))
        # Prices are linear in tokens; one less, since dollars are no whole numbers.
        each = (self.worst(price, model, replace(usage, output=STEP)) - prompt_usd) / STEP
        by_usd = (usd / share - prompt_usd) / each - 1 if each > 0 else math.inf
        affordable = min(float(usage.output), tokens / share - usage.input, by_usd)
        return usage.output if least >= usage.output else max(least, int(max(0.0, affordable)))
