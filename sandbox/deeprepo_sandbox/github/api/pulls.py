"""Pull requests: one, a list, their files and commits."""

from deeprepo_sandbox.github import git, hooks
from deeprepo_sandbox.github.bodies import commits
from deeprepo_sandbox.github.bodies.pulls import changed_files, list_item, whole
from deeprepo_sandbox.github.call import Answer, Call, Do
from deeprepo_sandbox.github.things import Pull

MOST_FILES, MOST_COMMITS = 3000, 250
DIFF_FILES, DIFF_LINES = 300, 20_000  # above which GitHub gives no diff


async def get(call: Call) -> Answer:
    """GET R/pulls/N, as JSON or as a diff."""
    pull = call.pull
    if "diff" not in call.accept:
        return Answer(200, await whole(call.world, pull))
    files = await changed_files(pull)
    lines = sum(file.count("+") + file.count("-") for file in files)
    if len(files) > DIFF_FILES or lines > DIFF_LINES:
        said = f"Sorry, the diff exceeded the maximum number of files ({DIFF_FILES}) or lines ({DIFF_LINES})."
        return Answer(406, {"message": said, "documentation_url": "https://docs.github.com/rest", "status": "406"})
    text = await git.text(pull.repository.git, "diff", "-M", f"{pull.base_sha}...{pull.head_sha}")
    return Answer(200, text, {"content-type": "application/vnd.github.diff; charset=utf-8"})


async def find(call: Call) -> Answer:
    """GET R/pulls."""
    state, head, base = (call.query.get(name, "") for name in ("state", "head", "base"))
    rows = [p for p in call.repository.pulls.values() if state == "all" or p.state == (state or "open")]
    rows = [p for p in rows if not base or p.base == base]
    rows = [p for p in rows if not head or head == f"{p.source.owner.login}:{p.head}"]
    return call.pages([list_item(call.world, pull) for pull in _sort(rows, call)])


def _sort(rows: list[Pull], call: Call) -> list[Pull]:
    """In the order asked for: the newest first, unless something else is said."""
    key = call.query.get("sort", "created")
    down = call.query.get("direction", "desc" if key == "created" else "asc") == "desc"
    return sorted(rows, key=lambda p: (p.updated_at if key == "updated" else p.created_at, p.number), reverse=down)


async def files(call: Call) -> Answer:
    """GET R/pulls/N/files."""
    pull = call.pull
    rows = (await changed_files(pull))[:MOST_FILES]
    return call.pages([commits.file(call.world, pull.repository, pull.head_sha, file) for file in rows])


async def history(call: Call) -> Answer:
    """GET R/pulls/N/commits."""
    pull = call.pull
    shas = (await git.commits(pull.repository.git, pull.base_sha, pull.head_sha))[:MOST_COMMITS]
    return call.pages([await commits.commit(call.world, pull.repository, sha) for sha in shas])


async def update(call: Call) -> Answer:
    """PATCH R/pulls/N: a new title or description."""
    pull, said = call.pull, call.body
    fields: tuple[str, ...] = ("title", "body")
    old = {name: {"from": getattr(pull, name)} for name in fields if name in said}
    pull.title, pull.body = said.get("title", pull.title), said.get("body", pull.body)
    call.world.begin(hooks.on_pull_edited(call.world, pull, call.user, old))
    return Answer(200, await whole(call.world, pull))


OPERATIONS: dict[str, Do] = {
    "pulls/get": get,
    "pulls/list": find,
    "pulls/update": update,
    "pulls/list-files": files,
    "pulls/list-commits": history,
}
