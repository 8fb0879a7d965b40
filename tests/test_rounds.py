"""What later reviews of a pull request report and read again."""

from collections.abc import Mapping
from typing import Any

import pytest
from pushes import BASE, FIRST, KNOWN, NEGATIVE, OLD, SECOND, STAMPS, Hand, Worker, found, judge, titles

from bot.outputs import markdown
from bot.values import Review
from deeprepo_sandbox.providers import Reply


def test_unchanged_push_makes_no_model_call(hand: Hand) -> None:
    """If nothing changed, all regions are reused, findings stay open, and nothing is posted again."""
    first = hand.review()
    again = hand.review(first)
    assert hand.requests == []
    assert again.cost.calls == 0
    assert again.reported == ()
    assert titles(again.still) == titles(p.finding for p in first.reported)
    assert {f.tracking.how for f in again.still} == {""}
    assert again.coverage.count("unit") == again.coverage.count("unit", "reused") > 0
    assert again.coverage.complete
    assert again.round.number == 2


def test_second_review_repeats_nothing_and_detects_fixes(hand: Hand) -> None:
    """The fix is detected, a moved finding keeps its identity, and only changed code is read."""
    first = hand.review()
    hand.repository.commit(SECOND, "second push")
    second = hand.review(first)
    assert titles(p.finding for p in second.reported) == {KNOWN[STAMPS]["title"]}
    assert titles(second.findings_with_status("fixed")) == {KNOWN[NEGATIVE]["title"]}
    (moved,) = second.still
    before = next(p.finding for p in first.reported if p.finding.path == "shop/label.py")
    assert (moved.tracking.how, moved.start, moved.fingerprint) == ("moved", before.start + 3, before.fingerprint)
    asked = [text for text in hand.requests if "The claim, about" not in text]
    assert asked
    assert not any("def total(rows)" in text and "apply(rate" not in text for text in asked)


def test_late_finding_on_old_lines_is_collapsed_unless_severe(hand: Hand) -> None:
    """A late medium finding on old lines is collapsed; a high one, or any with --full, is shown inline."""
    first = hand.review()
    hand.repository.commit(
        {"shop/label.py": str(FIRST["shop/label.py"]) + "\n\ndef more(parcel):\n    return weigh(parcel)\n"}
    )

    def late(severity: str) -> Worker:
        item = found("shop/label.py", "    return parcel.weight", severity, "The weight may be missing")

        def worker(body: Mapping[str, Any]) -> Reply:
            text = str(body["messages"])
            asked = OLD in text and "The claim, about" not in text
            return Reply(data={"answer": "", "findings": [item]}) if asked else judge(body)

        return worker

    def place(review: Review) -> list[str]:
        return [p.place for p in review.reported if p.finding.title == "The weight may be missing"]

    assert place(hand.review(first, late("medium"))) == ["folded"]
    assert place(hand.review(first, late("high"))) == ["inline"]
    assert place(hand.review(first, late("medium"), full=True)) == ["inline"]


@pytest.mark.parametrize(("severity", "where"), [("medium", "folded"), ("high", "outside")])
def test_late_finding_in_an_unchanged_file_is_collapsed_unless_severe(hand: Hand, severity: str, where: str) -> None:
    """A late finding in a file outside the change is collapsed unless it is severe."""
    first = hand.review()
    hand.repository.commit({"shop/rates.py": SECOND["shop/rates.py"]}, "second push")
    item = found("shop/cart.py", "    return sum(apply(0.2, row) for row in rows)", severity, "The rows may be missing")

    def worker(body: Mapping[str, Any]) -> Reply:
        text = str(body["messages"])
        asked = "def total(rows)" in text and "The claim, about" not in text
        return Reply(data={"answer": "", "findings": [item]}) if asked else judge(body)

    second = hand.review(first, worker)
    assert [p.place for p in second.reported if p.finding.title == "The rows may be missing"] == [where]


