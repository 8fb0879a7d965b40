"""A repository: itself, its people, its files, two commits compared."""

import base64
import posixpath

from deeprepo_sandbox.github import diffs, git
from deeprepo_sandbox.github.bodies import commits, people
from deeprepo_sandbox.github.bodies.repositories import repository
from deeprepo_sandbox.github.call import Answer, Call, Do, GitHubRefusal, find_or_404
from deeprepo_sandbox.github.things import Json, Repository

MOST_FILES, MOST_COMMITS = 300, 250  # that GitHub compares
MOST_LINES = 300_000  # of a diff that GitHub compares in its time
MOST_SHOWN = 1 << 20  # bytes of a file that comes with its content
ROLES = {"admin": "admin", "write": "write", "read": "read", "none": ""}


async def get(call: Call) -> Answer:
    """GET R."""
    return Answer(200, repository(call.world, call.repository, full=True))


async def permission(call: Call) -> Answer:
    """GET R/collaborators/LOGIN/permission."""
    who = find_or_404(call.world.users.get(call.params["username"]))
    rights = call.world.permission(who.login, call.repository)
    at_least = {"pull": rights != "none", "triage": False, "push": rights in {"write", "admin"}}
    marks = at_least | {"maintain": rights == "admin", "admin": rights == "admin"}
    person = people.user(call.world, who) | {"permissions": marks, "role_name": ROLES[rights]}
    return Answer(200, {"permission": rights, "role_name": ROLES[rights], "user": person})


async def content(call: Call) -> Answer:
    """GET R/contents/PATH: a file, as JSON or raw; a folder's entries. A link to a file of the repository is that file."""
    where, path = call.repository, call.params["path"]
    sha = await _commit(where, call.query.get("ref") or where.default_branch)
    if await git.kind(where.git, f"{sha}:{path}") == "tree":
        return Answer(200, await _entries(call, sha, path))
    target = await commits.target(where.git, sha, path)
    linked = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target is not None else path
    followed = None if linked.startswith(("/", "..")) else await commits.blob(where.git, sha, linked)
    data = followed if followed is not None else find_or_404(await commits.blob(where.git, sha, path))
    if "raw" in call.accept:
        return Answer(200, data.decode(errors="replace"), {"content-type": "application/vnd.github.raw; charset=utf-8"})
    blob = await git.text(where.git, "rev-parse", f"{sha}:{path}")
    api, web = f"{call.world.api}/repos/{where.full_name}", f"{call.world.origin}/{where.full_name}"
    links = {
        "git": f"{api}/git/blobs/{blob}",
        "self": f"{api}/contents/{path}?ref={sha}",
        "html": f"{web}/blob/{sha}/{path}",
    }
    form: Json = {"type": "file", "encoding": "base64", "content": base64.encodebytes(data).decode()}
    if len(data) > MOST_SHOWN:
        form |= {"encoding": "none", "content": ""}
    if target is not None and followed is None:
        form = {"type": "symlink", "target": target}
    row = form | {
        "size": len(data),
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": blob,
        "url": links["self"],
        "git_url": links["git"],
        "html_url": links["html"],
        "download_url": f"{web}/raw/{sha}/{path}",
        "_links": links,
    }
    return Answer(200, row)


async def _entries(call: Call, sha: str, folder: str) -> list[Json]:
    """What lies in a folder, without the contents."""
    where, rows = call.repository, list[Json]()
    for line in (await git.text(call.repository.git, "ls-tree", f"{sha}:{folder}")).split("\n"):
        about, _, name = line.partition("\t")
        _, kind, oid = about.split()
        path, web = f"{folder}/{name}", f"{call.world.origin}/{where.full_name}"
        api = f"{call.world.api}/repos/{where.full_name}"
        links = {
            "self": f"{api}/contents/{path}?ref={sha}",
            "git": f"{api}/git/{kind}s/{oid}",
            "html": f"{web}/{kind}/{sha}/{path}",
        }
        row = {"type": "dir" if kind == "tree" else "file", "size": 0, "name": name, "path": path, "sha": oid}
        addresses = {"url": links["self"], "git_url": links["git"], "html_url": links["html"], "download_url": None}
        rows.append(row | addresses | {"_links": links})
    return rows


async def compare(call: Call) -> Answer:
    """GET R/compare/BASE...HEAD: the merge base, the commits and the files of the three-dot diff."""
    where = call.repository
    left, dots, right = call.params["basehead"].partition("...")
    if not dots:
        raise GitHubRefusal(404, "Not Found")
    base, head = await _commit(where, left), await _commit(where, right)
    middle = find_or_404(await git.merge_base(where.git, base, head))
    if await diffs.changed_lines(where.git, middle, head) > MOST_LINES:
        raise GitHubRefusal(422, "Server Error: Sorry, this diff is taking too long to generate.")
    if "diff" in call.accept:
        text = await git.text(where.git, "diff", *diffs.FORM, middle, head)
        return Answer(200, text, {"content-type": "application/vnd.github.diff; charset=utf-8"})
    ahead, behind = await git.commits(where.git, base, head), await git.commits(where.git, head, base)
    first = call.query.get("page", "1") == "1"  # the files stand on the first page alone
    files = await diffs.diff(where.git, middle, head) if first else []
    state = {(True, True): "diverged", (True, False): "ahead", (False, True): "behind"}
    web = f"{call.world.origin}/{where.full_name}/compare/{left}...{right}"

    def wrap(part: list[Json]) -> Json:
        return made | {"commits": part}

    made: Json = {
        "url": f"{call.world.api}{call.path}",
        "html_url": web,
        "permalink_url": f"{call.world.origin}/{where.full_name}/compare/{base}...{head}",
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        "base_commit": await commits.commit(call.world, where, base),
        "merge_base_commit": await commits.commit(call.world, where, middle),
        "status": state.get((bool(ahead), bool(behind)), "identical"),
        "ahead_by": len(ahead),
        "behind_by": len(behind),
        "total_commits": len(ahead),
        "files": [commits.file(call.world, where, head, file) for file in files[:MOST_FILES]],
    }
    return call.pages([await commits.commit(call.world, where, sha) for sha in ahead[:MOST_COMMITS]], wrap)


async def _commit(where: Repository, ref: str) -> str:
    """A commit by branch, tag or id; of forks by "owner:branch" too, as their commits lie in the same store."""
    return find_or_404(await git.tip(where.git, ref.rpartition(":")[2]))


OPERATIONS: dict[str, Do] = {
    "repos/get": get,
    "repos/get-collaborator-permission-level": permission,
    "repos/get-content": content,
    "repos/compare-commits-with-basehead": compare,
}
