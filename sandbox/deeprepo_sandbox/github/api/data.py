"""Git's own data: trees and commits are made, and a branch is pointed at one of them. Nothing is ever lost by a fast-forward."""

import time

from deeprepo_sandbox.github import git
from deeprepo_sandbox.github.bodies import commits
from deeprepo_sandbox.github.call import Answer, Call, Do, GitHubRefusal, find_or_404, invalid
from deeprepo_sandbox.github.description import example
from deeprepo_sandbox.github.repo import Repo
from deeprepo_sandbox.github.things import Json

FILES = ("100644", "100755")
WORKFLOWS = ".github/workflows/"
MALFORMED = {"", ".", "..", ".git"}  # parts of a path


async def create_tree(call: Call) -> Answer:
    """POST R/git/trees: files with their contents upon a base tree."""
    where, base = call.repository, str(call.body.get("base_tree") or "")
    if base and await git.kind(where.git, base) not in ("tree", "commit"):
        raise GitHubRefusal(422, "base_tree is not a valid oid")
    rows = call.body["tree"]
    if not rows:
        raise GitHubRefusal(422, "Invalid tree info")
    if any(not {*str(row.get("path", "")).split("/")}.isdisjoint(MALFORMED) for row in rows):
        raise GitHubRefusal(422, "tree.path contains a malformed path component")
    if not _may_change_workflows(call) and any(str(row["path"]).startswith(WORKFLOWS) for row in rows):
        raise GitHubRefusal(403, "Resource not accessible by integration")
    if any(
        row.get("type") not in (None, "blob") or row.get("mode") not in FILES or "content" not in row for row in rows
    ):
        raise GitHubRefusal(422, "tree.mode or tree.type is invalid")
    sha = await git.tree(where.git, base, [(row["mode"], row["path"], row["content"]) for row in rows])
    root: Json = {"sha": sha, "url": f"{call.world.api}/repos/{where.full_name}/git/trees/{sha}", "truncated": False}
    listed = (await git.text(where.git, "ls-tree", "-z", sha)).rstrip("\0")
    shown = []
    for row in listed.split("\0"):
        (mode, kind, oid), path = row.partition("\t")[0].split(), row.partition("\t")[2]
        shown.append({"path": path, "mode": mode, "type": kind, "sha": oid, "url": root["url"]})
    return Answer(201, root | {"tree": shown})


async def create_commit(call: Call) -> Answer:
    """POST R/git/commits: a commit of the caller; no branch points to it yet."""
    where, body = call.repository, call.body
    parents = list(body.get("parents") or ())
    if not body["message"].strip():
        raise invalid("Commit", "message", "missing_field")
    if await git.kind(where.git, body["tree"]) != "tree":
        raise GitHubRefusal(422, "Tree SHA does not exist")
    if any([await git.kind(where.git, parent) != "commit" for parent in parents]):
        raise GitHubRefusal(422, "Parent SHA does not exist or is not a commit object")
    who = call.user.login
    stamp = f"{who} <{who}@users.noreply.example.invalid> {int(time.time())} +0000"
    sha = await git.make_commit(where.git, body["tree"], parents, body["message"], stamp)
    return Answer(201, await _commit(call, sha))


async def get_commit(call: Call) -> Answer:
    """GET R/git/commits/SHA."""
    sha = call.params["commit_sha"]
    if await git.kind(call.repository.git, sha) != "commit":
        raise GitHubRefusal(404, "Not Found")
    return Answer(200, await _commit(call, sha))


async def _commit(call: Call, sha: str) -> Json:
    told = await commits.commit(call.world, call.repository, sha)
    inner = told["commit"]
    return {
        **{name: told[name] for name in ("sha", "node_id", "html_url", "parents")},
        **{name: inner[name] for name in ("author", "committer", "message", "tree", "verification")},
        "url": inner["url"],
    }


async def get_ref(call: Call) -> Answer:
    """GET R/git/ref/REF."""
    return Answer(200, await _ref(call, call.params["ref"]))


async def update_ref(call: Call) -> Answer:
    """PATCH R/git/refs/REF: only forward unless it is forced; a protected branch takes no push of an App."""
    where, name, sha = call.repository, call.params["ref"], call.body["sha"]
    branch = name.removeprefix("heads/")
    before = await git.tip(where.git, f"refs/{name}")
    if before is None:
        raise GitHubRefusal(422, "Reference does not exist")
    if await git.kind(where.git, sha) != "commit":
        raise GitHubRefusal(422, "Object does not exist")
    if branch in where.protected_branches:
        raise GitHubRefusal(422, f"Protected branch update failed for refs/{name}.")
    if rule := where.rules.get(branch):
        raise GitHubRefusal(422, f"Repository rule violations found\n\n{rule}\n\n")
    if not call.body.get("force") and await git.merge_base(where.git, before, sha) != before:
        raise GitHubRefusal(422, "Update is not a fast forward")
    changed = (await git.text(where.git, "diff", "--name-only", before, sha)).split("\n")
    if not _may_change_workflows(call) and any(path.startswith(WORKFLOWS) for path in changed):
        raise GitHubRefusal(403, "Resource not accessible by integration")
    await Repo(call.world, where).point(branch, sha, call.user)
    return Answer(200, await _ref(call, name))


def _may_change_workflows(call: Call) -> bool:
    """Whether the token has the permission without which an App may not write a workflow's file."""
    token = call.caller.token
    return token is not None and token.permissions.get("workflows") == "write"


async def branch(call: Call) -> Answer:
    """GET R/branches/BRANCH."""
    where, name = call.repository, call.params["branch"]
    sha = find_or_404(await git.tip(where.git, f"refs/heads/{name}"))
    there: Json = example("repos/get-branch")
    links = {"html": f"{call.world.origin}/{where.full_name}/tree/{name}", "self": f"{call.world.api}{call.path}"}
    facts = {"name": name, "commit": await commits.commit(call.world, where, sha), "_links": links}
    return Answer(200, there | facts | {"protected": name in where.protected_branches})


async def _ref(call: Call, name: str) -> Json:
    where = call.repository
    sha = find_or_404(await git.tip(where.git, f"refs/{name}"))
    api = f"{call.world.api}/repos/{where.full_name}/git"
    target = {"type": "commit", "sha": sha, "url": f"{api}/commits/{sha}"}
    return {"ref": f"refs/{name}", "node_id": f"REF_{sha}", "url": f"{api}/refs/{name}", "object": target}


OPERATIONS: dict[str, Do] = {
    "git/create-tree": create_tree,
    "git/create-commit": create_commit,
    "git/get-commit": get_commit,
    "git/get-ref": get_ref,
    "git/update-ref": update_ref,
    "repos/get-branch": branch,
}
