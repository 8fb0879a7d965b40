"""A bar that the owner sets after a review reaches what the review found, wherever it decides: no new finding is needed."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from families import few
from whole import Whole, whole

Event = Callable[[Whole, int], Awaitable[str]]
CHECK = "checks: [{name: Notes, ask: 'Does NEWS.md tell users of it?', severity: fail}]\n"


def shown(at: Whole, number: int) -> str:
    """The conclusion of the newest check run on the head."""
    return str(max(at.gh.pull(number).checks, key=lambda check: check.id).conclusion)


async def reopened(at: Whole, number: int) -> str:
    """Its author closes it and opens it again."""
    await at.repo.close(number, by="stranger")
    await at.repo.reopen(number, by="stranger")
    await at.quiet()
    return shown(at, number)


async def ready(at: Whole, number: int) -> str:
    """Its author makes it a draft and takes that back."""
    await at.repo.set_draft(number, draft=True, by="stranger")
    await at.quiet()
    await at.repo.set_draft(number, draft=False, by="stranger")
    await at.quiet()
    return shown(at, number)


async def left_out(at: Whole, number: int) -> str:
    """A push to a draft, which nobody reviews."""
    await at.repo.set_draft(number, draft=True, by="stranger")
    await at.repo.push("feature", {"NEWS.md": "More.\n"})
    await at.quiet()
    return shown(at, number)


async def queued(at: Whole, number: int) -> str:
    """A merge queue asks for its own commit."""
    commit = await at.repo.commit(f"gh-readonly-queue/main/pr-{number}", {"NEWS.md": "One.\n"})
    await at.repo.merge_group(commit, at.gh.pull(number).base_sha)
    await at.quiet()
    (ending,) = {str(one.conclusion) for one in at.repo.repository.checks.values() if one.head == commit}
    return ending


@pytest.mark.parametrize(
    ("bar", "event", "ending"),
    few(
        [
            ("fail_on: high\n", reopened, "failure"),
            ("fail_on: high\n", ready, "failure"),
            ("fail_on: high\n", queued, "failure"),
            ("fail_on: low\nfail_also: []\n", queued, "failure"),
            ("fail_on: high\nfail_also: []\n", left_out, "failure"),
            (CHECK, queued, "failure"),
            ("fail_on: critical\n", queued, "success"),
            ("fail_on: critical\n", reopened, "neutral"),
            ("fail_on: critical\nfail_also: []\n", left_out, "neutral"),
            ("language: en\n", queued, "success"),
        ],
        0,
        2,
        4,
        6,
    ),
)
def test_a_bar_that_is_set_later_counts(tmp_path: Path, bar: str, event: Event, ending: str) -> None:
    """The finding is of severity high; a bar that it does not reach stops nothing."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            number = await at.reviewed(fork=True, author="stranger")
            assert shown(at, number) == "neutral"
            await at.repo.commit("main", {".deeprepo.yml": bar})
            assert await event(at, number) == ending

    asyncio.run(go())


@pytest.mark.slow
def test_what_people_have_silenced_stops_no_queue_by_a_later_bar(tmp_path: Path) -> None:
    """The stored review is graded with their words."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            number = await at.reviewed()
            await at.repo.comment(number, "/deeprepo ignore 1 agreed", author="maintainer")
            await at.quiet()
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\n"})
            assert await queued(at, number) == "success"

    asyncio.run(go())
