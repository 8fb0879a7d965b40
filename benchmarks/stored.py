"""A server's database filled with many reviews, as months of work leave it: uneven repositories, busy weekdays, real sizes."""

import json
import math
import random
import time
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa

from bot.storage import FinishedReview, Store, StoredFinding
from bot.storage.days import DAY
from bot.storage.reviews import ReviewEnding, State
from bot.values import PullRef

ACCOUNTS = ("acme", "globex", "initech", "umbrella", "hooli", "stark", "wayne", "tyrell")
NAMES = (
    "shop",
    "api",
    "web",
    "billing",
    "search",
    "infra",
    "mobile",
    "docs",
    "auth",
    "ledger",
    "mail",
    "graph",
    "etl",
    "sdk",
)
TITLES = (
    "Round prices once, at the end",
    "Cache the exchange rates for an hour",
    "Retry uploads that time out",
    "Move the session store to PostgreSQL",
    "Reject orders without a carrier",
    "Drop support for the old export format",
    "Show the tax of each line",
    "Fix the flaky test of the nightly run",
    "Let a customer change the address of an open order",
    "Read settings from one place",
)
SENTENCES = (
    "The discount is applied twice",
    "A caller still passes two arguments",
    "The lock is never released",
    "None reaches int()",
)
SEVERITIES = ("critical", "high", "high", "medium", "medium", "medium", "low")
OUTCOMES: tuple[ReviewEnding, ...] = (
    ("clean",) * 52 + ("findings",) * 38 + ("partial",) * 7 + ("provider",) * 2 + ("interrupted",)
)
STATES: tuple[State, ...] = ("posted", "posted", "open", "fixed", "fixed", "fixed", "suppressed", "listed")
BATCH = 1000
SIZE = 6_000  # characters of a review's JSON beside its findings


