"""The queue of reviews as a simulation of discrete events: who arrives, which place is free, whose turn it is. Pure.

Workers have places. A free place is given at once to an installation that waits, by one of the rules:

line       the review with the lowest number goes first, as in `bot/jobs`: one more than the highest of its own installation's, or of
           those that run
turns      the installation whose turn is longest ago goes first: the fair share
random     installations in random order, for comparison

All times are seconds. The same seed gives the same result.
"""

import heapq
import math
import random
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, count
from typing import Literal

Rule = Literal["line", "turns", "random"]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A review that is asked for: when, by which installation, and for how long it will occupy a place."""

    at: float
    tenant: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Queue:
    """How reviews are carried out."""

    workers: int
    places: int  # of each worker
    lead: float = 0.0  # from the moment at which a place is given until the review begins
    tail: float = 0.0  # from its end until the place is free


def simulate(arrivals: Sequence[Arrival], queue: Queue, rule: Rule = "line", seed: int = 1) -> list[float]:
    """How long each review waits until it begins."""
    run = _Run(arrivals, queue, rule, random.Random(seed))  # noqa: S311 - a simulation
    for number, arrival in enumerate(arrivals):
        run.later(arrival.at, "arrival", number)
    while run.left:
        run.next()
    return run.waits


def shares(arrivals: Sequence[Arrival], waits: Sequence[float]) -> list[float]:
    """What each review of a run would have waited at its fair share.

    The places of that run come at the same moments, and each goes to the installation whose turn is longest ago. Whatever slows the
    whole run down, a machine with other work say, is therefore in both.
    """
    run = _Again(arrivals, Queue(1, 0), "turns", random.Random(0))  # noqa: S311 - which is not asked
    for number, (arrival, wait) in enumerate(zip(arrivals, waits, strict=True)):
        run.later(arrival.at, "arrival", number)
        run.later(arrival.at + wait, "place", 0)
    while run.left:
        run.next()
    return run.waits


class _Run:
    """One run: what waits and what has a place. A review is its place in `arrivals`, an event is a moment, what happens, and to whom."""

    def __init__(self, arrivals: Sequence[Arrival], queue: Queue, rule: Rule, chance: random.Random) -> None:
        self.arrivals, self.queue, self.rule, self.chance = arrivals, queue, rule, chance
        self.waits, self.left = [math.nan] * len(arrivals), len(arrivals)
        self.free = [queue.places] * queue.workers
        self.held: dict[int, int] = {}  # review: the worker whose place it has
        self.waiting: dict[int, deque[int]] = {}  # by tenant
        self.place: dict[int, int] = {}  # by review: its number in the line
        self.running: Counter[int] = Counter()  # by tenant
        self.turn: dict[int, float] = {}  # by tenant: its last start, or the beginning of its wait if that is later
        self.events: list[tuple[float, int, str, int]] = []
        self.serial = count()

    def later(self, moment: float, what: str, who: int) -> None:
        """Let something happen at this moment; of two at the same moment the one that was named first goes first."""
        heapq.heappush(self.events, (moment, next(self.serial), what, who))

    def next(self) -> None:
        """Do what happens next."""
        now, _, what, who = heapq.heappop(self.events)
        if what == "arrival":
            tenant = self.arrivals[who].tenant
            if tenant not in self.waiting:
                self.waiting[tenant], self.turn[tenant] = deque(), now
            own = [each for each in self.held if self.arrivals[each].tenant == tenant]
            self.place[who] = 1 + max(
                (self.place[each] for each in (*self.held, *own, *self.waiting[tenant])), default=0
            )
            self.waiting[tenant].append(who)
        elif what == "place":
            self.free[who] += 1
        else:
            self.ended(who)
        self.shared(now)

    def ended(self, review: int) -> None:
        """Take a review's place back."""
        self.running[self.arrivals[review].tenant] -= 1
        self.free[self.held.pop(review)] += 1
        self.left -= 1

    def shared(self, now: float) -> None:
        """Give each free place to the next installation, until there is no place or no installation that may have one."""
        while any(self.free) and (line := self.order()):
            self.start(line[0], self.free.index(max(self.free)), now)

    def order(self) -> list[int]:
        """The installations that may have a place now, first to last."""
        found = list(self.waiting)
        if self.rule == "random":
            self.chance.shuffle(found)
        elif self.rule == "line":
            found.sort(key=lambda tenant: self.rank(self.first(tenant)))
        else:
            found.sort(key=self.turn.__getitem__)
        return found

    def rank(self, review: int) -> tuple[int, int]:
        """The place of a review in the queue."""
        return self.place[review], review

    def first(self, tenant: int) -> int:
        """The review of an installation that goes first."""
        line = self.waiting[tenant]
        return min(line, key=self.rank) if self.rule == "line" else line[0]

    def start(self, tenant: int, worker: int, now: float) -> None:
        """Give a place of a worker to the first review of an installation's line."""
        review = self.first(tenant)
        self.waiting[tenant].remove(review)
        if not self.waiting[tenant]:
            del self.waiting[tenant]
        self.running[tenant] += 1
        self.turn[tenant] = now
        self.free[worker] -= 1
        self.held[review] = worker
        begins = now + self.queue.lead
        self.waits[review] = begins - self.arrivals[review].at
        self.later(begins + self.arrivals[review].seconds + self.queue.tail, "end", review)


class _Again(_Run):
    """A run in which each place comes at a moment of its own and serves once."""

    def ended(self, review: int) -> None:
        """Count a review as done; its place does not come back."""
        super().ended(review)
        self.free[0] -= 1


def traffic(
    tenants: int,
    seconds: float,
    rate: float,
    service: float,
    *,
    uneven: float = 1.0,
    burst: float = 1.0,
    spread: float = 0.7,
    seed: int = 1,
) -> list[Arrival]:
    """Reviews that are asked for at random moments, `rate` a second, in the middle third `burst` times as many.

    The installation of rank n has 1 / n ** `uneven` times the reviews of the first. `service` is the mean of a log-normal distribution, `spread` its sigma.
    """
    chance = random.Random(seed)  # noqa: S311 - a sample
    weights = list(accumulate(1 / (rank + 1) ** uneven for rank in range(tenants)))
    middle = math.log(service) - spread**2 / 2
    found = list[Arrival]()
    now = 0.0
    while True:
        now += chance.expovariate(rate * burst)
        if now > seconds:
            return found
        if seconds / 3 <= now < 2 * seconds / 3 or chance.random() < 1 / burst:
            tenant = chance.choices(range(tenants), cum_weights=weights)[0]
            found.append(Arrival(now, tenant, chance.lognormvariate(middle, spread)))


def percentile(values: Sequence[float], which: float) -> float:
    """The value that `which` per cent do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * which / 100))]


def by_tenant(arrivals: Sequence[Arrival], waits: Sequence[float]) -> dict[int, list[float]]:
    """The waiting times of each installation."""
    found: dict[int, list[float]] = {}
    for arrival, wait in zip(arrivals, waits, strict=True):
        found.setdefault(arrival.tenant, []).append(wait)
    return found
