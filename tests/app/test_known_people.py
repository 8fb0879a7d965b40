"""Which pushes are delayed: never the first in an hour, and a writer's only if there are very many."""

import time
from pathlib import Path

from serving import HEADS

from bot import storage
from bot.app.webhook import DAY, UNDELAYED_CHANGES, Admission
from bot.values import CommentRef, PullRef, ReviewJob

WHO = "visitor"
PULL = PullRef(7, 3, "acme", "shop", 1)


async def unknown(pull: PullRef, login: str) -> bool:
    """Answer as if GitHub reported no permission."""
    return False


async def test_private_member_is_not_delayed(tmp_path: Path) -> None:
    """GitHub is asked once per person whose pushes would be delayed. Writers do not use up others' limit."""
    asked = []

    async def may_write(pull: PullRef, login: str) -> bool:
        asked.append(login)
        return login != "outsider"

    async with storage.open_store(f"sqlite:///{tmp_path}/deeprepo.db") as store:
        admission, now = Admission(store.people, may_write), time.time()
        for who, waits in ((WHO, False), ("colleague", False), ("outsider", True)):
            for number in range(UNDELAYED_CHANGES + 30):
                ask = ReviewJob(PULL, "push", actor=who, head=HEADS[1], stranger=True)
                delay = await admission.delay(ask, f"{who}-{number}", now)
                assert delay is None or (waits and number >= UNDELAYED_CHANGES)
            assert (delay is not None) is waits
    assert asked == [WHO, "colleague", "outsider"]


async def test_later_pushes_are_delayed_only_for_strangers(tmp_path: Path) -> None:
    """For a day, a person known to have write access is not a stranger, whatever the delivery says."""
    now = time.time()
    async with storage.open_store(f"sqlite:///{tmp_path}/deeprepo.db") as store:
        admission = Admission(store.people, unknown)
        await store.people.record_comment(PULL, CommentRef(1, "issue"), WHO, now, writes=True)
        for hours, waits in ((20, False), (30, True)):
            delays = [
                await admission.delay(
                    ReviewJob(PULL, "push", actor=WHO, head=HEADS[1], stranger=True),
                    f"{hours}-{number}",
                    now + hours * DAY / 24,
                )
                for number in range(UNDELAYED_CHANGES + 2)
            ]
            assert delays[:UNDELAYED_CHANGES] == [None] * UNDELAYED_CHANGES
            assert (delays[-1] is not None) is waits
