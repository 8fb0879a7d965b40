"""A new finding in a later review is attributed to the push or fix that introduced it."""

import asyncio

from fakes import Repository
from pushes import Hand

from bot.outputs import facts, json_file
from bot.stored import reviews
from bot.values import Review, TypedChange
from bot.wiring.review import local_review

BROKEN = "def label(parcel):\n    return parcell.size\n"
REPLACED = "def label(parcel):\n    return package.size\n"
OTHER = "def stamp(letter):\n    return leter.stamps\n"


def said(review: Review) -> dict[str, str]:
    """Map each new finding's undefined name to the text about its source and cause."""
    return {
        row.finding.title.split("`")[1]: facts.origin(row.finding)
        for row in review.reported
        if row.finding.status == "new"
    }


def test_later_finding_is_attributed_to_its_push_or_fix(hand: Hand, repository: Repository) -> None:
    """Later findings are attributed to a fix or to a push. Findings in the first review have no cause."""
    repository.commit({"shop/new.py": BROKEN}, "first")
    first = hand.review(strategy="offline")
    (number,) = [row.finding.number for row in first.reported if "parcell" in row.finding.title]
    repository.commit({"shop/new.py": REPLACED, "shop/other.py": OTHER}, "second")
    second = hand.review(first, strategy="offline")

    assert said(first)["parcell"] == "static check ruff (rule F821), proven"
    assert said(second) == {
        "package": f"static check ruff (rule F821), proven. The fix for finding {number} introduced it.",
        "leter": "static check ruff (rule F821), proven. The last push introduced it.",
    }
    stored = reviews.review(json_file.render(second).encode())
    assert said(stored) == said(second)


def test_base_change_is_not_mistaken_for_a_push(hand: Hand, repository: Repository) -> None:
    """Findings that appear because a stacked pull request's base changed are not attributed to a push."""
    repository.commit({"shop/rates.py": "def apply(amount):\n    return amount\n"}, "below")
    below = repository.git("rev-parse", "HEAD").strip()
    repository.commit({"shop/other.py": OTHER}, "on top")
    stacked = TypedChange(str(repository.folder), base=below)
    first = asyncio.run(local_review(stacked, {"strategy": "offline"}, str(hand.scratch)))
    (found,) = [row.finding for row in hand.review(first, strategy="offline").reported if row.finding.is_new]
    assert (found.path, "apply()" in found.title) == ("shop/cart.py", True)
    assert "push" not in facts.origin(found)
