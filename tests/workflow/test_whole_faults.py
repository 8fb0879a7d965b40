"""What goes wrong at GitHub while a review is under way, and the state in which each ends."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from whole import BROKEN, Whole, whole

from bot import sandbox
from bot.sandbox import Fault

Act = Callable[[Whole], Awaitable[None]]


def posted_once(at: Whole, number: int) -> bool:
    """The finding is said in one place, and there is one summary."""
    stands = at.gh.pull(number)
    return len([c for c in stands.comments if "## deeprepo" in c.body]) == 1


@pytest.mark.parametrize(
    ("method", "path", "fault"),
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
        ("GET", r"/acme/shop.git/", Fault(status=503)),
    ],
    ids=lambda value: None if not isinstance(value, str) else value.strip("$/"),
)
def test_a_passing_fault_changes_nothing_in_the_end(tmp_path: Path, method: str, path: str, fault: Fault) -> None:
    """Whether the write was stored before the answer was lost or not: one summary, one finding, a check run that is ended."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            at.gh.fail(method, path, fault)
            number = await at.reviewed()
            stands = at.gh.pull(number)

            assert posted_once(at, number)
            assert "1 finding" in at.summary(number)
            assert [(c.status, c.conclusion) for c in stands.checks] == [("completed", "neutral")]

    asyncio.run(go())


async def _closed(at: Whole) -> None:
    await at.repo.close(1)


async def _pushed(at: Whole) -> None:
    await at.repo.push("feature", {"NEWS.md": "one\n"})


async def _forced(at: Whole) -> None:
    await at.repo.force_push("feature", {**BROKEN, "NEWS.md": "other\n"})


@pytest.mark.parametrize("act", [_pushed, _forced], ids=["pushed", "force-pushed"])
def test_a_head_that_moves_gets_the_only_review(tmp_path: Path, act: Act) -> None:
    """While the first review is being posted the head moves: nothing is said of the old one but that it is superseded."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            at.gh.fail("GET", r"/pulls/1$", Fault(status=None, after=True, skip=1, run=lambda: act(at)))
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


def test_a_pull_request_that_is_closed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    """Its review is cancelled, and its check run says so."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            at.gh.fail("GET", r"/pulls/1$", Fault(status=None, after=True, skip=1, run=lambda: _closed(at)))
            number = await at.opened()
            await at.until(lambda: [c.conclusion for c in at.gh.pull(number).checks] == ["cancelled"])
            await at.quiet()

            assert at.gh.pull(number).comments == []
            assert "closed" in (at.gh.pull(number).checks[0].summary or "")

    asyncio.run(go())


def test_a_repository_that_is_gone_ends_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing can be said where nothing is left; the log has the sentence, and the server goes on."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            with at.gh.holding() as held:
                await at.opened()
            at.repo.delete()
            for delivery in held:
                await at.gh.deliver(delivery)
            await at.quiet()
            assert (await at.server.jobs.healthy())[0]

    asyncio.run(go())
    assert any("404" in str(vars(record)) or "no such" in str(vars(record)) for record in caplog.records)


@pytest.mark.parametrize("act", ["fork deleted", "base moved", "token expired"])
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


async def _expired(at: Whole) -> None:
    at.gh.revoke_tokens()
