"""Webhooks: which App hears of an event, the signed delivery, and the list of attempts."""

import hashlib
import hmac
import json
import uuid
from dataclasses import replace
from typing import Any

import httpx2

from deeprepo_sandbox.github import payloads
from deeprepo_sandbox.github.things import (
    App,
    Check,
    Comment,
    Delivery,
    Installation,
    Json,
    Pull,
    Repository,
    Review,
    User,
)
from deeprepo_sandbox.github.world import World

PATIENCE = 10.0  # seconds that GitHub waits for an answer
STATUS = {200: "OK", 202: "OK", 500: "Internal Server Error", 504: "Gateway Timeout"}
GOOD, WORST = 200, 300
ALWAYS = ("installation", "installation_repositories", "ping")  # heard without being asked for


def sign(secret: str, body: bytes) -> str:
    """The value of X-Hub-Signature-256."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


async def on_comment(world: World, pull: Pull, comment: Comment, action: str = "created") -> None:
    """Tell the Apps that a comment was written."""
    if world.has_listeners:
        event, facts = await payloads.comment(world, pull, comment)
        await send(world, pull.repository, event, action, facts, comment.user)


async def on_review(world: World, pull: Pull, review: Review) -> None:
    """Tell the Apps that a review was handed in; GitHub keeps each single comment on lines in one too, without a text."""
    if world.has_listeners:
        facts = await payloads.review(world, pull, review)
        await send(world, pull.repository, "pull_request_review", "submitted", facts, review.user)


async def on_pull_edited(world: World, pull: Pull, who: User, changes: Json) -> None:
    """A title or a description was changed over the API."""
    if world.has_listeners:
        facts = await payloads.pull(world, pull, changes=changes)
        await send(world, pull.repository, "pull_request", "edited", facts, who)


async def on_check(world: World, where: Repository, check: Check, action: str) -> None:
    """Tell the App of a check run that something happened to it."""
    if world.has_listeners:
        facts = payloads.check(world, where, check)
        await send(world, where, "check_run", action, facts, check.app.bot, only=check.app)


async def send(
    world: World,
    where: Repository,
    event: str,
    action: str | None,
    facts: Json,
    sender: User,
    *,
    only: App | None = None,
) -> list[Delivery]:
    """Tell every App that is installed on a repository and listens to the event."""
    made = []
    for home in tuple(world.installations_of(where)):
        if home.suspended_at is not None or only not in {None, home.app} or event not in (*home.app.events, *ALWAYS):
            continue
        made.append(await deliver(world, home, where, event, action, facts, sender))
    return made


async def deliver(
    world: World,
    home: Installation,
    where: Repository | None,
    event: str,
    action: str | None,
    facts: Json,
    sender: User,
) -> Delivery:
    """One delivery to one installation; held back where a test asks for it."""
    payload = payloads.envelope(world, home, where, action, facts, sender)
    now = world.now()
    guid = str(uuid.uuid4())
    repository = where.id if where else None
    one = Delivery(world.id(), guid, event, action, payload, home.id, repository, now)
    if world.held is not None:
        world.held.append(one)
    else:
        await hand_over(world, home.app, one)
    return one


def again(world: World, old: Delivery) -> Delivery:
    """Redeliver a delivery: a new id and date, with its old GUID and body."""
    return replace(old, id=world.id(), redelivery=True, delivered_at=world.now(), status="pending", status_code=0)


async def hand_over(world: World, app: App, one: Delivery) -> int:
    """Send it, and write down what came back. The status; 504 where nobody answered in time, 502 where nobody is there."""
    if app.webhook is None:
        return 0
    body = json.dumps(one.payload).encode()
    began = world.now()
    world.deliveries.append(one)
    try:
        answer = await world.client.post(app.webhook, content=body, headers=headers(app, one, body), timeout=PATIENCE)
        one.status_code = answer.status_code
    except httpx2.TimeoutException:
        one.status_code = 504
    except httpx2.HTTPError:
        one.status_code = 502
    one.duration = round((world.now() - began).total_seconds(), 2)
    one.status = "OK" if GOOD <= one.status_code < WORST else STATUS.get(one.status_code, "Invalid HTTP Response")
    return one.status_code


def headers(app: App, one: Delivery, body: bytes) -> dict[str, str]:
    """The headers of a delivery, with both signatures."""
    old = hmac.new(app.secret.encode(), body, hashlib.sha1).hexdigest()
    made: dict[str, Any] = {
        "accept": "*/*",
        "content-type": "application/json",
        "user-agent": "GitHub-Hookshot/5a4d0b1",
        "x-github-event": one.event,
        "x-github-delivery": one.guid,
        "x-github-hook-id": app.id,
        "x-github-hook-installation-target-id": app.id,
        "x-github-hook-installation-target-type": "integration",
        "x-hub-signature": f"sha1={old}",
        "x-hub-signature-256": sign(app.secret, body),
    }
    return {name: str(value) for name, value in made.items()}
