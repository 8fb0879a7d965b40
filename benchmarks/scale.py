"""Compute what 100, 10,000 and 1,000,000 pull requests a day need: `make bench NAME=scale`.

Computed from what one review costs a server (docs/contributing/scale.md). A constant was measured by the command that its comment names, is a limit of
somebody else, or stands below the word Assumptions.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

SIZES = (100, 10_000, 1_000_000)  # pull requests a day
DAY, HOUR = 86_400.0, 3600.0

# Assumptions. Nothing here can measure them; if you know your own, put them in.
ROUNDS = 3  # reviews of a pull request: when it is opened, and two pushes that outlive the debounce
BUSIEST = 3.0  # reviews of the busiest hour, in those of a mean one: most of a day's work is done in eight hours
PULLS = 20  # of a mean installation in a day
UNEVEN = 0.8  # the installation of rank n has 1 / n ** 0.8 times the pull requests of the first
EVENTS = 5  # deliveries for each review: pushes, check runs, comments
CORES, MEMORY = 8, 32_000  # of a machine, MB
FULL = 0.6  # of a resource that is used in the busiest hour: the rest is for what nobody has foreseen
WAIT = 5.0  # seconds that a review may wait for a place at p95

# One review on a server with PostgreSQL: 12 pull requests of four changed files in the sandbox GitHub, measured on 25 November 2026, 2 cores.
PROCESSOR = 2.16  # seconds of all processes
RUNNING = 48.0  # MB while it runs
STORED = 97.0  # KB that the database has grown by
DATABASE = 0.18  # seconds of computing of the database
READS, WRITES, CONTENT = (
    17.0,
    7.4,
    2.42,
)  # requests to GitHub; CONTENT: of the writes, those that create a comment, a review or a check run
RESERVE = 0.0193  # seconds to reserve its budget, for each 100,000 reviews of the day

# A server that does nothing, measured in the same run.
IDLE = 116.0  # MB
IDLE_DATABASE = 0.001  # seconds of computing of the database in a second
CONNECTED = 7  # connections to the database

# Measured by other commands.
REVIEW = 25.0  # seconds of a review, mean. Median 14.9 s with models on loopback, to which come the fetch and six writes to GitHub, one a second
DOLLARS = 0.09  # of a review. `deeprepo estimate 90a3537a^..90a3537a` in a clone of pr-agent: 7 files, the strategy that it selects
ANSWERED = (
    236.0  # deliveries a second that are stored and answered. `make bench NAME=server`, PostgreSQL, a burst of 500
)

# GitHub's limits of one installation: docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
REQUESTS = (
    5_000  # an hour; 50 more for each repository and for each user above 20, up to 12,500; 15,000 on Enterprise Cloud
)
POINTS = 900  # a minute: 1 for a request that reads, 5 for one that writes
CREATED = 500  # comments, reviews and the like an hour

# Defaults of our own: docs/server.md, docs/configuration.md
PLACES = 8  # DEEPREPO_REVIEWS
CAP, CAP_INSTALLATION = 100.0, 50.0  # dollars: DEEPREPO_CAP_USD_PER_DAY, DEEPREPO_CAP_USD_PER_DAY_INSTALLATION
CONNECTIONS = 100  # PostgreSQL's max_connections
ANOTHER_APP = "another App for a part of the repositories"


@dataclass(frozen=True, slots=True)
class Limit:
    """One thing that can give way: how much of it is used in the busiest hour, 1 being all; and what raises it."""

    what: str
    used: float
    remedy: str


@dataclass(frozen=True, slots=True)
class Need:
    """What one size needs."""

    pulls: int  # a day
    installations: int
    share: float  # of the largest installation
    places: int
    processes: int
    machines: float
    stored: float  # GB after the 30 days of the retention
    requests: float  # of the largest installation in the busiest hour
    content: float  # the same, that creates something
    dollars: float  # a day
    limits: tuple[Limit, ...]


def main() -> int:
    """Print the table of the sizes and the limits in their order."""
    needs = [need(size) for size in SIZES]
    lines: list[tuple[str, Callable[[Need], str]]] = [
        ("installations; share of the largest", lambda one: f"{one.installations:,}; {100 * one.share:.0f} %"),
        ("places; processes of 8 places", lambda one: f"{one.places:,}; {one.processes:,}"),
        ("machines for reviews, 8 cores and 32 GB", lambda one: f"{math.ceil(one.machines):,}"),
        ("database after 30 days", lambda one: f"{_short(one.stored)} GB"),
        ("GitHub: requests of the largest installation an hour (5,000)", lambda one: _short(one.requests)),
        ("GitHub: content that it creates an hour (500)", lambda one: _short(one.content)),
        ("models a day", lambda one: f"${_short(one.dollars)}"),
    ]
    head = ["pull requests a day", *(f"{one.pulls:,}" for one in needs)]
    for row in (head, ["---"] * len(head), *([name, *map(shown, needs)] for name, shown in lines)):
        print(f"| {' | '.join(row)} |")
    print("\nPull requests a day at which each limit is reached:")
    for pulls, limit in reached():
        print(f"{pulls:>12,}  {limit.what}. What raises it: {limit.remedy}")
    return 0


def need(pulls: int) -> Need:
    """The figures of one size."""
    installations = max(1, pulls // PULLS)
    share = 1 / math.fsum((rank + 1) ** -UNEVEN for rank in range(installations))
    reviews = pulls * ROUNDS
    rate = reviews * BUSIEST / DAY  # a second in the busiest hour
    largest = rate * share * HOUR  # of the largest installation in that hour
    places = placed(rate * REVIEW)
    processes = math.ceil(places / PLACES)
    machines = max(rate * PROCESSOR / CORES, (places * RUNNING + processes * IDLE) / MEMORY) / FULL
    database = rate * DATABASE + processes * IDLE_DATABASE
    requests, content = largest * (READS + WRITES), largest * CONTENT
    dollars = reviews * DOLLARS
    reserved = rate * RESERVE * reviews / 100_000
    limits = (
        Limit("dollars of a day", dollars / CAP, "DEEPREPO_CAP_USD_PER_DAY"),
        Limit("dollars of the largest installation", dollars * share / CAP_INSTALLATION, "DEEPREPO_CAP_USD_PER_DAY_INSTALLATION"),
        Limit("places of one process", places / PLACES, "PostgreSQL and more `deeprepo worker`"),
        Limit("one machine for reviews", machines, "workers on more machines"),
        Limit("GitHub: content of the largest installation", content / CREATED, ANOTHER_APP),
        Limit("GitHub: requests of the largest installation", requests / REQUESTS, "GitHub raises it by itself, up to 12,500; then " + ANOTHER_APP),
        Limit("GitHub: points a minute of the largest installation", largest / 60 * (READS + 5 * WRITES) / POINTS, ANOTHER_APP),
        Limit("connections to the database", processes * CONNECTED / CONNECTIONS, "max_connections; a larger DEEPREPO_REVIEWS"),
        Limit("the database on one machine", database / FULL / CORES, "a larger machine for it"),
        Limit("reservations of budgets, one after the other", reserved / FULL, "several servers, each with its own database and App"),
        Limit("deliveries to one server", rate * EVENTS / ANSWERED / FULL, "more `deeprepo serve` behind a load balancer"),
    )  # fmt: skip
    stored = reviews * 30 * STORED / 1e6
    return Need(pulls, installations, share, places, processes, machines, stored, requests, content, dollars, limits)


def reached() -> list[tuple[int, Limit]]:
    """Each limit with the pull requests a day at which it is reached, to two digits; the first to give way comes first."""
    sizes = sorted({round(digits * 10**power) for power in range(6) for digits in range(10, 100)})
    found: dict[str, tuple[int, Limit]] = {}
    for pulls in sizes:
        for limit in need(pulls).limits:
            if limit.used >= 1:
                found.setdefault(limit.what, (pulls, limit))
    return sorted(found.values(), key=lambda each: each[0])


def placed(load: float) -> int:
    """The fewest places with which 95 of 100 reviews wait at most `WAIT`, if so many places are busy in the mean."""
    places = math.floor(load) + 1
    while late(places, load) > 0.05:
        places += 1
    return places


def late(places: int, load: float) -> float:
    """The share of reviews that wait longer than `WAIT`: Erlang's C, if arrivals are random and times are exponential."""
    blocked = 1.0  # Erlang's B, place by place
    for place in range(1, places + 1):
        blocked = load * blocked / (place + load * blocked)
    waiting = blocked / (1 - load / places * (1 - blocked))
    return waiting * math.exp(-(places - load) * WAIT / REVIEW)


def _short(value: float) -> str:
    """Two digits."""
    return f"{float(f'{value:.2g}'):,g}"


if __name__ == "__main__":
    raise SystemExit(main())
