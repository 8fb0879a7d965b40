"""A push that is not reviewed never turns a failed check into one that passes, at a real server."""

import asyncio
from pathlib import Path

import pytest
from families import few
from whole import BROKEN, Whole, whole

from bot.workflow.keeping import RECENT

BAR = "fail_on: high\nfail_also: [unreviewed, cut, dropped]\n"
PATHS = f"{BAR}triggers: {{paths: ['shop/**']}}\n"
EVENTS = f"{BAR}triggers: {{events: [opened, reopened, ready]}}\n"
SIZE = "fail_on: high\nfail_also: []\ntriggers: {skip_files: 10}\n"
LEAK = {"shop/key.py": 'AWS_KEY = "AKIA' + 'Q3EGWX7YHN2MKLPD"\n'}
MANY = {f"notes/{n}.txt": "x\n" for n in range(12)}
LEFT = "What the last review left open fails this check until a review has looked again."


def newest(at: Whole, number: int) -> tuple[str | None, str]:
    """The conclusion and the title of the check that GitHub takes for the answer of the head."""
    last = max(at.gh.pull(number).checks, key=lambda one: one.id)
    return last.conclusion, last.title or ""


async def leaked_and_retargeted(at: Whole) -> int:
    """A pull request whose review against `main` has failed, now against `v1`, which has no settings."""
    await at.repo.commit("v1", {"README.md": "# old\n"})
    await at.repo.commit("main", {".deeprepo.yml": PATHS})
    number = await at.reviewed(files=LEAK)
    await at.repo.retarget(number, "v1")
    await at.quiet()
    return number


DECLINED = {
    "no event of theirs": (EVENTS, BROKEN, {"NEWS.md": "x\n"}),
    "too many files": (SIZE, LEAK, MANY),
}


@pytest.mark.parametrize("case", few(list(DECLINED), 0, 1))
def test_what_the_last_review_left_open_decides_on_a_head_without_one(tmp_path: Path, case: str) -> None:
    """Whatever has the push left out, and `fail_also` leaves it out too; a person is told what starts a review, which decides again."""
    settings, first, second = DECLINED[case]

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": settings})
            number = await at.reviewed(files=first)
            assert newest(at, number)[0] == "failure"
            for push in (second, {"NEWS.md": "more\n"}):
                await at.repo.push("feature", push)
                await at.quiet()
                ending, title = newest(at, number)
                assert ending == "failure"
                assert "Not reviewed" in title
                assert LEFT in title
                assert "`/deeprepo review`" in title
            await at.repo.comment(number, "/deeprepo review", author="maintainer")
            await at.quiet()
            assert newest(at, number)[0] == "failure"
            assert "Not reviewed" not in newest(at, number)[1]

    asyncio.run(story())


def test_what_was_pushed_over_stands_beside_the_paths(tmp_path: Path) -> None:
    """No file and no commit of the new head is among the paths: it is not reviewed, and what failed still does."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": PATHS})
            number = await at.reviewed()
            assert newest(at, number)[0] == "failure"
            await at.repo.force_push("feature", {"NEWS.md": "x\n"})
            await at.quiet()
            ending, title = newest(at, number)
            assert ending == "failure"
            assert "Not reviewed" in title
            assert LEFT in title

    asyncio.run(story())


def test_a_draft_lets_nothing_pass_that_failed_before(tmp_path: Path) -> None:
    """And once a review finds it mended, pushes that are left out pass again."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\nfail_also: []\n"})
            number = await at.reviewed()
            await at.repo.set_draft(number, True)  # noqa: FBT003 - of the sandbox
            await at.repo.push("feature", {"README.md": "# x\n"})
            await at.quiet()
            assert newest(at, number)[0] == "failure"
            await at.repo.push("feature", {"shop/cart.py": None})
            await at.repo.comment(number, "/deeprepo review", author="maintainer")
            await at.quiet()
            assert newest(at, number)[0] != "failure"
            await at.repo.push("feature", {"README.md": "# y\n"})
            await at.quiet()
            assert newest(at, number)[0] == "neutral"
            assert LEFT not in newest(at, number)[1]

    asyncio.run(story())


@pytest.mark.slow
def test_another_branch_or_another_pull_request_forgets_nothing(tmp_path: Path) -> None:
    """The base branch is changed there and back, and the same branch is opened again: the failure is that of the branch and its base."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            number = await leaked_and_retargeted(at)
            await at.repo.push("feature", {"shop/key.py": None, "README.md": "# x\n"})
            await at.quiet()
            await at.repo.retarget(number, "main")
            await at.quiet()
            assert newest(at, number)[0] == "failure"
            await at.repo.close(number)
            await at.quiet()
            again = await at.repo.open_pull("feature", title="The same branch")
            await at.quiet()
            await at.repo.push("feature", {"NEWS.md": "x\n"})
            await at.quiet()
            assert newest(at, again)[0] == "failure"

    asyncio.run(story())


@pytest.mark.slow
def test_many_reviews_against_another_branch_forget_nothing(tmp_path: Path) -> None:
    """More of them than are read at once stand between the failure and the push that is left out."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            number = await leaked_and_retargeted(at)
            for count in range(RECENT + 1):
                await at.repo.push("feature", {"shop/key.py": None, "shop/new.py": f"x = {count}\n"})
                await at.quiet()
            await at.repo.push("feature", {"shop/new.py": None, "README.md": "# x\n"})
            await at.repo.retarget(number, "main")
            await at.quiet()
            assert newest(at, number)[0] == "failure"

    asyncio.run(story())


@pytest.mark.slow
def test_without_a_bar_or_a_failure_a_push_that_is_left_out_stays_neutral(tmp_path: Path) -> None:
    """What the owner lets pass unreviewed passes where nothing that fails is open."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            for branch, settings, files in (
                ("one", EVENTS, {"shop/new.py": "x = 1\n"}),
                ("two", "triggers: {events: [opened]}\n", LEAK),
            ):
                await at.repo.commit("main", {".deeprepo.yml": settings})
                number = await at.reviewed(branch=branch, files=files)
                await at.repo.push(branch, {**dict.fromkeys(files), "README.md": "# x\n"})
                await at.quiet()
                assert newest(at, number)[0] == "neutral"
                assert LEFT not in newest(at, number)[1]

    asyncio.run(story())
