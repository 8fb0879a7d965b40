"""Runs of workflows."""

from deeprepo_sandbox.github.bodies import rehome
from deeprepo_sandbox.github.bodies.people import user
from deeprepo_sandbox.github.bodies.repositories import repository
from deeprepo_sandbox.github.description import example
from deeprepo_sandbox.github.things import Json, Repository, WorkflowRun
from deeprepo_sandbox.github.world import World


def run(world: World, where: Repository, which: WorkflowRun) -> Json:
    """One run. Its path has the branch of its workflow at the end."""
    shown = example("actions/list-workflow-runs-for-repo")["workflow_runs"][0]
    made: Json = rehome(shown, world, where.full_name, "octo-org/octo-repo")
    actor = {"actor": user(world, which.actor)} if which.actor else {}
    head = {"head_sha": which.head} if which.head else {}
    return (
        made
        | actor
        | head
        | {
            "id": which.id,
            "path": f"{which.path}@{where.default_branch}",
            "event": which.event,
            "pull_requests": [],
            "run_attempt": which.attempt,
            "status": which.status,
            "conclusion": which.conclusion,
            "created_at": which.created_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "repository": repository(world, where),
            "head_repository": repository(world, which.source) if which.source else None,
        }
    )
