"""Check runs."""

from datetime import datetime

from deeprepo_sandbox.github import git, hooks
from deeprepo_sandbox.github.bodies.checks import annotation, check
from deeprepo_sandbox.github.call import Answer, Call, Do, GitHubRefusal, find_or_404, invalid
from deeprepo_sandbox.github.things import App, Check, Json

MOST_ANNOTATIONS, MOST_ACTIONS = 50, 3
LENGTHS = {"label": 20, "description": 40, "identifier": 20}
LONGEST = 65_535  # bytes of a summary or a text
LONGEST_MESSAGE, LONGEST_TITLE, LONGEST_DETAILS = 64 << 10, 255, 64 << 10
LEVELS = ("notice", "warning", "failure")


async def create(call: Call) -> Answer:
    """POST R/check-runs."""
    where, said = call.repository, call.body
    head = str(said.get("head_sha", ""))
    if await git.tip(where.git, head) != head:
        raise invalid("CheckRun", "head_sha", "custom", f"No commit found for SHA: {head}")
    if not said.get("name"):
        raise invalid("CheckRun", "name", "missing_field")
    app = _app(call)
    suites = {old.suite for old in where.checks.values() if old.head == head and old.app is app}
    made = Check(call.world.id(), app, said["name"], head, next(iter(suites), call.world.id()))
    _fill(call, made, said, new=True)
    where.checks[made.id] = made
    call.world.begin(hooks.on_check(call.world, where, made, "created"))
    return Answer(201, check(call.world, where, made))


async def update(call: Call) -> Answer:
    """PATCH R/check-runs/ID: annotations are added to those that are there."""
    where, one = call.repository, _check(call)
    if one.app is not _app(call):
        raise GitHubRefusal(
            403, f"Invalid app_id `{_app(call).id}` - check run can only be modified by the GitHub App that created it."
        )
    before = one.status
    _fill(call, one, call.body, new=False)
    if one.status == "completed" != before:
        call.world.begin(hooks.on_check(call.world, where, one, "completed"))
    return Answer(200, check(call.world, where, one))


def _fill(call: Call, one: Check, fields: Json, *, new: bool) -> None:
    """Take over what is said, once all of it was found good."""
    output = fields.get("output") or {}
    _check_output(output, fields, new=new)
    if fields.get("conclusion") == "stale":  # only GitHub itself sets it
        raise invalid("CheckRun", "conclusion")
    done = fields.get("conclusion") is not None
    status = "completed" if done else fields.get("status", one.status)
    if status == "completed" and not done and one.conclusion is None:
        raise invalid("CheckRun", "conclusion", "missing_field")
    now = call.world.now()
    call.repository.queued_suites.discard(one.suite)
    one.status, one.name = status, fields.get("name", one.name)
    one.conclusion = fields.get("conclusion") if status == "completed" and done else one.conclusion
    if status != "completed":
        one.conclusion, one.completed_at = None, None
    one.started_at = _time(fields.get("started_at")) or one.started_at or now
    if status == "completed":
        one.completed_at = _time(fields.get("completed_at")) or one.completed_at or now
    one.external_id = fields.get("external_id", one.external_id)
    one.details_url = fields.get("details_url", one.details_url)
    one.title = output.get("title", one.title)
    one.summary, one.text = output.get("summary", one.summary), output.get("text", one.text)
    one.annotations += output.get("annotations", [])
    one.actions = fields.get("actions", one.actions)


def _check_output(output: Json, fields: Json, *, new: bool) -> None:
    if output and ("summary" not in output or (new and "title" not in output)):
        raise invalid("CheckRun", "output", "missing_field")
    for name in ("summary", "text"):
        if len((output.get(name) or "").encode()) > LONGEST:
            raise invalid("CheckRun", name, "custom", f"{name} exceeds a maximum bytesize of {LONGEST}")
    notes, actions = output.get("annotations", []), fields.get("actions", [])
    if len(notes) > MOST_ANNOTATIONS:
        raise GitHubRefusal(
            422, f"Invalid request.\n\nNo more than {MOST_ANNOTATIONS} items are allowed; {len(notes)} were supplied."
        )
    if len(actions) > MOST_ACTIONS or any(
        len(str(a.get(n, ""))) > most for a in actions for n, most in LENGTHS.items()
    ):
        raise GitHubRefusal(422, "Invalid request.\n\nNo more than 3 actions with short texts are allowed.")
    for note in notes:
        _check_annotation(note)


def _check_annotation(note: Json) -> None:
    """Refuse an annotation that GitHub does not take."""
    if not note["message"].strip():
        raise invalid("CheckRunAnnotation", "message", "missing_field")
    if len((note.get("raw_details") or "").encode()) > LONGEST_DETAILS:
        raise invalid("CheckRunAnnotation", "raw_details")
    if note["annotation_level"] not in LEVELS:
        raise invalid("CheckRunAnnotation", "annotation_level")
    if len(note["message"].encode()) > LONGEST_MESSAGE or len(note.get("title") or "") > LONGEST_TITLE:
        raise invalid("CheckRunAnnotation", "message", "custom", "message or title is too long")
    if note["end_line"] < note["start_line"]:
        raise invalid("CheckRunAnnotation", "end_line")
    if note["start_line"] != note["end_line"] and ("start_column" in note or "end_column" in note):
        raise invalid("CheckRunAnnotation", "start_column")


async def for_ref(call: Call) -> Answer:
    """GET R/commits/REF/check-runs."""
    where = call.repository
    head = find_or_404(await git.tip(where.git, call.params["ref"]))
    name, status, app = (call.query.get(key) for key in ("check_name", "status", "app_id"))
    rows = [one for one in where.checks.values() if one.head == head]
    rows = [one for one in rows if (not name or one.name == name) and (not status or one.status == status)]
    rows = [one for one in rows if not app or str(one.app.id) == app]
    if call.query.get("filter", "latest") == "latest":
        rows = list({(one.suite, one.name): one for one in rows}.values())
    rows.sort(key=lambda one: one.id, reverse=True)
    told = [check(call.world, where, one) for one in rows]
    return call.pages(told, lambda part: {"total_count": len(told), "check_runs": part})


async def annotations(call: Call) -> Answer:
    """GET R/check-runs/ID/annotations."""
    where, one = call.repository, _check(call)
    return call.pages([annotation(call.world, where, one, said) for said in one.annotations])


def _check(call: Call) -> Check:
    return find_or_404(call.repository.checks.get(call.params["check_run_id"]))


def _app(call: Call) -> App:
    """Only Apps write check runs."""
    app = call.caller.token.app if call.caller.token else None
    if app is None:
        raise GitHubRefusal(403, "You must authenticate via a GitHub App.")
    return app


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


OPERATIONS: dict[str, Do] = {
    "checks/create": create,
    "checks/update": update,
    "checks/list-for-ref": for_ref,
    "checks/list-annotations": annotations,
}
