"""GitHub fails while a review is running: the state in which each pull request ends up."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from families import few
from whole import BROKEN, WORSE, Whole

from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github import Fault

Act = Callable[[Whole], Awaitable[None]]
BEFORE_POSTING = r"/issues/1/comments$"  # requested after the review is done, between two checks of the head


def posted_once(at: Whole, number: int) -> bool:
    """Return whether there is exactly one summary and no line has two comments."""
    stands = at.gh.pull(number)
    places = [(c.path, c.line) for c in stands.review_comments]
    return len([c for c in stands.comments if "## deeprepo" in c.body]) == 1 and len(places) == len(set(places))


@pytest.mark.parametrize(
    ("method", "path", "fault"),
    few(
        [
            ("GET", r"/pulls/1$", Fault(status=401)),
            ("POST", r"/pulls/1/(reviews|comments)$", Fault(status=401)),
            ("POST", r"/issues/1/comments$", sandbox.secondary(retry_after=0)),
            ("GET", r"/compare/", Fault(status=500)),
            ("POST", r"/check-runs$", Fault(status=502, after=True)),
            ("PATCH", r"/check-runs/", Fault(status=502, after=True)),
            ("POST", r"/pulls/1/reviews$", Fault(status=502, after=True)),
            ("POST", r"/issues/1/comments$", Fault(status=502, after=True)),
            ("POST", r"/issues/1/comments$", Fault(drop=True)),
            ("POST", r"/issues/1/comments$", Fault(drop=True, after=True)),
            ("POST", r"/access_tokens$", Fault(status=502)),
            ("POST", r"/issues/1/comments$", Fault(hang=True, after=True)),
            ("GET", r"/acme/shop.git/", Fault(status=503)),
        ],
        0,
        12,
    ),
    ids=lambda value: None if not isinstance(value, str) else value.strip("$/"),
)
async def test_transient_fault_does_not_change_the_final_result(
    at: Whole, method: str, path: str, fault: Fault
) -> None:
    """Whether or not GitHub stored the write before failing: one summary, each comment once, one check run."""
    met = asyncio.Event()
    at.server.pace.timeout = 1.5 if fault.hang else 30.0
    at.gh.fail(method, path, replace(fault, run=_noted(met)))
    number = await at.reviewed(files=WORSE)
    stands = at.gh.pull(number)

    assert met.is_set()
    assert posted_once(at, number)
    assert len(stands.review_comments) == 2
    assert "2 findings" in at.summary(number)
    assert [(c.status, c.conclusion) for c in stands.checks] == [("completed", "neutral")]


def _noted(met: asyncio.Event) -> Callable[[], Awaitable[None]]:
    async def note() -> None:
        met.set()

    return note


async def _pushed(at: Whole) -> None:
    await at.repo.push("feature", {"NEWS.md": "one\n"})


async def _forced(at: Whole) -> None:
    await at.repo.force_push("feature", {**BROKEN, "NEWS.md": "other\n"})


@pytest.mark.parametrize("act", few([_pushed, _forced], 0), ids=["pushed", "force-pushed"])
async def test_only_the_newest_head_gets_a_review(at: Whole, act: Act) -> None:
    """The head moves while the first review is being posted: only the new head gets a review."""
    at.gh.fail("GET", BEFORE_POSTING, Fault(status=None, after=True, run=lambda: act(at)))
    number = await at.opened()
    old = at.gh.pull(number).head_sha
    await at.quiet()
    new = at.gh.pull(number).head_sha

    assert old != new
    assert posted_once(at, number)
    assert new[:7] in at.summary(number) or f'"head": "{new}"' in at.summary(number)
    every = at.gh.pull(number).repository.checks.values()
    assert {c.status for c in every} == {"completed"}
    assert [c.conclusion for c in every if c.head == new] == ["neutral"]


@pytest.mark.slow
async def test_locked_conversation_loses_no_finding(at: Whole) -> None:
    """While comments are refused, the check run has the whole review; the next summary reports it again."""
    at.gh.fail("POST", r"/issues/1/comments$", Fault(status=403, message="The issue is locked.", times=-1))
    number = await at.opened()
    await at.quiet()
    check = max(at.gh.pull(number).checks, key=lambda one: one.id)
    assert (check.conclusion, check.title) == ("neutral", "1 finding (1 high).")
    assert "shop/cart.py:5" in (check.text or "")
    at.gh.world.faults.clear()
    await at.pushed({"NEWS.md": "one\n"})
    assert "1 finding" in at.summary(number)
