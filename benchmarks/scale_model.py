"""What a number of pull requests a day needs, and what gives way first. Pure: constants in, figures out.

A constant is measured by a command that its comment names, or is listed below the word Assumptions.
"""

import math
from dataclasses import dataclass

from benchmarks.scale_review import Cost

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

# Measured by other commands.
REVIEW = 25.0  # seconds of a review, mean. Median 14.9 s with models on loopback, to which come the fetch and six writes to GitHub, one a second
DOLLARS = 0.09  # of a review. `deeprepo estimate 90a3537a^..90a3537a` in a clone of pr-agent: 7 files, the strategy that it selects
FETCHED = 2.2  # MB of a review: both commits of a change without history, packed; mean of 12 public repositories
ANSWERED = (
    236.0  # deliveries a second that a server stores and answers. `make bench NAME=server`, PostgreSQL, a burst of 500
)

# GitHub's limits of one installation: docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
REQUESTS = (
    5_000  # an hour; 50 more for each repository and for each user above 20, up to 12,500; 15,000 on Enterprise Cloud
)
POINTS = 900  # a minute: 1 for a request that reads, 5 for one that writes
CONTENT = 500  # comments, reviews and the like an hour

# Defaults of our own: docs/server.md, docs/configuration.md
PLACES = 8  # DEEPREPO_REVIEWS
CAP, CAP_INSTALLATION = 100.0, 50.0  # dollars: DEEPREPO_CAP_USD_PER_DAY, DEEPREPO_CAP_USD_PER_DAY_INSTALLATION
CONNECTIONS = 100  # PostgreSQL's max_connections


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
    rate: float  # reviews a second in the busiest hour
    places: int
    processes: int
    machines: int
    rows: float  # written to the database a second, mean of the day
    polls: float  # commits a second of processes that look for work
    database: float  # cores of it
    requests: float  # of the largest installation in the busiest hour
    content: float  # the same, that creates something
    git: float  # GB a day
    dollars: float  # a day
    stored: float  # GB after the 30 days of the retention
    limits: tuple[Limit, ...]


def need(pulls: int, cost: Cost) -> Need:
    """The figures of one size."""
    installations = max(1, pulls // PULLS)
    share = 1 / math.fsum((rank + 1) ** -UNEVEN for rank in range(installations))
    reviews = pulls * ROUNDS
    rate = reviews * BUSIEST / DAY
    largest = rate * share * HOUR  # its reviews in the busiest hour
    places = placed(rate * REVIEW)
    processes = math.ceil(places / PLACES)
    machines = max(rate * cost.processor / CORES, (places * cost.memory + processes * cost.base) / MEMORY) / FULL
    database = rate * cost.database + processes * cost.idle_database
    requests, content = largest * (cost.reads + cost.writes), largest * cost.content
    dollars = reviews * DOLLARS
    lock = rate * cost.reserve * reviews / 100_000
    apart = "another App for a part of the repositories"
    limits = (
        Limit("dollars of a day", dollars / CAP, "DEEPREPO_CAP_USD_PER_DAY"),
        Limit("dollars of the largest installation", dollars * share / CAP_INSTALLATION, "DEEPREPO_CAP_USD_PER_DAY_INSTALLATION"),
        Limit("places of one process", places / PLACES, "PostgreSQL and more `deeprepo worker`"),
        Limit("one machine for reviews", machines, "workers on more machines"),
        Limit("GitHub: content of the largest installation", content / CONTENT, apart),
        Limit("GitHub: requests of the largest installation", requests / REQUESTS, "GitHub raises it by itself, up to 12,500; then " + apart),
        Limit("GitHub: points a minute of the largest installation", largest / 60 * (cost.reads + 5 * cost.writes) / POINTS, apart),
        Limit("connections to the database", processes * cost.connections / CONNECTIONS, "max_connections; a larger DEEPREPO_REVIEWS"),
        Limit("the database on one machine", database / FULL / CORES, "a larger machine for it"),
        Limit("reservations of budgets, one after the other", lock / FULL, "several servers, each with its own database and App"),
        Limit("deliveries to one server", rate * EVENTS / ANSWERED / FULL, "more `deeprepo serve` behind a load balancer"),
    )  # fmt: skip
    return Need(
        pulls,
        installations,
        share,
        rate,
        places,
        processes,
        math.ceil(machines),
        reviews / DAY * cost.rows,
        processes * cost.idle,
        database,
        requests,
        content,
        reviews * FETCHED / 1000,
        dollars,
        reviews * 30 * cost.stored / 1e6,
        limits,
    )


def reached(cost: Cost) -> list[tuple[int, Limit]]:
    """Each limit with the pull requests a day at which it is reached, to two digits; the first to give way comes first."""
    sizes = sorted({round(digits * 10**power) for power in range(8) for digits in range(10, 100)})
    found: dict[str, tuple[int, Limit]] = {}
    for pulls in sizes:
        for limit in need(pulls, cost).limits:
            if limit.used >= 1:
                found.setdefault(limit.what, (pulls, limit))
        if len(found) == len(need(1, cost).limits):
            break
    return sorted(found.values(), key=lambda each: each[0])


def placed(load: float) -> int:
    """The fewest places with which 95 of 100 reviews wait at most `WAIT`, if so many places are busy in the mean."""
    places = math.floor(load) + 1
    while late(places, load) > 0.05:
        places += 1
    return places


def late(places: int, load: float) -> float:
    """The share of reviews that wait longer than `WAIT`, if so many places are busy in the mean."""
    return waiting(places, load) * math.exp(-(places - load) * WAIT / REVIEW)


def waiting(places: int, load: float) -> float:
    """Erlang's C: the share of those who have to wait, if arrivals are random and times are exponential."""
    blocked = 1.0  # Erlang's B, place by place
    for place in range(1, places + 1):
        blocked = load * blocked / (place + load * blocked)
    return blocked / (1 - load / places * (1 - blocked))
