"""Runs of workflows."""

from datetime import datetime

from deeprepo_sandbox.github.bodies.runs import run
from deeprepo_sandbox.github.call import Answer, Call, Do, GitHubRefusal, find_or_404

MOST = 1_000  # runs that GitHub lists for one search


async def runs(call: Call) -> Answer:
    """GET R/actions/runs: newest first; of `created` the form that names where a span begins."""
    found = sorted(call.repository.runs, key=lambda one: -one.id)
    if head := call.query.get("head_sha"):
        found = [one for one in found if one.head == head]
    if event := call.query.get("event"):
        found = [one for one in found if one.event == event]
    if since := call.query.get("created"):
        if not since.startswith(">="):
            raise GitHubRefusal(422, "The sandbox knows `created` in the form >=TIME only")
        begin = datetime.fromisoformat(since.removeprefix(">="))
        found = [one for one in found if one.created_at >= begin][:MOST]
    told = [run(call.world, call.repository, one) for one in found]
    return call.pages(told, lambda part: {"total_count": len(told), "workflow_runs": part})


async def cancel(call: Call) -> Answer:
    """POST R/actions/runs/ID/cancel: a run that has ended cannot be canceled."""
    ran = find_or_404(next((one for one in call.repository.runs if one.id == call.params["run_id"]), None))
    if ran.status == "completed":
        raise GitHubRefusal(409, "Cannot cancel a workflow run that is completed.")
    ran.status, ran.conclusion = "completed", "cancelled"
    return Answer(202, {})


OPERATIONS: dict[str, Do] = {
    "actions/list-workflow-runs-for-repo": runs,
    "actions/cancel-workflow-run": cancel,
}
