"""The summary lists failed CI jobs with the first error and the changed line; the conclusion ignores them."""

from datetime import UTC, datetime

from whole import Whole

from deeprepo_sandbox.github.things import WorkflowRun

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


async def _ends(at: Whole, number: int, name: str, log: str | None, conclusion: str = "failure", **more: object) -> str:
    head = at.gh.pull(number).head_sha
    await at.repo.job(head, name, log, conclusion, **more)  # type: ignore[arg-type]
    await at.quiet()
    return at.summary(number)


async def test_job_failing_after_the_review_is_listed_with_its_definition(at: Whole) -> None:
    """CI fails after the review: the same comment is updated, the conclusion stays, no new review runs."""
    number = await at.reviewed()
    before, count = at.gh.pull(number), len(at.gh.requests)
    await _ends(at, number, "docs", "", "success")
    assert len(at.gh.requests) == count
    summary = await _ends(at, number, "test (3.12)", FAILED)
    after = at.gh.pull(number)
    assert "#### Failed CI jobs" in summary
    error = "`test_total: TypeError: total() takes 1 positional argument but 2 were given`"
    assert f"`test (3.12)`: {error} · [`shop/price.py:1`]" in summary
    assert [c.id for c in after.comments] == [c.id for c in before.comments]
    assert len(after.reviews) == len(before.reviews)
    ours = [(check.id, check.conclusion) for check in after.checks if check.name == "deeprepo"]
    assert ours == [(check.id, check.conclusion) for check in before.checks if check.name == "deeprepo"]

    where = at.repo.repository
    where.checks = {n: one for n, one in where.checks.items() if one.name != "test (3.12)"}
    assert "CI jobs" not in await _ends(at, number, "test (3.12)", "", "success")


async def test_unrelated_job_failure_blames_no_line_and_its_log_is_escaped(at: Whole) -> None:
    """The job failed on the base too, or its log names no changed line. Mentions and markup are defused."""
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    hostile = _log(
        f"##[error]\x1b]0;x\x07README.md:1: @acme/all ``` <!-- {{}} --> [x](http://e.vil) token={key} " + "x" * 5_000
    )
    number = await at.reviewed()
    await at.repo.job(at.gh.pull(number).base_sha, "lint", _log("error: no network"))
    summary = await _ends(at, number, "lint", _log("error: no network"))
    assert (
        "`lint`: `error: no network` · not caused by this change: the same job fails on the base commit too" in summary
    )
    summary = await _ends(at, number, "a`@acme/all`\n## b", hostile)
    row = next(line for line in summary.split("\n") if "e.vil" in line)
    assert key not in summary
    assert "\x1b" not in summary
    assert row.endswith("· the log points to no changed line")
    assert "\n## b" not in summary
    assert len(row) < 700


async def test_ci_false_sends_no_request(at: Whole) -> None:
    """No request is sent when the owner has switched the feature off."""
    await at.repo.commit("main", {".deeprepo.yml": "ci: false\n"})
    number = await at.reviewed()
    count = len(at.gh.requests)
    assert "CI jobs" not in await _ends(at, number, "test", FAILED)
    assert len(at.gh.requests) == count


async def test_newest_run_of_a_job_counts(at: Whole) -> None:
    """A job is not listed if its newest run passed or was canceled."""
    number = await at.reviewed()
    assert "CI jobs" not in await _ends(at, number, "lint", "##[error]The operation was canceled.\n", "cancelled")
    assert "`tests`" in await _ends(at, number, "tests", FAILED)
    assert "CI jobs" not in await _ends(at, number, "tests", "ok\n", "success")


async def test_jobs_with_the_same_name_in_two_workflows_are_separate(at: Whole) -> None:
    """A passing job does not hide the failure of the other workflow's job."""
    number = await at.reviewed()
    head, where = at.gh.pull(number).head_sha, at.repo.repository
    for run, path in ((700, "tests.yml"), (701, "nightly.yml")):
        where.runs.append(WorkflowRun(run, datetime.now(UTC), where, path=f".github/workflows/{path}", head=head))
    await _ends(at, number, "tests", FAILED, run_id=700)
    assert "`tests`" in await _ends(at, number, "tests", "ok\n", "success", run_id=701)
