import pytest
from whole import MENDED, Whole

from bot.workflow.commands import COMMANDS


def reactions(at: Whole, number: int) -> list[list[str]]:
    """Return the reactions to each comment by a person, in order."""
    return [[r.content for r in c.reactions] for c in at.gh.pull(number).comments if c.user.type == "User"]


async def test_every_command_is_answered_once(at: Whole) -> None:
    """Each command gets its own answer, and each comment gets the reaction "eyes"."""
    number = await at.reviewed()
    told = await at.said(number, "/deeprepo help")
    assert all(f"/deeprepo {word}" in told for word in COMMANDS)
    assert "| `tone` | `normal` |" in await at.said(number, "/deeprepo config")
    assert "shop/cart.py" in await at.said(number, "/deeprepo explain 1")
    assert await at.said(number, "/deeprepo pause")
    await at.pushed({"NEWS.md": "one\n"})
    assert "paused" in (at.gh.pull(number).checks[0].title or "")
    assert await at.said(number, "/deeprepo resume")
    assert "is running" in await at.said(number, "/deeprepo cancel")
    assert "help" in await at.said(number, "/deeprepo dance")
    assert all("eyes" in one for one in reactions(at, number))


@pytest.mark.slow
async def test_ignored_finding_is_not_reported_in_the_next_review(at: Whole) -> None:
    """`ignore 1` takes effect immediately in this pull request, only for the lines of that finding."""
    number = await at.reviewed()
    assert "Ignored in this" in await at.said(number, "/deeprepo ignore 1 the caller goes next week")
    await at.said(number, "/deeprepo full review")
    assert "1 finding is silenced" in at.summary(number)
    assert at.gh.pull(number).checks[-1].conclusion == "success"
    elsewhere = MENDED["shop/cart.py"] + "\n\ndef refund(goods):\n    return total(goods, 0.3)\n"
    await at.pushed({"shop/cart.py": elsewhere})
    assert "total(goods, 0.3)" in at.summary(number)
    assert at.gh.pull(number).checks[-1].conclusion == "neutral"


async def test_revoked_permission_applies_immediately(at: Whole) -> None:
    """Permissions are requested from GitHub for each command, so a lowered role counts immediately."""
    number = await at.reviewed()
    at.repo.add("colleague", "write")
    assert "needs write" not in await at.said(number, "/deeprepo explain 1", author="colleague")
    at.repo.add("colleague", "read")
    assert "write" in await at.said(number, "/deeprepo explain 1", author="colleague")
