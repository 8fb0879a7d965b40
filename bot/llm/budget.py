"""The caps of one review: what a call could cost is reserved before it is sent, what it did cost is settled after it.

A cap that is hit is an outcome: `BudgetSpent`, with a sentence that names the cap and says what to do.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Lock

from bot.errors import BudgetSpent
from bot.llm.capacity import OWN_SERVERS, USEFUL
from bot.values import Cost, Limits, Purpose, Usage

TOKENS_PER_USD = 2_000_000  # what a dollar stands for on a server of the user's own, which bills nobody by the token
# Dollars for a million tokens in and out of the dearest model on the price list: what a call counts where nobody knows its price.
DEAREST_INPUT, DEAREST_OUTPUT = 150.0, 600.0
MILLION = 1_000_000
PriceOf = Callable[[Usage], float | None]
SHARE = 4  # while other calls are in flight, one of them takes at most this part of what is left
MARGIN = 2  # times the longest reply so far: what a reply of the same role is expected to stay under


@dataclass(frozen=True, slots=True)
class Hold:
    """What is set aside for a call in flight."""

    tokens: int
    usd: float
    output: int = 0  # tokens that the reply may take: fewer than asked for where little is left


@dataclass(slots=True)
class ReplyLengths:
    """How long the replies of one model in one role were."""

    calls: int = 0
    tokens: int = 0
    longest: int = 0


@dataclass(frozen=True, slots=True)
class Left:
    """What remains under each cap; None if there is no such cap or it cannot be counted."""

    usd: float | None
    tokens: int | None
    calls: int | None
    seconds: float | None


@dataclass(slots=True)
class SettledCalls:
    """What settled calls came to. `usd` holds the known prices only."""

    calls: int = 0
    failure_count: int = 0
    limited_count: int = 0  # of the failed ones, those that a rate limit turned away: no model has seen them
    usage: Usage = field(default_factory=Usage)
    usd: dict[Purpose, list[float]] = field(default_factory=dict)  # one by one: a sum must not depend on their order
    rough: float = 0.0  # their sum as it came, for the caps; with what calls of unknown price count
    unknown: set[Purpose] = field(default_factory=set)  # roles with a call whose price nobody knows
    models: dict[str, None] = field(default_factory=dict)

    def paid_usd(self, *roles: Purpose) -> float:
        """The known prices of these roles, of all where none is named; exactly rounded, so in any order the same."""
        return math.fsum(usd for role in roles or tuple(self.usd) for usd in self.usd.get(role, ()))


def dearest(price: PriceOf, usage: Usage) -> float | None:
    """What this could cost at most: a provider may charge more for what it writes into its cache."""
    plain, written_price = price(usage), price(replace(usage, cache_write=usage.input))
    return None if plain is None else max(plain, written_price or 0.0)


def unknown(usage: Usage) -> float:
    """What a call of unknown price counts under a cap in dollars: as much as one of the dearest model."""
    return (usage.input * DEAREST_INPUT + usage.output * DEAREST_OUTPUT) / MILLION


def usd_for_cap(cost: Cost) -> float:
    """The dollars of a finished piece of work for a cap over many of them; tokens count where nobody knows their price."""
    if cost.usd is not None:
        return cost.usd
    if all(model.partition("/")[0] in OWN_SERVERS for model in cost.models):
        return (cost.usage.input + cost.usage.output) / TOKENS_PER_USD
    return unknown(cost.usage)


class Budget:
    """One review's purse. Read from the REPL's thread too, hence the lock."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self.notes: list[str] = []  # sentences for the reader of the review
        self.refused = ""  # the sentence of the first call that was not sent because of a cap
        self._clock, self._started = clock, clock()
        self._lock, self._spent = Lock(), SettledCalls()
        self._held_tokens, self._held_usd, self._in_flight = 0, 0.0, 0
        self._kept: Hold | None = None
        self._promised: dict[Purpose, Hold] = {}  # of second calls of dialogues, by their role
        self._seen: dict[tuple[str, Purpose], ReplyLengths] = {}
        self._by_tokens = False  # a server of the user's own: the cap in dollars is enforced in tokens

    @property
    def in_flight(self) -> int:
        """Calls that hold a reservation: what they do not use comes back."""
        return self._in_flight

    def is_owned(self, model: str) -> bool:
        """Whether the model runs on a server of the user's own, which bills nobody by the token."""
        provider = model.partition("/")[0]
        return provider in OWN_SERVERS or provider in self.limits.own

    def reserve(
        self, usage: Usage, price: PriceOf, model: str, role: Purpose = "worker", *, visible: int | None = None
    ) -> Hold:
        """Set aside what a call could use at most. Raises BudgetSpent; then nothing may be sent.

        `visible` tokens of the output are the answer that is expected, the rest is room for thinking: the hold's `output`
        has less of it where not all of it can be paid. So the calls in flight can never cost more together than is left.
        """
        with self._lock:
            if price(usage) is None:
                self._note_unpriced(model)

            def cost(output: int) -> tuple[int, float]:
                usage_asked = replace(usage, output=output)
                usd = dearest(price, usage_asked)
                return usage_asked.input + output, self._unknown(model, usage_asked) if usd is None else usd

            reserve_kept = self._kept_from(role)
            output = self._affordable(
                cost, usage.output, usage.output if visible is None else visible, (model, role), reserve_kept
            )
            tokens, usd = cost(output)
            guess_note = f" (the price of {model} is unknown: it counts as the dearest)" if price(usage) is None else ""
            self._fit(tokens, usd, reserve_kept, guess_note)
            self._held_tokens += tokens
            self._held_usd += usd
            self._in_flight += 1
        return Hold(tokens, usd, output)

    def expected_reply(self, model: str, role: Purpose, visible: int) -> int:
        """How long a reply may become, by those that came before it."""
        lengths = self._seen.get((model, role))
        return max(visible, MARGIN * lengths.longest) if lengths else visible

    def keep(self, hold: Hold | None) -> None:
        """Keep a call of this size, half of each cap at most, back for the root's last word; None ends that."""
        self._kept = hold

    def promise(self, role: Purpose, hold: Hold) -> None:
        """Keep what second calls of this role may use back from the other roles, until it is given back with `break_promise`."""
        with self._lock:
            hold_now = self._promised.get(role, Hold(0, 0.0))
            self._promised[role] = Hold(hold_now.tokens + hold.tokens, hold_now.usd + hold.usd)

    def break_promise(self, role: Purpose, hold: Hold) -> None:
        """Give a promise back: the second calls reserve for themselves now, or nobody wants them."""
        self.promise(role, Hold(-hold.tokens, -hold.usd))

    def room(self, role: Purpose) -> tuple[float, float, float]:
        """Dollars, tokens and calls that calls of this role may still use together; infinite where no cap counts them."""
        with self._lock:
            caps, spending, cap, reserve_kept = self.limits, self._spent, self._token_cap(), self._kept_from(role)
            own = self._promised.get(role, Hold(0, 0.0))
            usd = math.inf if caps.usd is None else caps.usd - spending.rough - self._held_usd - own.usd
            tokens = (
                math.inf
                if cap is None
                else cap - spending.usage.input - spending.usage.output - self._held_tokens - own.tokens
            )
            calls = (
                math.inf
                if caps.calls is None
                else caps.calls - spending.calls + spending.limited_count - self._in_flight
            )
            if reserve_kept is not None:
                usd -= min(reserve_kept.usd, (caps.usd or 0.0) / 2)
                tokens -= min(reserve_kept.tokens, (cap or 0) // 2)
            return usd, tokens, calls - bool(reserve_kept)

    def _kept_from(self, role: Purpose) -> Hold | None:
        """What calls of this role must leave: the root's next reply, and what was promised to others."""
        holds = [hold for other, hold in self._promised.items() if other != role and hold.tokens > 0]
        if self._kept is not None and role != "root":
            holds.append(self._kept)
        return Hold(sum(hold.tokens for hold in holds), math.fsum(hold.usd for hold in holds)) if holds else None

    def book(
        self,
        usage: Usage,
        usd: float | None,
        role: Purpose,
        model: str,
        *,
        hold: Hold | None = None,
        has_failed: bool = False,
        was_limited: bool = False,
    ) -> None:
        """Book what a call really used and give its reservation back.

        A call without one was made by an earlier run of this review: it counts, so that the caps hold over all runs.
        """
        with self._lock:
            if hold is not None:
                self._held_tokens -= hold.tokens
                self._held_usd -= hold.usd
                self._in_flight -= 1
            elif usd is None:
                self._note_unpriced(model)
            self._book(usage, usd, role, model, has_failed=has_failed)
            self._spent.limited_count += was_limited

    def note_unpriced(self, model: str) -> None:
        """Say that nobody knows this model's price, where there is a cap in dollars."""
        with self._lock:
            self._note_unpriced(model)

    def fail(self) -> None:
        """An answered call whose reply was of no use."""
        with self._lock:
            self._spent.failure_count += 1

    def refuse(self, why: str) -> None:
        """Remember that a call was not sent, or cut short, because of a cap."""
        self.refused = self.refused or why

    def seconds_left(self) -> float | None:
        """Until the deadline, at least 0; None where there is none."""
        if self.limits.seconds is None:
            return None
        return max(0.0, self.limits.seconds - (self._clock() - self._started))

    def left(self) -> Left:
        """What remains, reservations not counted as spent."""
        with self._lock:
            spending, caps, cap = self._spent, self.limits, self._token_cap()
            return Left(
                usd=None if caps.usd is None or spending.unknown else max(0.0, caps.usd - spending.paid_usd()),
                tokens=None if cap is None else max(0, cap - spending.usage.input - spending.usage.output),
                calls=None if caps.calls is None else max(0, caps.calls - spending.calls),
                seconds=self.seconds_left(),
            )

    def cost(self) -> Cost:
        """What the review cost so far; dollars are None where a price is unknown."""
        with self._lock:
            spending = self._spent
            return Cost(
                calls=spending.calls,
                usage=spending.usage,
                usd=None if spending.unknown else spending.paid_usd(),
                root_usd=None if {"root", "pairs"} & spending.unknown else spending.paid_usd("root", "pairs"),
                verify_usd=None if "verify" in spending.unknown else spending.paid_usd("verify"),
                failed_calls=spending.failure_count,
                models=tuple(spending.models),
            )

    def out_of_time(self) -> str:
        """The sentence for the deadline."""
        return f"the cap of {self.limits.seconds:g} seconds is reached: finish with what you have, or allow more time"

    def _fit(self, tokens: int, usd: float, reserve_kept: Hold | None, guess_note: str) -> None:
        """Raise BudgetSpent unless the call fits. Each cap is asked whether it holds the sum: against what is not a number it does not."""
        caps, spending, cap = self.limits, self._spent, self._token_cap()
        kept_tokens = min(reserve_kept.tokens, (cap or 0) // 2) if reserve_kept else 0
        kept_usd = min(reserve_kept.usd, (caps.usd or 0) / 2) if reserve_kept else 0.0
        if self.seconds_left() == 0.0:
            raise BudgetSpent(self.out_of_time())
        if (
            caps.calls is not None
            and not spending.calls - spending.limited_count + self._in_flight + bool(reserve_kept) < caps.calls
        ):
            raise BudgetSpent(
                f"the cap of {caps.calls:,} calls is reached: finish with what you have, or allow more calls"
            )
        used_tokens = spending.usage.input + spending.usage.output + self._held_tokens + kept_tokens
        if cap is not None and not used_tokens + tokens <= cap:
            raise BudgetSpent(
                f"the cap of {cap:,} tokens would be exceeded: this call needs up to {tokens:,}, "
                f"{max(0, cap - used_tokens):,} are left; finish with what you have, or allow more tokens"
            )
        paid_usd = spending.rough + self._held_usd + kept_usd
        if caps.usd is not None and not paid_usd + usd <= caps.usd and usd:
            raise BudgetSpent(
                f"the cap of ${caps.usd:,.2f} would be exceeded: this call could cost ${usd:,.4f}{guess_note}, "
                f"${max(0.0, caps.usd - paid_usd):,.4f} is left; finish with what you have, or allow more dollars"
            )

    def _affordable(
        self,
        cost: Callable[[int], tuple[int, float]],
        most: int,
        visible: int,
        who: tuple[str, Purpose],
        reserve_kept: Hold | None,
    ) -> int:
        """The tokens that the reply may take. Other calls in flight leave a share; alone, a call may take what is left.

        Never fewer than the least that is of use: `_fit` then says which cap is in the way.
        """
        caps, spending, cap = self.limits, self._spent, self._token_cap()
        tokens, usd = math.inf, math.inf
        if cap is not None:
            tokens = cap - spending.usage.input - spending.usage.output - self._held_tokens
            tokens -= min(reserve_kept.tokens, cap // 2) if reserve_kept else 0
        if caps.usd is not None:
            usd = (
                caps.usd
                - spending.rough
                - self._held_usd
                - (min(reserve_kept.usd, caps.usd / 2) if reserve_kept else 0.0)
            )

        def fits(output: int, share: int = 1) -> bool:
            needs, price = cost(output)
            return needs * share <= tokens and price * share <= usd

        lengths = self._seen.get(who)
        likely = min(most, max(visible, MARGIN * lengths.longest) if lengths else visible)
        usual = lengths.tokens // lengths.calls if lengths else 0
        least = likely if self._in_flight else min(visible, max(USEFUL, usual + usual // 2))
        share = SHARE if self._in_flight else 1
        if fits(most, share) or least >= most:
            return most
        low, high = least, most
        while high - low > max(16, low // 32):
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle, share) else (low, middle)
        return low

    def _book(self, usage: Usage, usd: float | None, role: Purpose, model: str, *, has_failed: bool) -> None:
        spending = self._spent
        spending.calls += 1
        spending.failure_count += has_failed
        spending.usage += usage
        spending.models.setdefault(model)
        if not has_failed and usage.output:
            lengths = self._seen.setdefault((model, role), ReplyLengths())
            lengths.calls, lengths.tokens, lengths.longest = (
                lengths.calls + 1,
                lengths.tokens + usage.output,
                max(lengths.longest, usage.output),
            )
        if usd is None:
            spending.unknown.add(role)
            spending.rough += self._unknown(model, usage)
        else:
            spending.usd.setdefault(role, []).append(usd)
            spending.rough += usd

    def _unknown(self, model: str, usage: Usage) -> float:
        return 0.0 if self.is_owned(model) else unknown(usage)

    def _note_unpriced(self, model: str) -> None:
        if self.limits.usd is None:
            return
        if self.is_owned(model):
            self._by_tokens = True
            sentence = (
                f"The price of {model} is unknown: instead of ${self.limits.usd:,.2f}, "
                f"{self._token_cap():,} tokens are the cap of this review."
            )
        else:
            sentence = (
                f"The price of {model} is unknown: under the cap of ${self.limits.usd:,.2f} its calls count as much as those of "
                f"the dearest model on the price list (${DEAREST_INPUT:g} and ${DEAREST_OUTPUT:g} for a million tokens in and out). "
                "Choose a model whose price is known, or allow more dollars (`--max-usd`)."
            )
        if sentence not in self.notes:
            self.notes.append(sentence)

    def _token_cap(self) -> int | None:
        """The cap in tokens; where a price is unknown, the one in dollars turned into tokens too."""
        caps = self.limits
        if not self._by_tokens or caps.usd is None:
            return caps.tokens
        instead = int(caps.usd * TOKENS_PER_USD)
        return instead if caps.tokens is None else min(caps.tokens, instead)
