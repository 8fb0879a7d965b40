"""Whose comments count as a stranger's: what makes a person known for a day, and what does not."""

import time
from pathlib import Path
from typing import Any

import pytest
from serving import HEADS, Served, pull, served, settings

from bot import storage
from bot.app.webhook import COMMENTS_OF_STRANGER, DAY, Admission
from bot.values import Ask, CommandAsk, CommentRef, PullRef

WHO = "visitor"
SENDER = {"sender": {"login": WHO, "type": "User"}}
PULL = PullRef(7, 3, "acme", "shop", 1)


def comment(number: int, association: str = "NONE") -> dict[str, Any]:
    written = {"id": number, "body": "/deeprepo help", "user": SENDER["sender"], "author_association": association}
    stamped = {**written, "created_at": "2026-11-22T10:00:00Z"}
    place = {name: pull()[name] for name in ("repository", "installation")}
    return {"action": "created", "issue": {"number": 1, "pull_request": {}}, "comment": stamped, **place, **SENDER}


def pressed() -> dict[str, Any]:
    check = {"head_sha": HEADS[1], "external_id": "1", "app": {"id": 12}}
    place = {name: pull()[name] for name in ("repository", "installation")}
    return {"action": "rerequested", "check_run": check, **place, **SENDER}


async def nothing(_ask: Ask, _job: object) -> None:
    """The work of these tests."""


async def taken_on(one: Served, most: int = COMMENTS_OF_STRANGER + 4) -> int:
    """How many of a visitor's comments are taken on, of so many."""
    answers = [await one.deliver(comment(number), "issue_comment") for number in range(100, 100 + most)]
    return sum(answer.json()["outcome"] == "queued" for answer in answers)


@pytest.mark.parametrize(
    ("payload", "event"),
    [
        (pressed(), "check_run"),
        ({**pull(action="synchronize"), **SENDER}, "pull_request"),
        ({**pull(action="closed"), **SENDER}, "pull_request"),
    ],
)
async def test_what_tells_of_somebody_else_makes_nobody_known(
    tmp_path: Path, payload: dict[str, Any], event: str
) -> None:
    """A press of Re-run names nobody's standing, and a push to a member's pull request or its closing names the member's."""
    async with served(settings(tmp_path), nothing) as one:
        assert (await one.deliver(payload, event)).json()["outcome"] == "queued"
        assert await taken_on(one) == COMMENTS_OF_STRANGER


async def test_who_may_write_is_known_for_a_day_and_not_by_their_own_comments_for_longer(tmp_path: Path) -> None:
    """What was taken on because somebody was known says nothing of the day after."""
    now = time.time()
    async with storage.open_store(f"sqlite:///{tmp_path}/deeprepo.db") as store:
        admission = Admission(store.people)
        await store.people.note(PULL, CommentRef(1, "issue"), WHO, now, writes=True)
        for hours, most in ((20, COMMENTS_OF_STRANGER + 4), (30, COMMENTS_OF_STRANGER)):
            decisions = [
                await admission.admit(
                    CommandAsk(PULL, "help", "", WHO, CommentRef("issue", number), stranger=True),
                    f"{hours}-{number}",
                    now + hours * DAY / 24,
                )
                for number in range(COMMENTS_OF_STRANGER + 4)
            ]
            assert sum(not refusal for refusal, _ in decisions) == most
