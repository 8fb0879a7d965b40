"""Check runs and what they mark in files."""

from deeprepo_sandbox.github.bodies import stamp
from deeprepo_sandbox.github.bodies.people import app
from deeprepo_sandbox.github.bodies.pulls import minimal
from deeprepo_sandbox.github.things import Check, Json, Repository
from deeprepo_sandbox.github.world import World


def check(world: World, where: Repository, which: Check) -> Json:
    """A check run. The list of pull requests is empty for those that come from forks, as at GitHub."""
    api = f"{world.api}/repos/{where.full_name}/check-runs/{which.id}"
    pulls = [p for p in where.pulls.values() if p.head_sha == which.head and p.source is where and p.state == "open"]
    return {
        "id": which.id,
        "head_sha": which.head,
        "node_id": f"CR_kwDO{which.id}",
        "external_id": which.external_id,
        "url": api,
        "html_url": f"{world.origin}/{where.full_name}/runs/{which.id}",
        "details_url": which.details_url or f"{world.origin}/apps/{which.app.slug}",
        "status": which.status,
        "conclusion": which.conclusion,
        "started_at": stamp(which.started_at),
        "completed_at": stamp(which.completed_at),
        "output": {
            "title": which.title,
            "summary": which.summary,
            "text": which.text,
            "annotations_count": len(which.annotations),
            "annotations_url": f"{api}/annotations",
        },
        "name": which.name,
        "check_suite": {"id": which.suite},
        "app": app(world, which.app),
        "pull_requests": [minimal(world, pull) for pull in pulls],
    }


def annotation(world: World, where: Repository, which: Check, fields: Json) -> Json:
    """One mark in a file."""
    return {
        "path": fields["path"],
        "blob_href": f"{world.origin}/{where.full_name}/blob/{which.head}/{fields['path']}",
        "start_line": fields["start_line"],
        "start_column": fields.get("start_column"),
        "end_line": fields["end_line"],
        "end_column": fields.get("end_column"),
        "annotation_level": fields["annotation_level"],
        "title": fields.get("title"),
        "message": fields["message"],
        "raw_details": fields.get("raw_details"),
    }


def suite(world: World, where: Repository, which: Check) -> Json:
    """The check suite of a check run, as webhooks tell it."""
    api = f"{world.api}/repos/{where.full_name}/check-suites/{which.suite}"
    is_queued = which.suite in where.queued_suites
    pulls = [p for p in where.pulls.values() if p.head_sha == which.head and p.source is where]
    return {
        "id": which.suite,
        "node_id": f"CS_kwDO{which.suite}",
        "head_branch": pulls[0].head if pulls else None,
        "head_sha": which.head,
        "status": "queued" if is_queued else which.status,
        "conclusion": None if is_queued else which.conclusion,
        "url": api,
        "before": None,
        "after": which.head,
        "pull_requests": [minimal(world, pull) for pull in pulls],
        "app": app(world, which.app),
        "created_at": stamp(which.started_at),
        "updated_at": stamp(which.completed_at or which.started_at),
        "rerequestable": True,
        "runs_rerequestable": True,
        "latest_check_runs_count": 1,
        "check_runs_url": f"{api}/check-runs",
    }
