"""Deliveries as GitHub sends them, made by hand for what the collected examples do not hold."""

import gzip
import json
from pathlib import Path
from typing import Any

from bot.workflow.events import OwnAccount

OURS = OwnAccount("4242", "deeprepo[bot]")
HEAD, OLD = "a" * 40, "b" * 40


def examples() -> list[tuple[str, dict[str, Any]]]:
    """The collected examples, each with the name of its event."""
    packed = (Path(__file__).parent / "octokit.json.gz").read_bytes()
    return [(name, payload) for name, payload in json.loads(gzip.decompress(packed))]


def delivery(action: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
    """What all deliveries have, and more."""
    made = {
        "action": action,
        "installation": {"id": 7},
        "repository": {"id": 11, "name": "shop", "full_name": "acme/shop", "owner": {"login": "acme", "type": "Organization"}},
        "sender": {"login": "maintainer", "type": "User"},
    }  # fmt: skip
    return made | more


def pull(action: str, *, fork: bool = False, draft: bool = False, state: str = "open", **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """An event of pull request 5. A fork that was deleted has no repository any more."""
    repository = None if fork else {"id": 11, "full_name": "acme/shop"}
    head = {"ref": "feature", "sha": HEAD, "repo": repository}
    return delivery(
        action,
        number=5,
        pull_request={"number": 5, "state": state, "draft": draft, "head": head, "author_association": "MEMBER"},
        **more,
    )


def comment(body: str, *, on_pull: bool = True, author: str = "maintainer", kind: str = "User", app: int = 0, action: str = "created", association: str = "MEMBER") -> dict[str, Any]:  # fmt: skip
    """A comment below pull request 5, or on an issue."""
    user = {"login": author, "type": kind}
    issue = {"number": 5, "state": "open"} | ({"pull_request": {"url": "https://api.github.com/"}} if on_pull else {})
    written = {
        "id": 90,
        "body": body,
        "user": user,
        "author_association": association,
        "performed_via_github_app": {"id": app} if app else None,
    }
    return delivery(action, issue=issue, comment=written) | {"sender": user}


def reply(body: str, top: int | None = 80) -> dict[str, Any]:
    """A comment in a thread of a review; `top` is the comment that began it."""
    user = {"login": "maintainer", "type": "User"}
    written = {"id": 91, "body": body, "user": user, "author_association": "COLLABORATOR"} | (
        {"in_reply_to_id": top} if top else {}
    )
    return pull("created") | {"comment": written}


def check(action: str, *, number: str = "5", app: int = 4242, pulls: tuple[int, ...] = (), button: str = "") -> dict[str, Any]:  # fmt: skip
    """A check run; `pulls` are the pull requests that GitHub names, each into the repository 11."""
    named = [{"number": n, "base": {"repo": {"id": 11}}} for n in pulls]
    run = {"head_sha": HEAD, "external_id": number, "app": {"id": app}, "pull_requests": named}
    pressed = {"requested_action": {"identifier": button}} if button else {}
    return delivery(action, check_run=run, **pressed)
