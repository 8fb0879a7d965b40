"""One refusal of GitHub is not taken for an absence: no bar falls because a request failed."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from families import few
from whole import BROKEN, Whole, whole

from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github import Fault

BAR = {".deeprepo.yml": "fail_on: high\n"}
ENFORCED = {".deeprepo.yml": "fail_on: high\nenforce: [fail_on]\n"}
Shown = tuple[str, str | None]


def newest(at: Whole, number: int) -> Shown:
    """What a required check has to go by."""
    one = max(at.gh.pull(number).checks, key=lambda check: check.id)
    return one.status, one.conclusion


async def of_the_base(at: Whole, fault: Callable[[], None]) -> Shown:
    """The owner's file on the base branch."""
    await at.repo.commit("main", BAR)
    fault()
    return newest(at, await at.reviewed(fork=True, author="stranger"))


async def of_the_default_branch(at: Whole, fault: Callable[[], None]) -> Shown:
    """The file that bounds a stranger who has chosen another branch."""
    await at.repo.commit("release/1", {"README.md": "# old\n"})
    await at.repo.commit("main", BAR)
    fault()
    return newest(at, await at.reviewed(fork=True, author="stranger", base="release/1"))


async def of_the_organization(at: Whole, fault: Callable[[], None]) -> Shown:
    """The owner's defaults."""
    await at.gh.repository("acme", ".deeprepo", files=ENFORCED, private=True)
    fault()
    return newest(at, await at.reviewed())


async def of_a_base_that_moved(at: Whole, fault: Callable[[], None]) -> Shown:
    """The bar came to the base branch after the pull request was opened."""
    number = await at.reviewed(draft=True, fork=True, author="stranger")
    await at.repo.commit("main", BAR)
    fault()
    await at.repo.set_draft(number, draft=False, by="stranger")
    await at.quiet()
    return newest(at, number)


async def of_a_queue(at: Whole, fault: Callable[[], None]) -> Shown:
    """A merge queue asks for a pull request that nobody has reviewed."""
    tip = await at.repo.commit("main", BAR)
    with at.gh.holding():
        number = await at.opened(draft=True)
    fault()
    sha = await at.repo.commit(f"gh-readonly-queue/main/pr-{number}", BROKEN, "Merge")
    await at.repo.merge_group(sha, tip)
    await at.quiet()
    (one,) = [check for check in at.repo.repository.checks.values() if check.head == sha]
    return one.status, one.conclusion


Place = Callable[[Whole, Callable[[], None]], Awaitable[Shown]]
REFUSED: list[tuple[Place, str, str, Fault]] = [
    (of_the_base, "GET", r"/contents/", Fault(404)),
    (of_the_base, "GET", r"/contents/", Fault(410, times=2)),
    (of_the_default_branch, "GET", r"/contents/", Fault(404, skip=1)),
    (of_the_organization, "GET", r"acme/\.deeprepo$", Fault(404, times=2)),
    (of_the_organization, "GET", r"acme/\.deeprepo$", Fault(403, times=2)),
    (of_the_organization, "GET", r"acme/\.deeprepo/contents", Fault(404)),
    (of_the_organization, "GET", r"acme/\.deeprepo", Fault(502, times=6)),
    (of_a_base_that_moved, "GET", r"/compare/", Fault(404)),
    (of_a_base_that_moved, "GET", r"/compare/", Fault(404, times=2)),
    (of_a_queue, "GET", r"/contents/", Fault(404)),
    (of_a_queue, "GET", r"/compare/", Fault(404)),
]


@pytest.mark.parametrize(("place", "method", "path", "fault"), few(REFUSED, 0, 3, 7, 9))
def test_a_bar_outlives_a_refusal(tmp_path: Path, place: Place, method: str, path: str, fault: Fault) -> None:
    """What may set one is asked for again, and nothing passes as long as GitHub does not give it."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            assert await place(at, lambda: at.gh.fail(method, path, fault)) == ("completed", "failure")

    asyncio.run(go())


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 3])
def test_a_pull_request_that_waits_stops_its_commit_though_the_list_is_refused(tmp_path: Path, times: int) -> None:
    """Which pull requests have this head is not known then: nothing is shown that another may forbid."""

    async def go() -> None:
        async with whole(tmp_path, debounce=600.0) as at:
            await at.repo.commit("old", {**BAR, "README.md": "# old\n"})
            await at.repo.commit("main", BAR)
            sha = await at.repo.commit("feature", {"README.md": "# hello\n"})
            one = await at.repo.open_pull("feature", title="fine")
            await at.quiet()
            await sandbox.git.point(at.repo.repository.git, "refs/heads/same", sha)
            two = await at.repo.open_pull("same", base="old", title="waits", fork=True, author="stranger")
            await at.repo.retarget(two, "main", by="stranger")
            await at.until(lambda: newest(at, one)[1] is None)
            at.gh.fail("*", r"/graphql$", Fault(403, times=times))
            await at.repo.close(one)
            await at.repo.reopen(one)
            await asyncio.sleep(4)
            assert newest(at, one)[1] is None

    asyncio.run(go())


def test_what_is_not_there_is_asked_for_once_more(tmp_path: Path) -> None:
    """A repository without the file costs one request for each commit of its base branch, and one review as good as any other."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            asked = []
            for branch in ("one", "two"):
                before = len(at.gh.requests)
                number = await at.opened(branch, {**BROKEN, "NEWS.md": f"{branch}\n"})
                await at.quiet()
                assert newest(at, number) == ("completed", "neutral")
                rows = at.gh.requests[before:]
                asked.append([row for row in rows if "object(expression" in str(row.body)])
            assert [len(rows) for rows in asked] == [1, 0]

    asyncio.run(go())


def test_a_base_branch_that_was_deleted_is_gone(tmp_path: Path) -> None:
    """The commit that it had is compared with, under the settings that it has."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("v1", BAR)
            with at.gh.holding() as held:
                number = await at.opened(base="v1")
            await sandbox.git.point(at.repo.repository.git, "refs/heads/v1", None)
            for delivery in held:
                await at.gh.deliver(delivery)
            await at.quiet()
            assert newest(at, number) == ("completed", "failure")

    asyncio.run(go())


@pytest.mark.slow
@pytest.mark.parametrize("path", [r"acme/\.deeprepo$", r"/contents/", r"/compare/"])
def test_what_stays_refused_before_a_review_is_said_in_a_check_run(tmp_path: Path, path: str) -> None:
    """It may set a bar: the check fails, with the reason and the way out, and nothing was reviewed."""

    async def go() -> None:
        async with whole(tmp_path) as at:
            at.gh.fail("GET", path, Fault(403, times=-1))
            number = await at.opened(fork=True, author="stranger")
            await at.until(lambda: bool(at.gh.pull(number).checks))
            await at.quiet()
            (check,) = at.gh.pull(number).checks
            assert (check.status, check.conclusion) == ("completed", "failure")
            assert "403" in check.title
            assert "/deeprepo review" in check.summary

    asyncio.run(go())
