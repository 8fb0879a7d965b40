"""Each new location of a finding gets its own comment, and a command about one location affects no other."""

from whole import BASE, Whole

LATE = {"shop/late.py": "from shop.price import total\n\n\ndef late(x):\n    return total(x, 3)\n"}
IDENTITY = BASE["shop/price.py"] + "\n\ndef a(x):\n    if x is 'a':\n        return 1\n"
SAME = "\n" + 9 * "# far from the other line\n" + "\n\ndef b(x):\n    if x is 'a':\n        return 2\n"


def lines(at: Whole, number: int) -> list[tuple[str, int | None]]:
    """Return path and line of each of our comments, without answers."""
    return [(one.path, one.line) for one in at.gh.pull(number).review_comments if one.reply_to is None]


def annotated(at: Whole, number: int) -> list[tuple[str, int]]:
    """Return the lines that the newest check run annotates."""
    return sorted((row["path"], row["start_line"]) for row in at.gh.pull(number).checks[-1].annotations)


async def test_ignored_finding_is_reported_again_at_a_new_location(at: Whole) -> None:
    """The failed check names only the new line, not the ignored one; fixing it resolves the thread."""
    await at.repo.commit("main", {".deeprepo.yml": "fail_on: high\n"})
    number = await at.reviewed()
    await at.said(number, "/deeprepo ignore 1 the cart is going away next week")
    ignored = at.ending(number)
    await at.pushed(LATE)
    check = at.gh.pull(number).checks[-1]
    told = at.summary(number)
    await at.pushed({"shop/late.py": "def late(x):\n    return x\n"})

    assert ignored == "success"
    assert (check.conclusion, check.title) == (
        "failure",
        "1 finding (1 high); 1 new location.",
    )
    assert [(row["path"], row["start_line"]) for row in check.annotations] == [("shop/late.py", 5)]
    assert lines(at, number) == [("shop/late.py", 5)]
    assert "No new findings" not in told
    assert "1. total() has a new signature, but shop/late.py" in told
    assert at.ending(number) == "success"
    assert [one.is_resolved for one in at.gh.pull(number).review_comments if one.reply_to is None] == [True]
