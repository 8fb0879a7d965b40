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
        before = w.gh.pull(number)
        summary = await _ends(w, number, "test (3.12)", FAILED)
        after = w.gh.pull(number)
        assert "#### CI jobs that failed" in summary
        error = "`test_total: TypeError: total() takes 1 positional argument but 2 were given`"
        assert f"`test (3.12)`: {error} · [`shop/price.py:1`]" in summary
        assert [c.id for c in after.comments] == [c.id for c in before.comments]
        assert len(after.reviews) == len(before.reviews)
        ours = [(check.id, check.conclusion) for check in after.checks if check.name == "deeprepo"]
        assert ours == [(check.id, check.conclusion) for check in before.checks if check.name == "deeprepo"]


async def test_a_job_that_fails_on_the_base_too_is_not_from_this_change(tmp_path: Path) -> None:
    """A job of the same name failed on the base commit, and its log names no changed line."""
    async with whole(tmp_path) as w:
        number = await w.reviewed()
        await w.repo.job(w.gh.pull(number).base_sha, "lint", _log("error: no network"))
        summary = await _ends(w, number, "lint", _log("error: no network"))
        assert (
            "`lint`: `error: no network` · not from this change: the same job fails on the base commit too" in summary
        )
        summary = await _ends(w, number, "build", _log("error: disk is full"))
        assert "`build`: `error: disk is full` · no changed line is named" in summary


async def test_a_job_that_passes_again_leaves_the_summary(tmp_path: Path) -> None:
    """The job is run again and passes; a success on a page that names nothing asks GitHub nothing."""
    async with whole(tmp_path) as w:
        number = await w.reviewed()
        count = len(w.gh.requests)
        await _ends(w, number, "docs", "", "success")
        assert len(w.gh.requests) == count
        assert "CI jobs" in await _ends(w, number, "test", FAILED)
        where = w.repo.repository
        where.checks = {n: one for n, one in where.checks.items() if one.name != "test"}
        assert "CI jobs" not in await _ends(w, number, "test", "", "success")


async def test_ci_false_asks_nothing(tmp_path: Path) -> None:
    """The owner has switched it off."""
    async with whole(tmp_path) as w:
        await w.repo.commit("main", {".deeprepo.yml": "ci: false\n"})
        number = await w.reviewed()
        count = len(w.gh.requests)
        assert "CI jobs" not in await _ends(w, number, "test", FAILED)
        assert len(w.gh.requests) == count


async def test_a_hostile_log_is_shown_disarmed_and_masked(tmp_path: Path) -> None:
    """Mentions, markup, comments and escapes stay code; a secret is masked; a forged error blames no line that did not change."""
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    hostile = _log(
        f"##[error]\x1b]0;x\x07README.md:1: @acme/all ``` <!-- {{}} --> [x](http://e.vil) token={key} " + "x" * 5_000
    )
    async with whole(tmp_path) as w:
        number = await w.reviewed()
        summary = await _ends(w, number, "a`@acme/all`\n## b", hostile)
        row = next(line for line in summary.split("\n") if "e.vil" in line)
        assert key not in summary
        assert "\x1b" not in summary
        assert row.endswith("· no changed line is named")
        assert "\n## b" not in summary
        assert len(row) < 700
