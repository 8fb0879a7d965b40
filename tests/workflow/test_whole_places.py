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
    assert lines(at, number) == [("shop/price.py", 1), ("shop/late.py", 5)]
    assert "No new findings" not in told
    assert "1. total() has a new signature, but shop/late.py" in told
    assert at.ending(number) == "success"
    assert [one.is_resolved for one in at.gh.pull(number).review_comments if one.reply_to is None] == [True, True]


async def test_listed_findings_outside_the_diff_get_a_thread_only_if_they_come_back(at: Whole) -> None:
    """Findings that an earlier version only listed in the summary get no comments. A fixed one that is back does."""
    names = "abcde"
    callers = {f"shop/use_{n}.py": f"from shop.{n} import {n}\n\n\ndef use():\n    return {n}(1, 2)\n" for n in names}
    defined = {f"shop/{n}.py": f"def {n}(x, y):\n    return x\n" for n in names}
    await at.repo.commit("main", {".deeprepo.yml": "quota: 9\n", **callers, **defined})
    number = await at.reviewed(files={path: text.replace("x, y", "x") for path, text in defined.items()})
    threads = lines(at, number)
    at.gh.repo(number).repository.pulls[number].review_comments.clear()
    await at.pushed({"NEWS.md": "one\n"})
    await at.said(number, "/deeprepo ignore 1 it is never called")
    unchanged = lines(at, number)
    await at.pushed({"shop/b.py": defined["shop/b.py"]})
    await at.pushed({"shop/b.py": "def b():\n    return 1\n"})
    changed = lines(at, number)
    await at.pushed({"shop/b.py": defined["shop/b.py"]})

    assert threads == [(f"shop/{n}.py", 1) for n in names]
    assert unchanged == []
    assert changed == [("shop/b.py", 1)]
    assert [one.is_resolved for one in at.gh.pull(number).review_comments if one.reply_to is None] == [True]


async def test_forgotten_import_of_a_moved_file_has_a_thread_on_the_file(at: Whole) -> None:
    """A file that was only renamed has no lines to comment on. The thread is answered and resolved when it is fixed."""
    number = await at.reviewed(files={"shop/price.py": None, "shop/prices.py": BASE["shop/price.py"]})
    threads = lines(at, number)
    await at.pushed({"shop/cart.py": BASE["shop/cart.py"].replace("shop.price", "shop.prices")})

    assert threads == [("shop/prices.py", None)]
    assert [one.is_resolved for one in at.gh.pull(number).review_comments if one.reply_to is None] == [True]