def test_full_review_repeats_open_findings(hand: Hand) -> None:
    """With `full`, known findings are reported again under their old numbers."""
    first = hand.review()
    again = hand.review(first, full=True)
    assert hand.requests
    assert again.coverage.count("unit", "reused") == 0
    assert again.still == ()
    assert {p.finding.title: p.finding.number for p in again.reported} == {
        p.finding.title: p.finding.number for p in first.reported
    }
    assert {p.finding.status for p in again.reported} == {"still"}


def test_reappearing_finding_keeps_its_number_and_counts_as_new(hand: Hand) -> None:
    """A finding that reappears after a fix has its old number and counts as new."""
    first = hand.review()
    number = {item.finding.title: item.finding.number for item in first.reported}[KNOWN[NEGATIVE]["title"]]
    before = (hand.repository.folder / "shop/rates.py").read_text()
    hand.repository.commit({"shop/rates.py": BASE["shop/rates.py"]}, "take it back")
    second = hand.review(first)
    hand.repository.commit({"shop/rates.py": before}, "bring it back")
    third = hand.review(second)
    again = [item.finding for item in third.reported if item.finding.title == KNOWN[NEGATIVE]["title"]]
    assert [(one.number, one.tracking.how, one.is_new) for one in again] == [(number, "back", True)]
    assert "This finding was fixed before" in markdown.render(third)


def test_finding_in_a_renamed_file_keeps_its_number_and_severity(hand: Hand) -> None:
    """If a push renames the file, a milder report of the same line is the known finding."""
    first = hand.review()
    hand.repository.commit({"shop/label.py": None, "shop/tag.py": FIRST["shop/label.py"]}, "rename")
    item = found("shop/tag.py", "    size = parcel.size[0]", "low", "An empty size crashes the tag")

    def worker(body: Mapping[str, Any]) -> Reply:
        asked = "shop/tag.py" in str(body["messages"]) and "The claim, about" not in str(body["messages"])
        return Reply(data={"answer": "", "findings": [item]}) if asked else judge(body)

    second = hand.review(first, worker)
    before = next(one for one in first.open_findings if one.path == "shop/label.py")
    (after,) = (one for one in second.open_findings if one.path == "shop/tag.py")
    assert (after.title, after.number, after.severity) == (item["title"], before.number, "medium")


MENDED_IN_PART = [
    pytest.param(  # the same undefined name in different code
        {"shop/cart.py": "def total(rows):\n    return rounded(sum(rows))\n"},
        {"shop/cart.py": "def total(rows, digits):\n    for row in rows:\n        yield (digits, rounded)[row]\n"},
        id="name",
    ),
    pytest.param(  # two functions are removed, and the push fixes the uses of one of them
        {"shop/rates.py": ""},
        {
            "shop/cart.py": "from shop.rates import fee\n\n\ndef total(rows):\n    return sum(fee(row) for row in rows)\n"
        },
        id="removed",
    ),
]


@pytest.mark.parametrize(("first", "push"), MENDED_IN_PART)
def test_static_finding_stays_known_when_its_quote_changes(
    hand: Hand, first: dict[str, str | bytes | None], push: dict[str, str | bytes | None]
) -> None:
    """A static check that finds the same problem again doesn't report it as new."""
    hand.repository.git("checkout", "-q", "main")
    both = "def apply(rate, amount):\n    return amount * rate\n\n\ndef fee(row):\n    return row / 2\n"
    use = "from shop.rates import apply, fee\n\n\ndef total(rows):\n    return sum(apply(0.2, fee(row)) for row in rows)\n"
    hand.repository.commit({"shop/rates.py": both, "shop/cart.py": use}, "before")
    hand.repository.git("checkout", "-qB", "feature")
    hand.repository.commit(first, "first push")
    before = hand.review(strategy="offline")
    hand.repository.commit(push, "second push")
    after = hand.review(before, strategy="offline")
    assert [(one.number, one.status) for one in before.open_findings] == [(1, "new")]
    assert [(one.number, one.status) for one in after.open_findings] == [(1, "still")]
    assert [one.quote for one in before.open_findings] != [one.quote for one in after.open_findings]
    assert after.reported == ()
