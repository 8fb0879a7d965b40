"""A word that is taken back reaches the check of every open pull request, whatever becomes of its page and whatever was reviewed last."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from families import few
from test_whole_later_bars import PLAIN, queued, reopened, shown, silenced_by_a_rule
from whole import Whole, whole

from bot.app import rounds
from bot.values import PullRef
from deeprepo_sandbox.github import Fault

Before = Callable[[Whole, int], Awaitable[object]]
LENIENT = "fail_on: low\nfail_also: []\n"
MINE = {"shop/mine.py": 'COLOURS = {"red": 1, "red": 2}\n'}


async def taken_back(at: Whole, other: int, rule: str) -> None:
    """Somebody takes the rule back, in another pull request."""
    await at.repo.comment(other, f"/deeprepo rules remove {rule}", author="maintainer")
    await at.quiet()


async def say(at: Whole, number: int, word: str) -> None:
    """A maintainer gives a command."""
    await at.repo.comment(number, f"/deeprepo {word}", author="maintainer")
    await at.quiet()


async def push(at: Whole, files: dict[str, str]) -> None:
    """Push, and wait."""
    await at.repo.push("feature", files)
    await at.quiet()


def refused(method: str, path: str, status: int) -> Before:
    """GitHub refuses one request of each job that follows."""

    async def refuse(at: Whole, number: int) -> None:
        check = max(one.id for one in at.gh.pull(number).checks)
        at.gh.fail(method, path.format(number, check=check), Fault(status, times=2))

    return refuse


async def deleted(at: Whole, number: int) -> None:
    """Somebody deletes the summary."""
    summary = next(one for one in at.gh.pull(number).comments if "## deeprepo" in one.body)
    await at.repo.delete_comment(number, summary.id)
    await at.quiet()


async def paused(at: Whole, number: int) -> None:
    """The head is one that nobody has reviewed."""
    await at.repo.commit("main", {".deeprepo.yml": LENIENT})
    await say(at, number, "pause")
    await push(at, PLAIN)


async def tired(at: Whole, number: int) -> None:
    """So is one after too many pushes."""
    await at.repo.commit("main", {".deeprepo.yml": f"{LENIENT}pause_after: 1\n"})
    await push(at, PLAIN)
    await push(at, {"NEWS.md": "Two.\n"})


async def draft(at: Whole, number: int) -> None:
    """So is one of a draft."""
    await at.repo.commit("main", {".deeprepo.yml": LENIENT})
    await at.repo.set_draft(number, draft=True)
    await push(at, PLAIN)


async def detour(at: Whole, number: int) -> None:
    """The newest review is against another base."""
    await at.repo.commit("dev", PLAIN)
    await at.repo.retarget(number, "dev")
    await at.quiet()
    await say(at, number, "pause")
    await at.repo.retarget(number, "main")
    await at.quiet()


async def raced(at: Whole, number: int) -> None:
    """Somebody closes it, and opens it again while the job of that is at work."""
    is_open = asyncio.Event()

    async def reopen() -> None:
        if not is_open.is_set():
            is_open.set()
            await at.repo.reopen(number)
            await at.gh.settle()
            while sum((await at.server.jobs.counts()).values()) > 1:  # noqa: ASYNC110 - a database tells nobody
                await asyncio.sleep(0.1)

    at.gh.fail("GET", rf"/pulls/{number}/comments", Fault(None, run=reopen))
    await at.repo.close(number)
    await at.quiet()


@pytest.mark.parametrize(
    "before",
    few(
        [
            refused("PATCH", r"/check-runs/{check}$", 403),
            refused("GET", r"/issues/{}/comments$", 403),
            refused("PATCH", r"/issues/comments/", 404),
            refused("GET", r"/pulls/{}$", 404),
            deleted,
            paused,
            tired,
            draft,
            detour,
            raced,
        ],
        0,
        4,
        5,
        8,
    ),
)
def test_a_rule_that_is_taken_back_reaches_the_check(tmp_path: Path, before: Before) -> None:
    """The finding is open again: the check of the head fails, and a queue stops."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            number, rule = await silenced_by_a_rule(at)
            other = await at.reviewed(branch="other", files={"NEWS.md": "Another.\n"})
            await before(at, number)
            assert shown(at, number) in ("success", "neutral")
            await taken_back(at, other, rule)
            assert shown(at, number) == "failure"
            assert await queued(at, number) == "failure"

    asyncio.run(go())


