"""What the pages show: failures as they happen, a review while it runs, figures as people read them."""

import asyncio
import json
import re
from pathlib import Path

from serving import Served, pull, served, settings
from waits import patience

from bot.app import operator
from bot.app.operator import views
from bot.errors import GitError
from bot.render import forms
from bot.values import Ask, ReviewAsk
from bot.workflow.jobs import Job


def call(role: str, at: str, usd: float | None = 0.5, **more: object) -> dict[str, object]:
    """A call's line."""
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
    {"kind": "review"},  # the same change once more: what went before was another review
    {"kind": "strategy", "name": "rlm"},
    {"kind": "message", "text": "a prompt"},
    *[{"kind": "request"}] * 4,
    call("root", "root:1", reply={"text": "code"}),
    call("worker", "root:1", usd=0.25),
    call("verify", "", usd=None, error="it timed out"),
    {"kind": "turn", "run": "root", "number": 1, "seconds": 1.0, "outcome": "ok"},
)
LINES = [json.dumps(row).encode() for row in ROWS]


def test_a_trace_is_of_the_last_review_and_adds_up() -> None:
    """Calls by role and by turn, what failed, what is in flight; an unknown price makes a sum unknown. A line that is cut off does not count."""
    found = views.read_trace([*LINES, b'{"kind": "call", "ro'])
    assert (found.strategy, found.flying) == ("rlm", 1)
    assert [(name, row.calls, row.failures, row.usd) for name, row in found.roles.items()] == [
        ("root", 1, 0, 0.5),
        ("workers", 1, 0, 0.25),
        ("second opinions", 1, 1, None),
    ]
    assert (found.whole.calls, found.whole.input, found.whole.usd) == (3, 300, None)
    assert [(turn.name, turn.calls.calls, turn.calls.usd) for turn in found.turns] == [("root:1", 2, 0.75)]


def test_what_fails_is_listed_with_its_sentence_and_a_running_review_with_its_trace(tmp_path: Path) -> None:
    """A job that is given up, and one that is under way, as their pages show them."""
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
        """It is heard of on the page."""
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
            for _ in range(500):  # the one that is given up ends after its sentence
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
    """The links to reviews that run, as the page of the queue has them."""
    return re.findall(r'href="(/reviews/review~[^"]+)"', (await server.http.get("/queue")).text)


def test_dollars_below_a_cent_say_something() -> None:
    """And what nobody knows is a dash."""
    assert [forms.usd(value) for value in (None, 0.0, 0.0021, 0.1, 1234.5)] == [
        forms.NONE,
        "$0",
        "$0.0021",
        "$0.10",
        "$1,234.50",
    ]
