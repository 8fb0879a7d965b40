"""What the pages show: failures, a running review, and readable figures."""

import asyncio
import json
import re
from pathlib import Path

from serving import Served, pull, served, settings
from waits import patience

from bot.app import operator
from bot.app.operator import views
from bot.errors import GitError
from bot.render import page_filters
from bot.values import Ask, ReviewAsk
from bot.workflow.jobs import Job


def call(role: str, at: str, usd: float | None = 0.5, **more: object) -> dict[str, object]:
    """Return the journal line of a call."""
    return {
        "kind": "call",
        "role": role,
        "model": "anthropic/m",
        "at": at,
        "seconds": 2.0,
        "usd": usd,
        "usage": [100, 10, 0, 0],
        **more,
    }


ROWS = (
    {"kind": "review"},
    call("root", "root:1"),
    {"kind": "review"},  # a second review of the change; the first does not count
    {"kind": "strategy", "name": "rlm"},
    {"kind": "message", "text": "a prompt"},
    *[{"kind": "request"}] * 4,
    call("root", "root:1", reply={"text": "code"}),
    call("worker", "root:1", usd=0.25),
    call("verify", "", usd=None, error="it timed out"),
    {"kind": "turn", "run": "root", "number": 1, "seconds": 1.0, "outcome": "ok"},
)
LINES = [json.dumps(row).encode() for row in ROWS]


def test_trace_totals_the_calls_of_the_last_review() -> None:
    """A trace counts the last review's calls by role and turn, its failures and open calls.

    An unknown price makes the sum unknown, and an incomplete line is ignored.
    """
    found = views.read_trace([*LINES, b'{"kind": "call", "ro'])
    assert (found.strategy, found.flying) == ("rlm", 1)
    assert [(name, row.calls, row.failures, row.usd) for name, row in found.roles.items()] == [
        ("root", 1, 0, 0.5),
        ("workers", 1, 0, 0.25),
        ("second opinions", 1, 1, None),
    ]
    assert (found.whole.calls, found.whole.input, found.whole.usd) == (3, 300, None)
    assert [(turn.name, turn.calls.calls, turn.calls.usd) for turn in found.turns] == [("root:1", 2, 0.75)]


def test_failed_job_shows_its_reason_and_running_review_its_trace(tmp_path: Path) -> None:
    """One job is given up and another is running, and both are on their pages."""
    journals = tmp_path / "journals"

    async def work(ask: Ask, job: Job) -> None:
        if not isinstance(ask, ReviewAsk):
            return
        if ask.pull.number == 1:
            raise GitError("the repository cannot be fetched: <b>")
        journals.mkdir()
        (journals / "3-2-aaaa-bbbb.jsonl").write_bytes(b"\n".join(LINES) + b"\n")
        started.set()
        await asyncio.Event().wait()

    async def sorry(ask: Ask, why: str) -> None:
        """Record that the job was given up."""
        told.set()

    async def go() -> None:
        given = settings(tmp_path, grace=0.0)
        async with served(given, work, sorry=sorry) as server:
            await server.deliver(pull(1))
            await server.deliver(pull(2))
            async with asyncio.timeout(patience()):
                await told.wait()
                await started.wait()
            token = operator.link(given, "").partition("token=")[2]
            await server.http.post("/signin", data={"token": token})
            live = await _live(server)
            for _ in range(500):  # the failed job ends shortly after its message
                if len(live) == 1:
                    break
                await asyncio.sleep(0.02)
                live = await _live(server)
            assert "the repository cannot be fetched: &lt;b&gt;" in (await server.http.get("/queue")).text
            page = (await server.http.get(live[0])).text
            assert "second opinions" in page
            assert "a prompt" not in page
            assert 'data-live="now"' in page

    told, started = asyncio.Event(), asyncio.Event()
    asyncio.run(go())


async def _live(server: Served) -> list[str]:
    """Return the links to running reviews on the queue's page."""
    return re.findall(r'href="(/reviews/review~[^"]+)"', (await server.http.get("/queue")).text)


def test_amounts_below_a_cent_are_shown() -> None:
    """Unknown amounts are a dash."""
    assert [page_filters.usd(value) for value in (None, 0.0, 0.0021, 0.1, 1234.5)] == [
        page_filters.NONE,
        "$0",
        "$0.0021",
        "$0.10",
        "$1,234.50",
    ]
