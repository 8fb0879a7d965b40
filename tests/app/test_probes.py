import asyncio
import json
import os
import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from raw_server import raw_server
from serving import SECRET, key, pull, served, settings
from waits import patience

from bot.app import RunningServer
from bot.app.checks import checks
from bot.app.readiness import CachedCheck
from bot.errors import StorageError, UsageError, public
from bot.values import Coverage, PullRequest, Review, StrategyChoice
from deeprepo.rlm.values import Cost, Usage
from deeprepo_sandbox import github as sandbox


def figures(text: str) -> dict[str, float]:
    """Return our own series from /metrics."""
    rows = (line.rpartition(" ") for line in text.splitlines() if line.startswith("deeprepo_"))
    return {name: float(value) for name, _, value in rows}


def unusable(opened: RunningServer, database: Path) -> None:
    """Replace the database file with a folder."""
    opened.store.database.engine.dispose()
    for each in database.parent.glob(f"{database.name}*"):
        each.unlink()
    database.mkdir()


async def test_server_reports_liveness_and_readiness(tmp_path: Path) -> None:
    """A server is ready as long as it can store deliveries. Anything else is a warning without a path."""
    async with served(settings(tmp_path)) as server:
        alive = await server.http.get("/healthz")
        assert (alive.status_code, alive.json()["alive"]) == (200, True)
        unusable(server.opened, tmp_path / "deeprepo.db")
        ready = await server.http.get("/readyz")
        assert (ready.status_code, ready.json()["reason"]) == (200, "")
        assert re.search(r"the database cannot be written \(\d{4}-\d\d-\d\d \d\d:\d\d UTC\)", ready.json()["warning"])
    assert str(tmp_path) not in ready.text


