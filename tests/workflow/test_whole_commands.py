import re

import pytest
from whole import BASE, BROKEN, MENDED, Whole

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
    assert "1 finding is ignored" in at.summary(number)
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


async def test_each_command_in_a_comment_gets_a_short_answer(at: Whole) -> None:
    """One comment ignores two findings, with an answer for each. Only lists are longer than five lines."""
    await at.repo.commit("main", {f"shop/use{k}.py": BASE["shop/cart.py"] for k in range(9)})
    number = await at.reviewed(
        files={"shop/price.py": BROKEN["shop/price.py"] + "\n\nprint(nothing)\nprint(nowhere)\n"}
    )
    before = set(at.answers(number))
    await at.said(number, "/deeprepo ignore 1 is replaced in the next PR\n/deeprepo ignore 2 wrong, see `a.py`")
    ignored = [body for key, body in at.answers(number).items() if key not in before]
    for text in ("explain 1", "explain 3", "ask why?", "fix 3", "fix 2 3", "fix 99", "fix all", "dance", "pause",
                 "remember in shop/cart.py Prices are in euro.", "rules remove 9", "resume", "cancel", "ignore 99"):  # fmt: skip
        await at.said(number, f"/deeprepo {text}")
    shown = {body: re.sub("(?s)<details>.*</details>", "collapsed", body) for body in at.replies(number)}
    lengths = {body: len([row for row in text.splitlines() if row.strip()]) for body, text in shown.items()}
    assert [body.count("Ignored in this pull request") for body in ignored] == [1, 1]
    assert all("`- finding: " in body for body in ignored)
    assert {body: rows for body, rows in lengths.items() if rows > 5} == {}


async def test_ignored_place_stays_off_the_list(at: Whole) -> None:
    """`/deeprepo ignore` accepts the ID of a place that the change may have forgotten."""
    await at.repo.commit("main", {"docs/a.md": "See shop/old.md.\n", "shop/old.md": "text of a page\n"})
    number = await at.reviewed(files={"shop/old.md": "", "shop/new.md": "text of a page\n", "README.md": "new\n"})
    assert "Places this change may have forgotten" not in at.summary(number)
    await at.pushed({"shop/old.md": None})
    listed = re.search(r"ID `([0-9a-f]{16})`", at.summary(number))
    assert listed is not None
    assert "Ignored in this" in await at.said(number, f"/deeprepo ignore {listed[1]} the page comes back")
    await at.said(number, "/deeprepo full review")
    assert listed[1] not in at.summary(number)