def reviews(count: int, days: int, seed: int = 7) -> Iterator[FinishedReview]:
    """So many reviews over so many days, oldest first."""
    chance, now = random.Random(seed), time.time()  # noqa: S311 - a sample
    repositories = [
        (7 + account, 100 * (account + 1) + number, owner, name)
        for account, owner in enumerate(ACCOUNTS)
        for number, name in enumerate(NAMES)
    ]
    weights = [1 / (rank + 1) ** 0.9 for rank in range(len(repositories))]
    moments = sorted(_moment(chance, now, days) for _ in range(count))
    for number, finished in enumerate(moments):
        installation, repository, owner, name = chance.choices(repositories, weights)[0]
        yield _review(chance, number, finished, PullRef(installation, repository, owner, name, 1 + number // 3 % 4000))


def _moment(chance: random.Random, now: float, days: int) -> float:
    while True:
        moment = now - chance.random() * days * DAY
        weekday = int(moment // DAY + 4) % 7  # 0 is Sunday
        if chance.random() < (0.15 if weekday in {0, 6} else 0.75 + 0.05 * weekday):
            return moment


def _review(chance: random.Random, number: int, finished: float, pull: PullRef) -> FinishedReview:
    state = chance.choice(OUTCOMES)
    found = 0 if state == "clean" else chance.choice((1, 1, 2, 2, 3, 5))
    model = chance.random() < 0.8
    rows = [_finding(chance, number, place) for place in range(found)]
    usd = None if model and chance.random() < 0.01 else round(chance.lognormvariate(-3.2, 0.8), 4) if model else 0.0
    title = chance.choice(TITLES)
    return FinishedReview(
        id=f"review~{pull.key}~{number:08x}-0000-4000-8000-{number:012x}",
        pull=pull,
        head=f"{zlib.crc32(str(number).encode()):08x}" * 5,
        trigger=chance.choice(("opened", "push", "push", "push", "command", "ready")),
        round=1 + number % 3,
        started=finished - min(chance.lognormvariate(math.log(38 if model else 4), 0.7), 3000),
        finished=finished,
        conclusion="success" if state == "clean" else "neutral",
        strategy=chance.choice(("fanout", "cascade", "direct", "rlm")) if model else "offline",
        calls=chance.randrange(3, 40) if model else 0,
        tokens=chance.randrange(8_000, 200_000) if model else 0,
        usd=usd,
        output=_output(chance, title, rows, state),
        findings=tuple(
            StoredFinding(
                row["fingerprint"], chance.choice(STATES), row["severity"], "logic", "worker", row["path"], row["title"]
            )
            for row in rows
        ),
        title=title,
        state=state,
        found=found,
        still=chance.randrange(3) if state != "clean" else 0,
        fixed=chance.randrange(2),
    )


def _finding(chance: random.Random, number: int, place: int) -> dict[str, str]:
    severity, title = chance.choice(SEVERITIES), chance.choice(SENTENCES)
    more = {"path": f"src/part{place}/module.py", "verdict": chance.choice(("proven", "confirmed", "unproven"))}
    return {
        "fingerprint": f"{number:x}-{place}",
        "severity": severity,
        "title": title,
        "start": str(10 + place),
        **more,
    }


def _output(chance: random.Random, title: str, rows: list[dict[str, str]], state: str) -> bytes:
    counts = {
        "reviewed": chance.randrange(4, 60),
        "unread": chance.randrange(1, 6) if state == "partial" else 0,
        "skipped": chance.randrange(3),
    }
    readings = [
        {"kind": kind, "path": f"src/{n}.py", "state": name}
        for name, many in counts.items()
        for n in range(many)
        for kind in ("unit", "use")
    ]
    said = {
        "pull": {"title": title},
        "findings": rows,
        "still": [],
        "fixed": [],
        "coverage": {"readings": readings},
        "cost": {"failed_calls": 0},
    }
    return json.dumps(said | {"turns": "x" * SIZE}).encode()


def _ended(done: FinishedReview) -> Mapping[str, str]:
    """What became of the findings: pull requests are closed after a week, and what was silenced was rejected."""
    old = done.finished < time.time() - 7 * 86_400
    kept = {mark: "left" if old and state == "waiting" else state for mark, state in done.outcomes.items()}
    return kept | {one.fingerprint: "rejected" for one in done.findings if one.state == "suppressed"}


async def fill(store: Store, count: int, days: int) -> None:
    """Store the reviews as the server does, with the sums of their days, a thousand in a transaction."""
    from bot.storage import days as sums
    from bot.storage.tables import day, finding, outcome, owner_columns, review

    batch: list[FinishedReview] = []
    totals: dict[tuple[int, ...], dict[str, Any]] = {}

    def do(connection: sa.Connection) -> None:
        rows, found, ended = [], {}, []
        for done in batch:
            row = {column.name: getattr(done, column.name) for column in review.c if hasattr(done, column.name)}
            row |= {
                **owner_columns(done.pull),
                "name": f"{done.pull.owner}/{done.pull.name}",
                "number": done.pull.number,
            }
            rows.append(row)
            key, adds = sums.one(row)
            total = totals.setdefault(tuple(key.values()), {**key, **dict.fromkeys(adds, 0)})
            total |= {name: total[name] + value for name, value in adds.items()}
            total |= {"name": row["name"], "last": row["finished"]}
            for known in done.findings:
                facts = {name: getattr(known, name) for name in known.__dataclass_fields__}
                more = {"first": 1, "last": 1, "seen": done.finished}
                found[done.pull.key, known.fingerprint] = {**owner_columns(done.pull), **facts, **more}
            ended += [
                {**owner_columns(done.pull), "fingerprint": mark, "state": state, "at": done.finished}
                for mark, state in _ended(done).items()
            ]
        connection.execute(sa.insert(review), rows)
        if found:
            connection.execute(sa.insert(finding), list(found.values()))
        if ended:
            kept = {(row["pull"], row["fingerprint"]): row for row in ended}
            connection.execute(sa.insert(outcome), list(kept.values()))

    for done in reviews(count, days):
        batch.append(done)
        if len(batch) == BATCH:
            await store.database.run(do)
            batch.clear()
    if batch:
        await store.database.run(do)
    await store.database.run(lambda connection: connection.execute(sa.insert(day), list(totals.values())))
