"""What GitHub has that no delivery has told us of: deliveries that never arrived, and open pull requests."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from bot.errors import HostRefused
from bot.github import Identity, RequestPace, apps, shapes
from bot.github.client import GitHubClient
from bot.values import PullRef
from bot.workflow import events

MOST_DELIVERIES, MOST_REPOSITORIES, MOST_PULLS = 20, 5, 1  # pages of a hundred
ATTEMPTS = 4  # after which a delivery is left alone
SENT = {"delivered_at": "delivered_at", "status": "status_code"}
OPEN = {"head": "head.sha", "base": "base.ref", "updated_at": "updated_at"}


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """One attempt of GitHub's to deliver a webhook. `guid` is the same for all attempts of one event."""

    id: int
    guid: str
    event: str
    action: str
    delivered_at: str  # when, as ISO 8601
    status: int  # our answer; 0: none came

    @property
    def has_arrived(self) -> bool:
        """Whether we took it."""
        return 200 <= self.status < 300  # noqa: PLR2004 - HTTP's own range


@dataclass(frozen=True, slots=True)
class OpenPull:
    """A pull request that waits for somebody, as a list tells it."""

    pull: PullRef
    head: str
    base: str  # the branch that it is to be merged into
    draft: bool
    updated_at: str  # when, as ISO 8601


async def deliveries(client: GitHubClient, since: str) -> tuple[DeliveryAttempt, ...]:
    """What GitHub tried to deliver to the App since then (ISO 8601), newest first: one row for each attempt."""
    found: list[DeliveryAttempt] = []
    async for data in client.pages(client.rest.apps.async_list_webhook_deliveries, most=MOST_DELIVERIES):
        sent = shapes.value(DeliveryAttempt, data, SENT)
        if sent.delivered_at < since:
            break
        found.append(sent)
    return tuple(found)


def missed_deliveries(attempts: Iterable[DeliveryAttempt]) -> list[DeliveryAttempt]:
    """The deliveries that never arrived, oldest first: of each the last attempt. Those that keep failing are left alone."""
    by_guid: dict[str, list[DeliveryAttempt]] = {}
    for one in attempts:  # newest first
        if one.event in events.ACTIONS:
            by_guid.setdefault(one.guid, []).append(one)
    found = (rows for rows in by_guid.values() if len(rows) < ATTEMPTS and not any(row.has_arrived for row in rows))
    return [rows[0] for rows in found][::-1]


async def open_pulls(identity: Identity, since: str, pace: RequestPace) -> AsyncGenerator[OpenPull]:
    """The open pull requests on which something happened since then, of one installation after the other; those that rest are left out."""
    async with apps.app(identity, pace) as client:
        homes = [data async for data in client.pages(client.rest.apps.async_list_installations)]
    for number in (int(data["id"]) for data in homes if not data.get("suspended_at")):
        async with apps.acting(identity, number, {"pull_requests": "read", "metadata": "read"}, pace) as inside:
            listing = inside.rest.apps.async_list_repos_accessible_to_installation
            for home in [data async for data in inside.pages(listing, "repositories", MOST_REPOSITORIES)]:
                if not shapes.at(home, "archived"):
                    async for one in _of(home, number, inside, since):
                        yield one


async def _of(home: Any, installation: int, inside: GitHubClient, since: str) -> AsyncGenerator[OpenPull]:  # noqa: ANN401 - JSON
    """Those of a repository, the one first on which something happened last."""
    owner, _, name = str(shapes.at(home, "full_name")).partition("/")
    where = {"installation": installation, "repository": shapes.at(home, "id"), "owner": owner, "name": name}
    where |= {"account": shapes.at(home, "owner.id") or 0}
    listing = partial(inside.rest.pulls.async_list, owner, name, state="open", sort="updated", direction="desc")
    with suppress(HostRefused):  # one repository that is gone meanwhile does not hide the others
        async for data in inside.pages(listing, most=MOST_PULLS):
            one = shapes.value(OpenPull, data, OPEN, pull=shapes.value(PullRef, data, **where))
            if one.updated_at < since:
                return
            yield one