@pytest.mark.slow
def test_a_rule_that_is_taken_back_while_a_review_is_made_under_it(tmp_path: Path) -> None:
    """The pull request had no review yet when those that follow were looked up."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            number, rule = await silenced_by_a_rule(at)
            is_over = asyncio.Event()

            async def remove() -> None:
                if is_over.is_set():
                    return
                is_over.set()
                await at.repo.comment(number, f"/deeprepo rules remove {rule}", author="maintainer")
                while await at.server.store.rules.in_force(at.repo.repository.id):  # noqa: ASYNC110 - a database tells nobody
                    await asyncio.sleep(0.1)

            at.gh.fail("GET", rf"/issues/{number + 1}/comments$", Fault(None, run=remove))
            other = await at.reviewed(branch="two", files=MINE)
            assert is_over.is_set()
            assert (shown(at, number), shown(at, other)) == ("failure", "failure")

    asyncio.run(go())


@pytest.mark.parametrize("is_draft", few([False, True], 0))
def test_a_pull_request_whose_opening_was_missed_is_graded_by_the_catch_up(tmp_path: Path, *, is_draft: bool) -> None:
    """It counted as closed when the rule was taken back."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            number, rule = await silenced_by_a_rule(at)
            other = await at.reviewed(branch="other", files={"NEWS.md": "Another.\n"})
            await at.repo.close(number)
            await at.quiet()
            with at.gh.holding():
                await at.repo.reopen(number)
                await at.repo.set_draft(number, draft=is_draft)
            await taken_back(at, other, rule)
            await rounds.catch_up(at.server)
            await at.quiet()
            assert shown(at, number) == "failure"
            pull = PullRef(at.gh.installation, at.repo.repository.id, "acme", "shop", number)
            assert not await at.server.store.reviews.is_closed(pull)

    asyncio.run(go())


@pytest.mark.slow
def test_an_ignored_finding_leaves_the_check_although_its_comment_is_refused(tmp_path: Path) -> None:
    """In the other direction too the check does not depend on the page."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: low\n"})
            number = await at.reviewed(files=MINE)
            at.gh.fail("PATCH", r"/issues/comments/", Fault(403, times=1))
            await say(at, number, "ignore 1 known")
            assert shown(at, number) == "success"

    asyncio.run(go())


@pytest.mark.slow
@pytest.mark.parametrize(("pauses", "bar"), [(False, LENIENT), (True, LENIENT), (True, "fail_on: low\n")])
def test_a_stored_review_that_cannot_be_read_leaves_no_check_green(tmp_path: Path, *, pauses: bool, bar: str) -> None:
    """It is made again, or where reviews are paused, ended as the settings say of what nobody knows."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            number, rule = await silenced_by_a_rule(at)
            other = await at.reviewed(branch="other", files={"NEWS.md": "Another.\n"})
            await at.repo.commit("main", {".deeprepo.yml": bar})
            if pauses:
                await say(at, number, "pause")
            pull = PullRef(at.gh.installation, at.repo.repository.id, "acme", "shop", number)
            stored = await at.server.store.reviews.newest(pull)
            assert stored is not None
            facts = at.gh.pull(number)
            place = f'"base": "{facts.base_sha}", "head": "{facts.head_sha}", "base_name": "main"'
            await at.server.store.reviews.rewrite(stored.id, f'{{"pull": {{{place}}}}}'.encode())
            await taken_back(at, other, rule)
            assert shown(at, number) == "failure"
            if pauses and bar != LENIENT:
                assert await reopened(at, number) == "failure"

    asyncio.run(go())


@pytest.mark.slow
def test_a_head_that_nobody_has_reviewed_gets_no_further_check_run_where_nothing_is_open(tmp_path: Path) -> None:
    """The last review is clean with and without the rule."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            number, rule = await silenced_by_a_rule(at)
            other = await at.reviewed(branch="other", files=PLAIN)
            await at.repo.commit("main", {".deeprepo.yml": LENIENT})
            await say(at, other, "pause")
            await at.repo.push("other", {"NEWS.md": "Two.\n"})
            await at.quiet()
            runs = len(at.gh.pull(other).checks)
            assert shown(at, other) == "neutral"
            await taken_back(at, number, rule)
            assert (shown(at, other), len(at.gh.pull(other).checks)) == ("neutral", runs)

    asyncio.run(go())
