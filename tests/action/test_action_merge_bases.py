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


PATHS = "fail_on: high\nfail_also: [unreviewed, cut, dropped]\ntriggers: {paths: ['shop/**']}\n"
LONG = "fail_on: high\nanalyzers: [contracts, settings]\n"
KEY = 'aws_access_key_id = "AKIA' + 'Q3ZRT5PLMX7WQN2B"\n'
REMOVED: tuple[histories.Row, ...] = (
    ("feature", ("main",), {"shop/keys.py": KEY}),
    ("feature", ("feature",), {"shop/keys.py": None, **histories.NEWS}),
)
BESIDE: tuple[histories.Row, ...] = (("feature", ("main",), histories.NEWS),)
CODE: histories.Row = ("feature", ("feature",), {"NEWS.md": None, "shop/news.py": "X = 1\n"})
CROSSED = histories.SEVERAL_BASES["crossed, with the other parent first"]


@pytest.mark.parametrize(
    ("settings", "rows", "more", "expected"),
    few(
        [
            (PATHS, REMOVED, 0, "failure"),
            (LONG, (*histories.CROSSED, CODE), 260, "failure"),
            (PATHS, CROSSED, 0, "failure"),
            (PATHS, BESIDE, 0, "skipped"),
            (LONG, (*BESIDE, CODE), 260, "success"),
        ],
        0,
        1,
    ),
)
def test_neither_paths_nor_analyzers_let_an_unknown_history_pass(
    tmp_path: Path, settings: str, rows: tuple[histories.Row, ...], more: int, expected: str
) -> None:
    """`triggers.paths` is asked of each commit, and of a change whose commits are not all known nothing is left out; GitHub tells of merge bases."""

    async def go() -> None:
        async with stage(tmp_path, BASE | histories.OLD | {".deeprepo.yml": settings}) as at:
            folder = at.repo.repository.git
            await asyncio.to_thread(histories.draw, folder, rows)
            await asyncio.to_thread(histories.lengthen, folder, "feature", more, empty=True)
            with at.gh.holding() as held:
                await at.repo.open_pull("feature", title="News")
            result = await at.told("pull_request", event(held), strategy="offline")
            assert result.conclusion == expected

    asyncio.run(go())
