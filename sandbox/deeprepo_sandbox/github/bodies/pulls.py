"""Pull requests."""

from deeprepo_sandbox.github import diffs, git
from deeprepo_sandbox.github.bodies import stamp
from deeprepo_sandbox.github.bodies.people import user
from deeprepo_sandbox.github.bodies.repositories import brief, repository
from deeprepo_sandbox.github.things import Json, Permission, Pull, Repository, User
from deeprepo_sandbox.github.world import World


def association(who: User, where: Repository, pull: Pull) -> str:
    """What somebody is to a repository."""
    if who is where.owner:
        return "OWNER"
    rights: Permission = where.people.get(who.login, "none")
    if rights in {"admin", "write"} and who.login not in where.private_members:
        return "MEMBER" if where.owner.type == "Organization" else "COLLABORATOR"
    return "CONTRIBUTOR" if pull.author is who else "NONE"


def label(world: World, where: Repository, name: str) -> Json:
    """A label by its name."""
    number = sum(name.encode()) + 1
    return {
        "id": number,
        "node_id": f"LA_kwDO{number}",
        "url": f"{world.api}/repos/{where.full_name}/labels/{name}",
        "name": name,
        "description": "",
        "color": "ededed",
        "default": False,
    }


def _side(world: World, where: Repository, branch: str, sha: str) -> Json:
    return {
        "label": f"{where.owner.login}:{branch}",
        "ref": branch,
        "sha": sha,
        "user": user(world, where.owner),
        "repo": repository(world, where),
    }


def list_item(world: World, pull: Pull) -> Json:
    """A pull request as it is in a list."""
    where = pull.repository
    api, web = f"{world.api}/repos/{where.full_name}", f"{world.origin}/{where.full_name}/pull/{pull.number}"
    links = _links(api, web, pull)
    return {
        "url": f"{api}/pulls/{pull.number}",
        "id": pull.id,
        "node_id": f"PR_kwDO{pull.id}",
        "html_url": web,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        "issue_url": links["issue"]["href"],
        "commits_url": links["commits"]["href"],
        "review_comments_url": links["review_comments"]["href"],
        "review_comment_url": links["review_comment"]["href"],
        "comments_url": links["comments"]["href"],
        "statuses_url": links["statuses"]["href"],
        "number": pull.number,
        "state": pull.state,
        "locked": pull.is_locked,
        "title": pull.title,
        "user": user(world, pull.author),
        "body": pull.body,
        "labels": [label(world, where, name) for name in pull.labels],
        "milestone": None,
        "active_lock_reason": None,
        "created_at": stamp(pull.created_at),
        "updated_at": stamp(pull.updated_at),
        "closed_at": stamp(pull.closed_at),
        "merged_at": stamp(pull.closed_at) if pull.is_merged else None,
        "merge_commit_sha": pull.head_sha if pull.is_merged else None,
        "assignee": None,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "head": _side(world, pull.source, pull.head, pull.head_sha),
        "base": _side(world, where, pull.base, pull.base_sha),
        "_links": links,
        "author_association": association(pull.author, where, pull),
        "auto_merge": None,
        "draft": pull.draft,
    }


def _links(api: str, web: str, pull: Pull) -> Json:
    addresses = {
        "self": f"{api}/pulls/{pull.number}",
        "html": web,
        "issue": f"{api}/issues/{pull.number}",
        "comments": f"{api}/issues/{pull.number}/comments",
        "review_comments": f"{api}/pulls/{pull.number}/comments",
        "review_comment": f"{api}/pulls/comments{{/number}}",
        "commits": f"{api}/pulls/{pull.number}/commits",
        "statuses": f"{api}/statuses/{pull.head_sha}",
    }
    return {name: {"href": address} for name, address in addresses.items()}


async def whole(world: World, pull: Pull) -> Json:
    """A pull request by itself, with what GitHub counts in it."""
    files = await changed_files(pull)
    return list_item(world, pull) | {
        "merged": pull.is_merged,
        "mergeable": None if pull.is_merged else True,
        "rebaseable": None if pull.is_merged else True,
        "mergeable_state": "unknown" if pull.is_merged else "draft" if pull.draft else "clean",
        "merged_by": user(world, pull.repository.owner) if pull.is_merged else None,
        "comments": len(pull.comments),
        "review_comments": len(pull.review_comments),
        "maintainer_can_modify": pull.source is not pull.repository,
        "commits": len(await git.commits(pull.repository.git, pull.base_sha, pull.head_sha)),
        "additions": sum(file.count("+") for file in files),
        "deletions": sum(file.count("-") for file in files),
        "changed_files": len(files),
    }


async def changed_files(pull: Pull, commit: str = "") -> tuple[diffs.File, ...]:
    """The diff of a pull request as it is now, or as it was at an earlier commit of it."""
    folder, head = pull.repository.git, commit or pull.head_sha
    base = await git.merge_base(folder, pull.base_sha, head)
    return await diffs.diff(folder, base or pull.base_sha, head)


def minimal(world: World, pull: Pull) -> Json:
    """A pull request in few words, as in a check run."""
    return {
        "id": pull.id,
        "number": pull.number,
        "url": f"{world.api}/repos/{pull.repository.full_name}/pulls/{pull.number}",
        "head": {"ref": pull.head, "sha": pull.head_sha, "repo": brief(world, pull.source)},
        "base": {"ref": pull.base, "sha": pull.base_sha, "repo": brief(world, pull.repository)},
    }
