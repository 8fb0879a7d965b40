"""What goes wrong at GitHub while a review is under way, and the state in which each ends."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from families import few
from whole import BROKEN, WORSE, Whole, whole

from bot.values import PullRef
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github import Fault

Act = Callable[[Whole], Awaitable[None]]
BEFORE_POSTING = r"/issues/1/comments$"  # is read when the review is done, between two looks at the head


def posted_once(at: Whole, number: int) -> bool:
    """There is one summary, and no finding has two comments."""
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
def test_a_passing_fault_changes_nothing_in_the_end(tmp_path: Path, method: str, path: str, fault: Fault) -> None:
    """Whether the write was stored before the answer was lost or not: one summary, one finding, a check run that is ended."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            met = asyncio.Event()
            at.server.pace.timeout = 1.5 if fault.hang else 30.0
            at.gh.fail(method, path, replace(fault, run=_noted(met)))
            number = await at.reviewed(files=WORSE)
            stands = at.gh.pull(number)

            assert met.is_set()
            assert posted_once(at, number)
            assert len(stands.review_comments) == 1
            assert "2 findings" in at.summary(number)
            assert [(c.status, c.conclusion) for c in stands.checks] == [("completed", "neutral")]

    asyncio.run(go())


def _noted(met: asyncio.Event) -> Callable[[], Awaitable[None]]:
    async def note() -> None:
        met.set()

    return note


async def _closed(at: Whole) -> None:
    await at.repo.close(1)


async def _pushed(at: Whole) -> None:
    await at.repo.push("feature", {"NEWS.md": "one\n"})


async def _forced(at: Whole) -> None:
    await at.repo.force_push("feature", {**BROKEN, "NEWS.md": "other\n"})


@pytest.mark.parametrize("act", few([_pushed, _forced], 0), ids=["pushed", "force-pushed"])
def test_a_head_that_moves_gets_the_only_review(tmp_path: Path, act: Act) -> None:
    """While the first review is being posted the head moves: nothing is said of the old one but that it is superseded."""

    async def go() -> None:
        async with whole(tmp_path) as at:
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

    asyncio.run(go())


@pytest.mark.slow
def test_a_pull_request_that_is_closed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    """Its review is cancelled, and its check run says so."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            at.gh.fail("GET", BEFORE_POSTING, Fault(status=None, after=True, run=lambda: _closed(at)))
            number = await at.opened()
            await at.until(lambda: [c.conclusion for c in at.gh.pull(number).checks] == ["cancelled"])
            await at.quiet()

            assert at.gh.pull(number).comments == []
            assert "closed" in (at.gh.pull(number).checks[0].summary or "")

    asyncio.run(go())


def test_a_repository_that_is_gone_ends_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing can be said where nothing is left; the log has the sentence, the job is tried a few times more, and the server goes on."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            with at.gh.holding() as held:
                await at.opened()
            at.repo.delete()
            for delivery in held:
                await at.gh.deliver(delivery)
            await at.put_off()
            assert (await at.server.jobs.healthy())[0]

    asyncio.run(go())
    assert any("does not exist" in str(vars(record)) for record in caplog.records)


@pytest.mark.slow
@pytest.mark.parametrize("act", few(["fork deleted", "base moved", "token expired"], 0))
def test_what_changes_between_the_webhook_and_the_review_is_taken_as_it_is(tmp_path: Path, act: str) -> None:
    """A fork that is deleted, a base branch that has moved on, a token that has expired: there is a review all the same."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            with at.gh.holding() as held:
                number = await at.opened(fork=act == "fork deleted")
            if act == "fork deleted":
                await at.repo.delete_fork(number)
            if act == "base moved":
                await at.repo.commit("main", {"NEWS.md": "meanwhile\n"})
            if act == "token expired":
                at.gh.fail("GET", r"/compare/", Fault(status=None, after=True, run=lambda: _expired(at)))
            for delivery in held:
                await at.gh.deliver(delivery)
            await at.quiet()

            assert posted_once(at, number)
            assert "1 finding" in at.summary(number)
            assert "NEWS.md" not in at.summary(number)

    asyncio.run(go())


def test_a_limit_without_a_time_puts_the_review_off(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """GitHub says that it is too much and not for how long: the job sleeps for a minute, on disk, and the log says why."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            at.server.pace.patience = 0.0
            at.gh.fail("POST", r"/issues/1/comments$", sandbox.secondary())
            number = await at.opened()
            await at.put_off()
            assert [c.status for c in at.gh.pull(number).checks] == ["in_progress"]

    asyncio.run(go())
    (facts,) = [vars(r)["facts"] for r in caplog.records if r.message == "a job is put off"]
    assert (facts["seconds"], "asks to wait" in facts["reason"]) == (60.0, True)


@pytest.mark.slow
def test_a_review_that_is_called_off_while_it_waits_leaves_no_open_check_run(tmp_path: Path) -> None:
    """It was put off with its check run in progress, and never runs again: the check run is ended all the same."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            at.server.pace.patience = 0.0
            at.gh.fail("POST", r"/issues/1/comments$", sandbox.secondary(retry_after=1))
            number = await at.opened()
            await at.put_off()
            await at.repo.close(number)
            await at.quiet()

            assert [(c.status, c.conclusion) for c in at.gh.pull(number).checks] == [("completed", "cancelled")]
            assert await at.server.store.checks.of(PullRef(0, at.repo.id, "", "", number)) == ()

    asyncio.run(go())


@pytest.mark.slow
def test_a_locked_conversation_loses_no_finding(tmp_path: Path) -> None:
    """Where no comment is taken the check run holds the whole review, and the next round says again what was not said."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            at.gh.fail("POST", r"/issues/1/comments$", Fault(status=403, message="The issue is locked.", times=-1))
            number = await at.opened()
            await at.put_off()  # all tries take three quarters of a minute
            await at.quiet()
            check = max(at.gh.pull(number).checks, key=lambda one: one.id)
            assert (check.conclusion, check.title) == ("neutral", "1 finding (1 high).")
            assert "shop/cart.py:5" in (check.text or "")
            assert "The issue is locked" in (check.summary or "")
            at.gh.world.faults.clear()
            await at.repo.push("feature", {"NEWS.md": "one\n"})
            await at.quiet()
            assert "1 finding" in at.summary(number)

    asyncio.run(go())


def test_a_branch_that_shares_nothing_with_its_base_is_told_so(tmp_path: Path) -> None:
    """There is no merge base to compare with: the check run says it, and commands are answered."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            await sandbox.git.commit(at.repo.repository.git, "orphan", None, {"a.py": "x = 1\n"}, "First", "colleague")
            number = await at.repo.open_pull("orphan")
            await at.quiet()
            (check,) = at.gh.pull(number).checks
            assert (check.conclusion, "shares no commit with main" in (check.summary or "")) == ("neutral", True)
            await at.repo.comment(number, "/deeprepo help")
            await at.quiet()
            assert len(at.replies(number)) == 1

    asyncio.run(go())


async def _expired(at: Whole) -> None:
    at.gh.revoke_tokens()
