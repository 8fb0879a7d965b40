"""Jobs of CI that failed on a reviewed head: the summary names each with its first error and the changed line, and decides nothing by it."""

from pathlib import Path

import pytest
from whole import Whole, whole

pytestmark = pytest.mark.anyio

HEAD = "2026-11-20T09:00:00.0000000Z "
EXIT = "##[error]Process completed with exit code 1."


def _log(*rows: str) -> str:
    lines = ["##[group]Run pytest", "pytest", "##[endgroup]", *rows, EXIT, "Post job cleanup."]
    return "".join(f"{HEAD}{row}\n" for row in lines)


FAILED = _log(
    "________________ test_total ________________",
    "    def test_total():",
    ">       assert total([1], 0.2) == 1.2",
    "E       TypeError: total() takes 1 positional argument but 2 were given",
    "tests/test_price.py:4: TypeError",
)


async def _ends(w: Whole, number: int, name: str, log: str | None, conclusion: str = "failure", **more: object) -> str:
    head = w.gh.pull(number).head_sha
    await w.repo.job(head, name, log, conclusion, **more)  # type: ignore[arg-type]
    await w.quiet()
    return w.summary(number)


async def test_a_job_that_fails_after_the_review_is_named_with_the_definition_that_changed(tmp_path: Path) -> None:
    """The suite ends later: the same comment names the job, its first error and the changed line; the check run's conclusion stays, and no review is made."""
    async with whole(tmp_path) as w:
        number = await w.reviewed()
        before, count = w.gh.pull(number), len(w.gh.requests)
        await _ends(w, number, "docs", "", "success")
        assert len(w.gh.requests) == count
        summary = await _ends(w, number, "test (3.12)", FAILED)
        after = w.gh.pull(number)
        assert "#### CI jobs that failed" in summary
        error = "`test_total: TypeError: total() takes 1 positional argument but 2 were given`"
        assert f"`test (3.12)`: {error} · [`shop/price.py:1`]" in summary
        assert [c.id for c in after.comments] == [c.id for c in before.comments]
        assert len(after.reviews) == len(before.reviews)
        ours = [(check.id, check.conclusion) for check in after.checks if check.name == "deeprepo"]
        assert ours == [(check.id, check.conclusion) for check in before.checks if check.name == "deeprepo"]

        where = w.repo.repository
        where.checks = {n: one for n, one in where.checks.items() if one.name != "test (3.12)"}
        assert "CI jobs" not in await _ends(w, number, "test (3.12)", "", "success")


async def test_a_job_of_which_the_change_is_not_to_blame_is_disarmed_and_blames_no_line(tmp_path: Path) -> None:
    """It failed on the base commit too, or its log names no changed line; mentions, markup and a secret in a log or a name show nothing else."""
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    hostile = _log(
        f"##[error]\x1b]0;x\x07README.md:1: @acme/all ``` <!-- {{}} --> [x](http://e.vil) token={key} " + "x" * 5_000
    )
    async with whole(tmp_path) as w:
        number = await w.reviewed()
        await w.repo.job(w.gh.pull(number).base_sha, "lint", _log("error: no network"))
        summary = await _ends(w, number, "lint", _log("error: no network"))
        assert (
            "`lint`: `error: no network` · not from this change: the same job fails on the base commit too" in summary
        )
        summary = await _ends(w, number, "a`@acme/all`\n## b", hostile)
        row = next(line for line in summary.split("\n") if "e.vil" in line)
        assert key not in summary
        assert "\x1b" not in summary
        assert row.endswith("· no changed line is named")
        assert "\n## b" not in summary
        assert len(row) < 700


async def test_ci_false_asks_nothing(tmp_path: Path) -> None:
    """The owner has switched it off."""
    async with whole(tmp_path) as w:
        await w.repo.commit("main", {".deeprepo.yml": "ci: false\n"})
        number = await w.reviewed()
        count = len(w.gh.requests)
        assert "CI jobs" not in await _ends(w, number, "test", FAILED)
        assert len(w.gh.requests) == count
