"""Concurrency groups of the documented workflows. GitHub keeps only the newest waiting run of a group."""

import re
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parents[2] / "docs/workflows"


PUSHED = ("pull_request.yml", "pull_request_target.yml", "sarif.yml")
COMMAND, REPLY, PUSH, BY_HAND = "issue_comment", "pull_request_review_comment", "pull_request", "workflow_dispatch"
QUEUE = "merge_group"


class Context(dict[str, Any]):
    """A context in GitHub's expressions, in which missing names are empty."""

    def __missing__(self, _: str) -> "Context":
        return Context()


def workflow(name: str) -> dict[str, Any]:
    """Load one of the documented workflows."""
    return dict(yaml.safe_load((FOLDER / name).read_text().replace("\non:", '\n"on":')))


def concurrency(
    event: str, comment: dict[str, Any] | None = None, run: int = 1, *, name: str = "", **more: object
) -> dict[str, str]:
    """Evaluate the concurrency of the run that this event starts. `more` are fields of the event."""
    written = workflow(name or ("replies.yml" if event == REPLY else "deeprepo.yml"))["concurrency"]
    about: dict[str, object] = {} if event in (BY_HAND, QUEUE) else {"pull_request": Context({"number": 5})}
    if event == COMMAND:
        about = {"issue": {"number": 5}}
    given = Context(
        {
            "event_name": event,
            "run_id": f"run {run}",
            "event": Context({**about, "comment": comment or Context(), **more}),
        }
    )
    return {
        key: re.sub(r"(?s)\$\{\{(.*?)\}\}", lambda found: str(_value(found[1], given, {"pull": 5})), str(text))
        for key, text in written.items()
    }


def group(event: str, comment: dict[str, Any] | None = None, run: int = 1) -> str:
    """Return the run's concurrency group."""
    return concurrency(event, comment, run)["group"]


def _value(expression: str, github: dict[str, Any], inputs: dict[str, Any]) -> object:
    text = expression.replace("&&", " and ").replace("||", " or ")
    text = re.sub(r"!(?=\w)", " not ", text)
    text = text.replace("inputs.pull", "inputs['pull']")
    text = re.sub(r"github((?:\.\w+)+)", lambda found: "github" + re.sub(r"\.(\w+)", r"['\1']", found[1]), text)
    names = {
        "null": Context(),
        "github": github,
        "inputs": inputs,
        "contains": lambda listed, one: one in listed,
        "fromJSON": yaml.safe_load,
        "startsWith": lambda text, start: str(text).lower().startswith(start),
        "format": lambda text, *given: text.format(*given),
    }
    return eval(text.strip(), {"__builtins__": {}}, names)  # noqa: S307 - the project's own files


def comment(login: str, association: str, body: str = "/deeprepo review", number: int = 1) -> dict[str, Any]:
    """Build a person's comment."""
    return {"id": number, "body": body, "author_association": association, "user": {"login": login}}


def test_command_is_never_canceled_by_another_run() -> None:
    """No command waits for another run and no reply cancels another, whatever the authors' associations."""
    commands = [group(COMMAND, comment("ann", "MEMBER"), 1), group(COMMAND, comment("stranger", "NONE"), 2)]
    assert len({*commands, group(PUSH, run=3), group(BY_HAND, run=4)}) == 4
    replies = [comment("ann", said, "No.", n) for n, said in enumerate(("OWNER", "MEMBER", "CONTRIBUTOR", "NONE"))]
    assert len({group(REPLY, reply, n) for n, reply in enumerate(replies)}) == len(replies)


def test_each_kind_of_run_has_its_own_concurrency_group() -> None:
    """A push cancels the review of an older push, but no run started by hand or by a command."""
    runs = {
        event: concurrency(event, comment("ann", "OWNER") if event in (COMMAND, REPLY) else None, run)
        for run, event in enumerate((PUSH, COMMAND, REPLY, BY_HAND), 1)
    }
    assert len({run["group"] for run in runs.values()}) == len(runs)
    assert group(PUSH) == group(PUSH, run=2)
    for name in PUSHED:
        assert concurrency(PUSH, name=name, action="synchronize") == {
            "group": "deeprepo-push-5",
            "cancel-in-progress": "True",
        }


def test_required_job_runs_in_merge_queues_and_cancels_no_other_run() -> None:
    """Each workflow for pushes also runs for `merge_group`, and each of these runs has its own group."""
    for name in (*PUSHED, "deeprepo.yml"):
        assert QUEUE in workflow(name)["on"]
        runs = [concurrency(QUEUE, name=name, run=n) for n in (1, 2)]
        assert runs[0]["group"] != runs[1]["group"]


def test_title_edit_or_label_cancels_no_review() -> None:
    """Canceling the running review would leave the head unreviewed and green, or pay for it twice."""
    base = Context({"base": {"ref": {"from": "main"}}})
    for name in (*PUSHED, "deeprepo.yml"):
        title = concurrency(PUSH, name=name, action="edited", changes=Context({"title": {"from": "a"}}))
        moved = concurrency(PUSH, name=name, action="edited", changes=base)
        label = concurrency(PUSH, name=name, action="labeled")
        assert label["cancel-in-progress"] == "False"
        assert (title["cancel-in-progress"], moved["cancel-in-progress"]) == ("False", "True")
        assert title["group"] == moved["group"]


def test_every_event_that_changes_the_diff_starts_a_run() -> None:
    """A new base is an edit. A workflow for replies has no review job, since a skipped job would pass."""
    for path in FOLDER.glob("*.yml"):
        events, jobs = workflow(path.name)["on"], workflow(path.name)["jobs"]
        changing = [events[name]["types"] for name in ("pull_request", "pull_request_target") if name in events]
        assert all(
            {"opened", "reopened", "synchronize", "ready_for_review", "edited", "labeled"} <= {*types}
            for types in changing
        )
        assert ("review" in jobs) is bool(changing)
        if {"pull_request_review_comment", "pull_request_review"} & {*events}:
            assert not changing
