"""A secret that was committed and taken out again: its pull request is not clean until somebody who may says that it was revoked."""

import asyncio
import random
import string
from pathlib import Path

import histories
import pytest
from families import few
from whole import Whole, whole

LEAK = {"shop/keys.py": 'aws_access_key_id = "AKIA' + 'Q3ZRT5PLMX7WQN2B"\n'}
SAFE = 'import os\n\naws_access_key_id = os.environ["AWS_KEY"]\n'
# What the second round does about it.
WAYS = {
    "a safe line": {"shop/keys.py": SAFE},
    "the file is gone": {"shop/keys.py": None},
    "moved, then gone": {"shop/keys.py": None, "shop/more.py": LEAK["shop/keys.py"]},
}


def green(at: Whole, number: int) -> bool:
    """Whether the newest check run on the head says so."""
    return max(at.gh.pull(number).checks, key=lambda check: check.id).conclusion == "success"


async def told(at: Whole, number: int, text: str, author: str) -> str:
    """Comment and wait; the new answer."""
    before = at.replies(number)
    await at.repo.comment(number, text, author=author)
    await at.quiet()
    return next((reply for reply in at.replies(number) if reply not in before), "")


@pytest.mark.parametrize("way", few(WAYS, 0))
def test_a_removed_secret_is_open_until_it_is_revoked(tmp_path: Path, way: str) -> None:
    """By the word of somebody with write permission; it stays closed in the next rounds."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: critical\n"})
            number = await at.reviewed(files=LEAK)
            first = at.gh.pull(number).head_sha
            assert not green(at, number)
            await at.repo.push("feature", WAYS[way])
            await at.quiet()
            if "shop/more.py" in WAYS[way]:
                await at.repo.push("feature", {"shop/more.py": None})
                await at.quiet()
            await at.repo.push("feature", {"NEWS.md": "One more round.\n"})
            await at.quiet()
            text = at.summary(number)
            assert "removed, still in commit" in text
            assert "revoke it" in text
            assert first[:10] in text or "shop/more.py" in WAYS[way]
            assert not green(at, number)

            await told(at, number, "/deeprepo ignore 1 revoked", "stranger")
            assert not green(at, number)
            assert "revoke it" in at.summary(number)
            assert "Not reported again" in await told(at, number, "/deeprepo ignore 1 revoked", "maintainer")
            assert green(at, number)
            await at.repo.push("feature", {"NEWS.md": "And another.\n"})
            await at.quiet()
            assert green(at, number)

    asyncio.run(story())


@pytest.mark.parametrize(
    ("count", "empty", "expected"),
    few(
        [
            (103, False, "only the last 100 commits"),
            (240, True, "removed, still in commit"),
            (260, True, "the change has 262 commits, and the last 250 are fetched"),
        ],
        0,
        2,
    ),
)
def test_no_number_of_commits_hides_a_removed_secret(tmp_path: Path, count: int, empty: bool, expected: str) -> None:
    """It is found behind them, or what was not looked through is open; in either case the check fails."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\n"})
            await at.repo.commit("feature", LEAK)
            await at.repo.commit("feature", {"shop/keys.py": None, "NEWS.md": "One.\n"})
            await asyncio.to_thread(histories.lengthen, at.repo.repository.git, "feature", count, empty=empty)
            number = await at.repo.open_pull("feature", title="News", fork=True, author="stranger")
            await at.quiet()
            assert not green(at, number)
            assert expected in at.summary(number)

    asyncio.run(story())


@pytest.mark.parametrize(("count", "empty"), few([(103, False), (260, True)], 0))
def test_an_empty_change_is_not_green_while_commits_were_not_looked_through(
    tmp_path: Path, count: int, empty: bool
) -> None:
    """Nothing differs from the base, but not all commits that somebody may fetch were looked through: that is said, and is open."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\n"})
            await at.repo.commit("feature", LEAK)
            await at.repo.commit("feature", {"shop/keys.py": None})
            await asyncio.to_thread(histories.lengthen, at.repo.repository.git, "feature", count, empty=empty)
            if not empty:
                await at.repo.commit("feature", {"step.txt": None})
            number = await at.repo.open_pull("feature", title="News", fork=True, author="stranger")
            await at.quiet()
            assert not green(at, number)
            assert "looked through for secrets" in at.summary(number) or "are fetched" in at.summary(number)

    asyncio.run(story())


@pytest.mark.slow
def test_a_change_that_takes_a_secret_back_whole_is_not_green(tmp_path: Path) -> None:
    """Nothing differs from the base any more, and everybody can fetch the commit: the check fails and the summary says so."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: critical\n"})
            number = await at.reviewed(files=LEAK)
            await at.repo.push("feature", {"shop/keys.py": None})
            await at.quiet()
            assert not green(at, number)
            assert "removed, still in commit" in at.summary(number)
            await told(at, number, "/deeprepo full review", "maintainer")
            assert not green(at, number)

            await told(at, number, "/deeprepo ignore 1 revoked", "maintainer")
            assert green(at, number)

    asyncio.run(story())


@pytest.mark.slow
def test_a_finding_of_a_change_that_is_taken_back_whole_is_fixed(tmp_path: Path) -> None:
    """The summary follows: it does not list what the check no longer counts."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\n"})
            number = await at.reviewed(files={"shop/new.py": "def total(items):\n    return missing(items)\n"})
            assert not green(at, number)
            await at.repo.push("feature", {"shop/new.py": None})
            await at.quiet()
            assert green(at, number)
            assert "1 finding is fixed" in at.summary(number)

    asyncio.run(story())


def test_a_password_is_in_no_request_while_the_review_works(tmp_path: Path) -> None:
    """Another finding quotes it; neither the progress of the check run nor its end shows it."""
    password = "Tr0ub4dor&3" + "zXq9"
    files = {"shop/conf.py": f'PASSWORD = "{password}"\nUSERS = {{"{password}": 1, "{password}": 2}}\n'}

    async def story() -> None:
        async with whole(tmp_path) as at:
            number = await at.reviewed(files=files)
            assert "stands twice" in at.summary(number)
            assert password not in str([each.body for each in at.gh.requests])

    asyncio.run(story())


@pytest.mark.slow
def test_each_of_many_passwords_of_the_history_is_masked(tmp_path: Path) -> None:
    """Those that share a finding too: a later file repeats the first and the last of sixty."""
    dice = random.Random(5)  # noqa: S311 - made-up values
    letters = string.ascii_letters + string.digits + "&!"
    values = ["".join(dice.choices(letters, k=13)) + "7a" for _ in range(60)]

    async def story() -> None:
        async with whole(tmp_path) as at:
            lines = "".join(f'PASSWORD_{n} = "{value}"\n' for n, value in enumerate(values))
            await at.repo.commit("feature", {"shop/conf.py": lines})
            rows = "".join(
                f'{name} = {{"{value}": 1, "{value}": 2}}\n' for name, value in (("A", values[0]), ("B", values[-1]))
            )
            await at.repo.commit("feature", {"shop/conf.py": "X = 1\n", "shop/users.py": rows})
            await at.repo.open_pull("feature", title="t")
            await at.quiet()
            sent = str([each.body for each in at.gh.requests])
            assert [value for value in (values[0], values[-1]) if value in sent] == []

    asyncio.run(story())
