"""CI jobs that failed before a step's review ends: the summary lists them, the log missing permissions."""

from datetime import UTC, datetime

import pytest
from opening import BASE, opened, summary
from stepping import WRITE, Stage, on_stage

from bot.features.ci.section import FAILED_JOBS
from deeprepo_sandbox.github.things import WorkflowRun

READING = {**WRITE, "actions": "read"}
HEAD = "2026-11-20T09:00:00.0000000Z "
FAILED = "".join(
    f"{HEAD}{row}\n"
    for row in (
        "##[group]Run pytest",
        "##[endgroup]",
        "________________ test_total ________________",
        "E       TypeError: total() takes 1 positional argument but 2 were given",
        "shop/cart.py:5: TypeError",
        "##[error]Process completed with exit code 1.",
    )
)
ERROR = "`test (3.12)`: `test_total: TypeError: total() takes 1 positional argument but 2 were given`"


async def _reviewed(at: Stage, permissions: dict[str, str]) -> tuple[str, list[str]]:
    """Review a head with a failed job; return the summary and the log lines about CI jobs."""
    number, body = await opened(at)
    await at.repo.job(at.gh.pull(number).head_sha, "test (3.12)", FAILED)
    result = await at.told("pull_request", body, permissions=permissions)
    assert result.review is not None
    return summary(at.gh, number), [row for row in at.rows if "CI" in row]


@on_stage(BASE)
async def test_jobs_of_other_workflows_are_listed_and_the_reviews_own_are_not(at: Stage) -> None:
    """The summary lists the job's first error and changed line, but not runs of the review's workflow."""
    number, body = await opened(at)
    head = at.gh.pull(number).head_sha
    by_hand = await at.told("workflow_dispatch", {}, pull_request=str(number), fail_on="low")
    assert by_hand.conclusion == "failure"
    await at.repo.job(head, "attempt", FAILED, run_id=int(f"80{at.runs + 1}"))
    earlier = WorkflowRun(700, datetime.now(UTC), at.repo.repository, event="pull_request", head=head)
    at.repo.repository.runs.append(earlier)
    await at.repo.job(head, "earlier", FAILED, run_id=earlier.id)
    await at.repo.job(head, "test (3.12)", FAILED)
    result = await at.told("pull_request", body, permissions=READING)

    text = summary(at.gh, number)
    assert f"{ERROR} · [`shop/price.py:1`]" in text
    assert result.review is not None
    assert [one.name for one in FAILED_JOBS.of(result.review)] == ["test (3.12)"]
    assert [row for row in at.rows if "CI" in row] == []


@pytest.mark.parametrize("permissions", [{"contents": "read", "pull_requests": "write"}, WRITE])
@on_stage(BASE)
async def test_token_without_ci_permissions_logs_the_missing_permissions(
    at: Stage, permissions: dict[str, str]
) -> None:
    """Without `checks: read` or `actions: read`, no job is listed and the log names both permissions."""
    text, rows = await _reviewed(at, permissions)
    assert "CI jobs" not in text
    (row,) = rows
    assert row.startswith("Failed CI jobs are not listed: ")
    assert "`permissions: {checks: read, actions: read}`" in row
