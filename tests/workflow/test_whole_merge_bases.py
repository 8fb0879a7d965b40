"""A pull request whose base and head have several merge bases: GitHub names one, and the author has chosen which."""

import asyncio
from pathlib import Path

import histories
import pytest
from families import few
from whole import whole


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
