"""A finding can have several locations, and a location that a push adds is reported as new."""

import json
from collections.abc import Mapping

import pytest
from pushes import Files, Hand

from bot.outputs import facts, json_file, posts
from bot.values import Review

PRICE = "def total(items):\n    return sum(items)\n"
CALL = "from shop.price import total\n\n\ndef {name}(x):\n    return total(x, 3)\n"
BASE: Files = {
    "shop/__init__.py": "",
    "shop/price.py": "def total(items, tax):\n    return sum(items) * (1 + tax)\n",
    "shop/cart.py": CALL.format(name="pay"),
}
MORE = "\n\ndef more(x):\n    return total(x, 3)\n"
IDENTITY = "def name(x):\n    if x is 'a':\n        return 1\n"
OLDER = ("added", "telling", "breaks")  # keys that older versions' reviews lack


def begin(hand: Hand, first: Files, base: Files | None = None) -> Review:
    """Review the first push onto this base."""
    hand.repository.git("checkout", "-q", "main")
    hand.repository.commit({**BASE, **(base or {})}, "before")
    hand.repository.git("checkout", "-qB", "feature")
    hand.repository.commit(first, "first push")
    return hand.review(strategy="offline")


def push(hand: Hand, before: Review | bytes, files: Files) -> Review:
    """Commit one more push and review it."""
    hand.repository.commit(files, "a later push")
    return hand.review(before, strategy="offline")


def older(review: Review) -> bytes:
    """Return the review as an older version without locations would have stored it."""
    document = json.loads(json_file.render(review))
    for row in document["findings"]:
        for held in (row, *row["evidence"]):
            for name in OLDER:
                held.pop(name, None)
    return json.dumps(document).encode()


ANOTHER = [
    pytest.param({"shop/late.py": CALL.format(name="late")}, [("shop/late.py", 5)], id="another file"),
    pytest.param({"shop/cart.py": CALL.format(name="pay") + MORE}, [("shop/cart.py", 9)], id="below, in equal words"),
    pytest.param(
        {"shop/cart.py": CALL.format(name="more").replace("import total\n", "import total\n# a\n# b\n") + MORE.replace("more", "pay")},
        [("shop/cart.py", 7)],
        id="above, in equal words",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("files", "places"), ANOTHER)
@pytest.mark.parametrize("is_older", [False, True])
def test_additional_caller_is_reported_as_a_new_location(
    hand: Hand, files: Files, places: list[tuple[str, int]], *, is_older: bool
) -> None:
    """The finding is posted at the new location under its number, and the next review doesn't repeat it."""
    first = begin(hand, {"shop/price.py": PRICE})
    second = push(hand, older(first) if is_older else first, files)
    ((row,), (posted,)) = second.reported, posts.comments(second).posts
    third = push(hand, second, {"NEWS.md": "one\n"})

    assert facts.summary(second).result.startswith("1 finding (1 high); 1 new location.")
    assert (row.finding.number, row.finding.status, row.place) == (1, "still", "inline")
    assert (
        [(row.finding.path, row.finding.start)]
        == [*row.finding.tracking.added]
        == [(posted.path, posted.line)]
        == places
    )
    assert f"but {posted.path} still passes" in row.finding.title
    assert (third.reported, third.new_places, len(third.open_findings)) == ((), 0, 1)


def test_comment_is_placed_on_the_caller_in_the_diff(hand: Hand) -> None:
    """If two callers break in the first review, the comment is on the caller in the diff."""
    first = begin(hand, {"shop/price.py": PRICE, "shop/late.py": CALL.format(name="late")})
    assert [(one.path, one.line) for one in posts.comments(first).posts] == [("shop/late.py", 5)]
    assert first.new_places == 0


def test_merged_caller_is_a_new_location(hand: Hand) -> None:
    """The known finding is reported at the merged caller, and the headline counts a new location."""
    first = begin(hand, {"shop/price.py": PRICE})
    repository = hand.repository
    repository.git("checkout", "-q", "main")
    repository.commit({"shop/late.py": CALL.format(name="late")}, "on main")
    repository.git("checkout", "-q", "feature")
    repository.git("merge", "-q", "--no-edit", "main")
    second = hand.review(first, strategy="offline")
    assert "1 new location" in facts.summary(second).result
    assert [(one.finding.path, one.finding.number) for one in second.reported] == [("shop/late.py", 1)]


@pytest.mark.parametrize(
    ("after", "line"), [("\n\n" + IDENTITY.replace("name", "more"), 7), (IDENTITY.replace("name", "more") + "\n\n", 2)]
)
def test_same_defect_on_a_second_line_is_a_new_finding(hand: Hand, after: str, line: int) -> None:
    """A second line with the same defect is a new finding. Fixing one of the two leaves the other open."""
    first = begin(hand, {"shop/word.py": IDENTITY})
    both = IDENTITY + after if line > 2 else after + IDENTITY
    second = push(hand, first, {"shop/word.py": both})
    third = push(hand, second, {"shop/word.py": after.strip() + "\n"})
    assert [(one.finding.start, one.finding.number, one.place) for one in second.reported] == [(line, 2, "inline")]
    assert [(one.number, one.status) for one in third.open_findings] == [(2, "still")]
    assert [one.number for one in third.findings_with_status("fixed")] == [1]
    assert len({one.identity for one in second.open_findings}) == 2


def test_rewritten_or_moved_line_is_not_a_new_location(hand: Hand) -> None:
    """If the call's arguments change, or it moves to another file, it is not a new location."""
    first = begin(hand, {"shop/price.py": PRICE, "shop/late.py": CALL.format(name="late")})
    second = push(hand, first, {"shop/late.py": CALL.format(name="late").replace("(x, 3)", "([*x], 4)")})
    third = push(
        hand, second, {"shop/late.py": None, "shop/after.py": CALL.format(name="late").replace("(x, 3)", "([*x], 4)")}
    )
    assert [review.new_places for review in (second, third)] == [0, 0]
    assert [len(review.open_findings) for review in (second, third)] == [1, 1]


def test_finding_is_on_the_added_line_and_not_on_an_identical_old_one(hand: Hand) -> None:
    """The finding is on the added line, not on the identical old line below it."""
    both: Mapping[str, str] = {"shop/word.py": IDENTITY.replace("name", "more") + "\n\n" + IDENTITY}
    first = begin(hand, {**both}, {"shop/word.py": IDENTITY})
    assert [(one.start, one.rule) for one in first.open_findings] == [(2, "F632")]
