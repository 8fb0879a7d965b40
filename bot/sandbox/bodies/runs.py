"""Runs of workflows."""

from bot.sandbox.bodies import rehomed
from bot.sandbox.bodies.repositories import repository
from bot.sandbox.description import example
from bot.sandbox.things import Json, Repository, WorkflowRun
from bot.sandbox.world import World


def run(world: World, where: Repository, which: WorkflowRun) -> Json:
    """One run. Its path has the branch of its workflow at the end."""
    shown = example("actions/list-workflow-runs-for-repo")["workflow_runs"][0]
    made: Json = rehomed(shown, world, where.full_name, "octo-org/octo-repo")
    return made | {
        "id": which.id,
        "path": f"{which.path}@{where.default_branch}",
        "event": which.event,
        "run_attempt": which.attempt,
        "status": which.status,
        "conclusion": which.conclusion,
        "created_at": which.created.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "repository": repository(world, where),
        "head_repository": repository(world, which.source) if which.source else None,
    }
