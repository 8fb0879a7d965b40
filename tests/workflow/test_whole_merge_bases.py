"""A pull request whose base and head have several merge bases: GitHub names one, and the author has chosen which."""

import asyncio
from pathlib import Path

import histories
import pytest
from families import few
from whole import whole

# Code that each analyser can read, in the place of news that none does.
CODE: histories.Row = ("feature", ("feature",), {"NEWS.md": None, "shop/news.py": "X = 1\n"})


@pytest.mark.parametrize("name", few([*histories.SEVERAL_BASES, *histories.ONE_BASE], 0, 3, 4, 6))
def test_a_change_with_several_merge_bases_fails_a_bar(tmp_path: Path, name: str) -> None:
    """Its summary says what to do. A branch that merges the main branch again and again is green, for one more request at most."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: critical\n", **histories.OLD})
            rows = (histories.SEVERAL_BASES | histories.ONE_BASE)[name]
            await asyncio.to_thread(histories.draw, at.repo.repository.git, rows)
            number = await at.repo.open_pull("feature", title="News", fork=True, author="stranger")
            await at.quiet()
            newest = max(at.gh.pull(number).checks, key=lambda check: check.id)
            assert newest.conclusion == ("failure" if name in histories.SEVERAL_BASES else "success")
            remedy = "merge main into the branch once more"
            assert (remedy in at.summary(number)) == (name in histories.SEVERAL_BASES)
            compared = [seen.path for seen in at.gh.requests if "/compare/" in seen.path]
            assert len(compared) <= 2

    asyncio.run(story())


@pytest.mark.parametrize("name", few(["crossed", "branches of its own"], 0, 1))
def test_no_number_of_commits_and_no_choice_of_analyzers_hides_a_merge_base(tmp_path: Path, name: str) -> None:
    """GitHub is asked if not all commits are fetched; where it names the only merge base nothing is open."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            settings = "fail_on: high\nanalyzers: [contracts, settings]\n"
            await at.repo.commit("main", {".deeprepo.yml": settings, **histories.OLD})
            git = at.repo.repository.git
            await asyncio.to_thread(histories.draw, git, (histories.SEVERAL_BASES | histories.ONE_BASE)[name])
            await asyncio.to_thread(histories.draw, git, (CODE,))
            await asyncio.to_thread(histories.lengthen, git, "feature", 260, empty=True)
            number = await at.repo.open_pull("feature", title="News", fork=True, author="stranger")
            await at.quiet()
            newest = max(at.gh.pull(number).checks, key=lambda check: check.id)
            assert newest.conclusion == ("failure" if name in histories.SEVERAL_BASES else "success")
            assert ("one of several merge bases" in at.summary(number)) == (name in histories.SEVERAL_BASES)

    asyncio.run(story())


@pytest.mark.slow
def test_a_long_change_is_open_if_it_may_be_built_on_a_reviewed_one(tmp_path: Path) -> None:
    """Which commits it is built on is not all known, and another pull request has a review: what that reported is not forgotten without a word."""

    async def story() -> None:
        async with whole(tmp_path) as at:
            await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\nanalyzers: [contracts, settings]\n"})
            await at.reviewed(files={"shop/news.py": "X = 1\n"})
            rows: tuple[histories.Row, ...] = (("other", ("feature",), {"shop/news.py": "X = 2\n"}),)
            await asyncio.to_thread(histories.draw, at.repo.repository.git, rows)
            await asyncio.to_thread(histories.lengthen, at.repo.repository.git, "other", 260, empty=True)
            number = await at.repo.open_pull("other", title="News")
            await at.quiet()
            newest = max(at.gh.pull(number).checks, key=lambda check: check.id)
            assert newest.conclusion == "failure"
            assert "commits of another review" in at.summary(number)

    asyncio.run(story())
