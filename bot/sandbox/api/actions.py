"""Runs of workflows."""

from bot.sandbox.call import Answer, Call, Do


async def runs(call: Call) -> Answer:
    """GET R/actions/runs: newest first."""
    found = sorted(call.repository.runs, key=lambda run: -run["id"])
    return Answer(200, {"total_count": len(found), "workflow_runs": found})


OPERATIONS: dict[str, Do] = {"actions/list-workflow-runs-for-repo": runs}
