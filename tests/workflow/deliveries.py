"""Build webhook deliveries by hand, for the cases that the collected GitHub examples lack."""

import gzip
import json
from pathlib import Path
from typing import Any

from bot.workflow.events import OwnAccount

OURS = OwnAccount("4242", "deeprepo[bot]")
HEAD, OLD = "a" * 40, "b" * 40


def examples() -> list[tuple[str, dict[str, Any]]]:
    """Return the collected examples as pairs of event name and payload."""
    packed = (Path(__file__).parent / "octokit.json.gz").read_bytes()
    return [(name, payload) for name, payload in json.loads(gzip.decompress(packed))]


def delivery(action: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
    """Build a delivery with the fields that every event has, plus the given ones."""
    made = {
        "action": action,
        "installation": {"id": 7},
        "repository": {"id": 11, "name": "shop", "full_name": "acme/shop", "owner": {"login": "acme", "type": "Organization"}},
        "sender": {"login": "maintainer", "type": "User"},
    }  # fmt: skip
    return made | more


def pull(action: str, *, fork: bool = False, draft: bool = False, state: str = "open", **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Build an event on pull request 5. With `fork`, its head repository is null, as for a deleted fork."""
    repository = None if fork else {"id": 11, "full_name": "acme/shop"}
    head = {"ref": "feature", "sha": HEAD, "repo": repository}
    return delivery(
        action,
        number=5,
        pull_request={"number": 5, "state": state, "draft": draft, "head": head, "author_association": "MEMBER"},
        **more,
    )


def comment(body: str, *, on_pull: bool = True, author: str = "maintainer", kind: str = "User", app: int = 0, action: str = "created", association: str = "MEMBER") -> dict[str, Any]:  # fmt: skip
    """Build a comment event on pull request 5 or, with `on_pull=False`, on an issue."""
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
    """Build a reply in a review thread. `top` is the ID of its first comment; None starts a new thread."""
    user = {"login": "maintainer", "type": "User"}
    written = {"id": 91, "body": body, "user": user, "author_association": "COLLABORATOR"} | (
        {"in_reply_to_id": top} if top else {}
    )
    return pull("created") | {"comment": written}


def check(action: str, *, number: str = "5", app: int = 4242, pulls: tuple[int, ...] = (), button: str = "") -> dict[str, Any]:  # fmt: skip
    """Build a check run event. `pulls` are the pull requests in the payload, all into repository 11."""
    named = [{"number": n, "base": {"repo": {"id": 11}}} for n in pulls]
    run = {"head_sha": HEAD, "external_id": number, "app": {"id": app}, "pull_requests": named}
    pressed = {"requested_action": {"identifier": button}} if button else {}
    return delivery(action, check_run=run, **pressed)
