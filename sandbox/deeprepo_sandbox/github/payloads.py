"""The bodies of webhooks, whole, as GitHub sends them."""

from deeprepo_sandbox.github.bodies import checks, comments, pulls, stamp
from deeprepo_sandbox.github.bodies.people import installation, user
from deeprepo_sandbox.github.bodies.repositories import repository, short
from deeprepo_sandbox.github.things import (
    Check,
    Comment,
    Installation,
    Json,
    Pull,
    Repository,
    Review,
    ReviewComment,
    User,
)
from deeprepo_sandbox.github.world import World


def envelope(
    world: World, home: Installation, where: Repository | None, action: str | None, facts: Json, sender: User
) -> Json:
    """What every payload of an App has around its facts."""
    made: Json = {"action": action} if action else {}
    made |= facts
    if where is not None:
        made["repository"] = repository(world, where)
        if where.owner.type == "Organization":
            made["organization"] = organization(world, where.owner)
    made["sender"] = user(world, sender)
    made.setdefault("installation", {"id": home.id, "node_id": f"MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9u{home.id}"})
    return made


def organization(world: World, who: User) -> Json:
    """An organisation as payloads name it."""
    api = f"{world.api}/orgs/{who.login}"
    lists = ("repos", "events", "hooks", "issues")
    return {
        "login": who.login,
        "id": who.id,
        "node_id": f"O_kgDO{who.id}",
        "url": api,
        **{f"{name}_url": f"{api}/{name}" for name in lists},
        "members_url": f"{api}/members{{/member}}",
        "public_members_url": f"{api}/public_members{{/member}}",
        "avatar_url": f"{world.origin}/avatars/{who.id}",
        "description": None,
    }


async def pull(world: World, which: Pull, **extra: object) -> Json:
    """The facts of a pull_request event."""
    return {"number": which.number, "pull_request": await pulls.whole(world, which), **extra}


async def comment(world: World, which: Pull, note: Comment) -> tuple[str, Json]:
    """The event's name and facts for a comment: it differs by where the comment stands."""
    if isinstance(note, ReviewComment):
        facts = {
            "comment": await comments.review_comment(world, which, note),
            "pull_request": pulls.list_item(world, which),
        }
        return "pull_request_review_comment", facts
    return "issue_comment", {"comment": comments.issue_comment(world, which, note), "issue": issue(world, which)}


async def review(world: World, which: Pull, entry: Review) -> Json:
    """The facts of a pull_request_review event, which names the state in small letters."""
    row = comments.review(world, which, entry)
    told = {"state": entry.state.lower(), "body": entry.body or None, "submitted_at": stamp(entry.created_at)}
    return {"review": row | told, "pull_request": pulls.list_item(world, which)}


def issue(world: World, which: Pull) -> Json:
    """A pull request as the issue that it is too."""
    row = pulls.list_item(world, which)
    api = f"{world.api}/repos/{which.repository.full_name}"
    url = row["issue_url"]
    same = ("number", "title", "user", "state", "locked", "labels", "milestone", "assignee", "assignees", "body")
    times = ("created_at", "updated_at", "closed_at")
    return {
        "url": url,
        "repository_url": api,
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "html_url": row["html_url"],
        "id": which.id + 1,
        "node_id": row["node_id"],
        **{name: row[name] for name in (*same, *times, "author_association", "active_lock_reason", "draft")},
        "comments": len(which.comments),
        "pull_request": {
            **{name: row[name] for name in ("url", "html_url", "diff_url", "patch_url")},
            "merged_at": row["merged_at"],
        },
        "timeline_url": f"{url}/timeline",
        "performed_via_github_app": None,
        "state_reason": None,
    }


def check(world: World, where: Repository, which: Check) -> Json:
    """The facts of a check_run event."""
    row = checks.check(world, where, which)
    return {"check_run": row | {"check_suite": checks.suite(world, where, which)}}


def suite(world: World, where: Repository, which: Check) -> Json:
    """The facts of a check_suite event."""
    return {"check_suite": checks.suite(world, where, which)}


def installation_event(world: World, home: Installation) -> Json:
    """The facts of an installation event."""
    held = [
        found for found in world.repositories.values() if not found.is_deleted and home in world.installations_of(found)
    ]
    return {
        "installation": installation(world, home),
        "repositories": [short(found) for found in held],
        "requester": None,
    }


def repositories_event(
    world: World, home: Installation, added_repositories: list[Repository], removed_repositories: list[Repository]
) -> Json:
    """The facts of an installation_repositories event."""
    return {
        "installation": installation(world, home),
        "repository_selection": "all" if home.chosen_repositories is None else "selected",
        "repositories_added": [short(found) for found in added_repositories],
        "repositories_removed": [short(found) for found in removed_repositories],
        "requester": None,
    }


def push(world: World, where: Repository, branch: str, before: str, after: str) -> Json:
    """The facts of a push event."""
    return {
        "ref": f"refs/heads/{branch}",
        "before": before,
        "after": after,
        "created": False,
        "deleted": False,
        "forced": False,
        "base_ref": None,
        "compare": f"{world.origin}/{where.full_name}/compare/{before[:12]}...{after[:12]}",
        "commits": [],
        "head_commit": None,
        "pusher": {"name": where.owner.login, "email": None},
    }


def merge_group(world: World, where: Repository, head: str, base: str, number: int) -> Json:
    """The facts of a merge_group event. `number`: of the pull request at this place of the queue."""
    return {
        "merge_group": {
            "head_sha": head,
            "head_ref": f"refs/heads/gh-readonly-queue/{where.default_branch}/pr-{number}-{base}",
            "base_sha": base,
            "base_ref": f"refs/heads/{where.default_branch}",
            "head_commit": {"id": head, "tree_id": head, "message": "Merge", "timestamp": stamp(world.now())},
        }
    }
