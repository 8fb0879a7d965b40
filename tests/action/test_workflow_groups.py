"""The concurrency groups of the documented workflows: GitHub keeps one waiting run of a group, and drops the older one."""

import re
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parents[2] / "docs/workflows"


def group(name: str, comment: dict[str, Any], run: int) -> str:
    """The group of a run that a comment starts, as GitHub evaluates the expression."""
    written = yaml.safe_load((FOLDER / name).read_text())["concurrency"]["group"]
    event = {"issue": {"number": 5}, "pull_request": {"number": 5}, "comment": comment}
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: str(_value(found[1], {"event": event, "run_id": run})), written)


def _value(expression: str, github: dict[str, Any]) -> object:
    text = expression.replace("&&", " and ").replace("||", " or ")
    text = re.sub(r"!(?=\w)", " not ", text)
    text = re.sub(r"github((?:\.\w+)+)", lambda found: "github" + re.sub(r"\.(\w+)", r"['\1']", found[1]), text)
    names = {
        "github": github,
        "contains": lambda listed, one: one in listed,
        "fromJSON": yaml.safe_load,
        "startsWith": lambda text, start: text.lower().startswith(start),
        "format": lambda text, *given: text.format(*given),
    }
    return eval(text.strip(), {"__builtins__": {}}, names)  # noqa: S307 - the project's own files


def comment(login: str, association: str, body: str = "/deeprepo review", number: int = 1) -> dict[str, Any]:
    """A comment of a person."""
    return {"id": number, "body": body, "author_association": association, "user": {"login": login}}


def test_nobody_displaces_the_teams_waiting_command() -> None:
    """A stranger's commands share a group with each other and with nobody else's, whatever the stranger is called."""
    for name, body in (("issue_comment.yml", "/deeprepo review"), ("conversation.yml", "No.")):
        team = group(name, comment("ann", "MEMBER", body), 1)
        names = ("stranger", "team", "ann", "1", "command", "by-ann")
        others = [group(name, comment(login, "NONE", body, 2), 2) for login in names]
        assert team not in others
        assert len({*others}) == len(names)
        assert group(name, comment("stranger", "NONE", body, 3), 3) == others[0]


def test_a_comment_that_is_no_command_is_in_nobodys_way() -> None:
    """Its run has a group of its own; replies of the team have one each."""
    talk = [group("issue_comment.yml", comment("ann", "MEMBER", "Thanks.", n), n) for n in (1, 2)]
    replies = [group("conversation.yml", comment("ann", "OWNER", "No.", n), n) for n in (1, 2)]
    assert (len({*talk}), len({*replies})) == (2, 2)


def test_each_kind_of_run_has_a_group_of_its_own() -> None:
    """A push does not end what somebody has started by hand or by a command."""
    written = {path.name: yaml.safe_load(path.read_text())["concurrency"] for path in FOLDER.glob("*.yml")}
    starts = {name: re.match(r"deeprepo-[a-z-]*", found["group"])[0] for name, found in written.items()}  # type: ignore[index]
    pushes = {name for name, start in starts.items() if start == "deeprepo-push-"}
    assert pushes == {"pull_request.yml", "pull_request_target.yml", "sarif.yml"}
    assert len({*starts.values()}) == len(starts) - len(pushes) + 1
    assert all(found["cancel-in-progress"] == (name in pushes) for name, found in written.items())