async def test_locked_job_database_makes_a_server_unready(tmp_path: Path) -> None:
    """A delivery that could not be stored in time is what 503 means."""
    async with served(settings(tmp_path)) as server:
        with closing(sqlite3.connect(tmp_path / "jobs.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            ready = await server.http.get("/readyz", timeout=patience(20))
        assert (ready.status_code, ready.json()["reason"]) == (503, "the job database cannot be written")


async def test_check_that_fails_is_a_warning() -> None:
    """A database that stops answering never turns the probe's answer into an internal error."""

    async def fail() -> str:
        raise StorageError("gone")

    assert (await CachedCheck(fail, 2.0, "the job database").warning()).startswith("the job database does not answer (")


async def test_rejected_github_key_is_a_warning(tmp_path: Path) -> None:
    """The probe and `serve --check` report a rejected key. A silent GitHub is not a rejection."""
    async with sandbox.github(tmp_path / "gh", webhook=None, secret=SECRET) as gh:
        names = {"app_id": gh.app_id, "private_key": gh.private_key, "webhook_secret": gh.secret}
        async with served(settings(tmp_path / "good", github_api=gh.api, **names)) as server:
            ready = await server.http.get("/readyz")
            assert (ready.status_code, ready.json()) == (200, {"ready": True, "reason": ""})
        other = settings(tmp_path / "bad", github_api=gh.api, **{**names, "private_key": key()})
        async with served(other) as server:
            told = await server.http.get("/readyz")
            assert (told.status_code, told.json()["ready"]) == (200, True)
            assert told.json()["warning"].startswith("GitHub rejected the App's key at ")
        (line,) = [each for each in await checks(other, lambda: (None, None)) if each.what == "GitHub App"]
        assert not line.works


@pytest.mark.parametrize(
    ("hours", "words"), [(-2, "120 minutes ahead of GitHub's"), (2, "120 minutes behind GitHub's")]
)
async def test_wrong_clock_is_named(hours: int, words: str, tmp_path: Path) -> None:
    """If GitHub's clock differs, the clock is what the warning names."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        date = format_datetime(datetime.now(UTC) + timedelta(hours=hours), usegmt=True)
        body = b'{"message": "the claim (iat) is invalid"}'
        head = f"HTTP/1.1 401 Unauthorized\r\nDate: {date}\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)

    async with raw_server(refuse) as port, served(settings(tmp_path, github_api=f"http://127.0.0.1:{port}")) as server:
        assert f"this machine's clock is {words}" in (await server.http.get("/readyz")).json()["warning"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("fatal: cannot open '/srv/deeprepo/store/pack': denied", "fatal: cannot open '…': denied"),
        ("run `/opt/a b/bin/pip` in the clone /opt/deeprepo", "run `… b/bin/pip` in the clone …"),
        ("GET https://api.github.com/repos/acme/shop with 404", "GET https://api.github.com/repos/acme/shop with 404"),
        ("src/shop/cart.py and ./a/b.py, 3/4 of ../x/y", "src/shop/cart.py and ./a/b.py, 3/4 of ../x/y"),
    ],
)
def test_public_error_contains_no_server_path(text: str, shown: str) -> None:
    """URLs and paths inside a repository stay."""
    assert public(UsageError(text)) == shown


async def test_server_serves_only_the_operators_pages(tmp_path: Path) -> None:
    """Only the operator's pages exist; after the set-up, the set-up page's addresses redirect to them."""
    async with served(settings(tmp_path)) as server:
        pages = [
            (await server.http.get(path)).status_code
            for path in ("/docs", "/redoc", "/setup", "/setup/done?code=x&state=y", "/", "/openapi.json")
        ]
        assert pages == [404, 404, 303, 303, 303, 404]
        assert (await server.http.get("/")).headers["location"] == "/signin"


async def test_metrics_count_deliveries_jobs_reviews_and_costs(tmp_path: Path) -> None:
    """Metrics cover deliveries by event and outcome, unknown events as "other", jobs, reviews and costs."""
    async with served(settings(tmp_path, debounce=60.0)) as server:
        await server.deliver(pull(action="synchronize"), guid="a")
        await server.deliver(pull(action="synchronize"), guid="a")
        await server.deliver({}, "invented_by_a_stranger")
        await server.http.post("/webhook", content=b"{}")
        change = PullRequest("", "", "b" * 40, "c" * 40, "main", "f", "")
        cost = Cost(calls=3, usage=Usage(1000, 50), usd=0.25, failed_calls=1)
        server.opened.metrics.review(Review(change, (), StrategyChoice("parts"), (), Coverage(), cost, 1.0), "clean")
        server.opened.metrics.github(403, 17)
        told = await server.http.get("/metrics")
        assert told.headers["content-type"].startswith("text/plain")
        expected = {
            'deeprepo_deliveries_total{event="pull_request",outcome="queued"}': 1,
            'deeprepo_deliveries_total{event="pull_request",outcome="known"}': 1,
            'deeprepo_deliveries_total{event="other",outcome="ignored"}': 1,
            'deeprepo_deliveries_total{event="other",outcome="refused 401"}': 1,
            "deeprepo_ack_seconds_count": 3,
            'deeprepo_jobs{state="delayed"}': 1,
            'deeprepo_reviews_total{conclusion="clean"}': 1,
            "deeprepo_findings_posted_total": 0,
            "deeprepo_spent_dollars_total": 0.25,
            'deeprepo_tokens_total{kind="input"}': 1000,
            'deeprepo_github_requests_total{status="403"}': 1,
            "deeprepo_github_rate_remaining": 17,
            "deeprepo_model_errors_total": 1,
            'deeprepo_findings_outcome{outcome="fixed"}': 0,
        }
        found = figures(told.text)
        assert {name: found.get(name) for name in expected} == expected


def test_files_on_disk_are_readable_only_by_the_server(tmp_path: Path) -> None:
    """Only the server's user can read the folder and its files, and no file contains the App's secrets."""
    given = settings(tmp_path / "data")

    async def go() -> None:
        async with served(given) as server:
            await server.deliver(pull())

    old = os.umask(0o022)
    try:
        asyncio.run(go())
    finally:
        os.umask(old)
    found = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert (tmp_path / "data").stat().st_mode & 0o077 == 0
    assert [path.name for path in found if path.stat().st_mode & 0o077] == []
    held = b"".join(path.read_bytes() for path in found)
    assert [
        secret for secret in given.secrets() if secret.encode()[:40] in held or json.dumps(secret).encode() in held
    ] == []
