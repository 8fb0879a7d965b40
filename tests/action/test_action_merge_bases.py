"""In a workflow: a change whose base and head have several merge bases fails a bar, whether its commits are fetched or there already."""

import asyncio
from pathlib import Path

import histories
import pytest
from families import few
from opening import BASE, event
from stepping import stage

NAMES = ("crossed", "nothing differs from the topic", "the main branch merged in again and again")


@pytest.mark.parametrize(
    ("name", "cloned"), few([(name, cloned) for name in NAMES for cloned in (False, True)], 0, 1, 4)
)
def test_a_change_with_several_merge_bases_fails_a_bar(tmp_path: Path, name: str, cloned: bool) -> None:
    """A branch that merges the main branch again and again passes."""

    async def go() -> None:
        async with stage(tmp_path, BASE | histories.OLD) as at:
            rows = (histories.SEVERAL_BASES | histories.ONE_BASE)[name]
            folder = at.repo.repository.git
            await asyncio.to_thread(histories.draw, folder, rows)
            if cloned:
                at.workspace.rename(at.folder / "other")
                clone = ("git", "clone", "--quiet", "--mirror", str(folder), str(at.workspace))
                await (await asyncio.create_subprocess_exec(*clone)).wait()
            with at.gh.holding() as held:
                await at.repo.open_pull("feature", title="News")
            result = await at.told("pull_request", event(held), strategy="offline", fail_on="critical")
            assert result.conclusion == ("failure" if name in histories.SEVERAL_BASES else "success")

    asyncio.run(go())
