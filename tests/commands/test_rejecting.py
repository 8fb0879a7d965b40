import pytest
from hosted import finding

from bot.commands import reading, target
from bot.values import PullRequest
from bot.values.review import LastReview

FIRST, SECOND, THIRD = (
    finding(f"f{number}", 5, number=number, title=title)
    for number, title in ((1, "`parcel` is not defined"), (2, "`stamp` is not defined"), (3, "Off by one"))
)


@pytest.mark.parametrize(
    "body",
    [
        "Won't fix.",
        "won\u2019t fix, the importer goes away next month and nobody else calls this",
        "wontfix",
        "This is by design.",
        "Thanks! That's intentional",
        "> Is this a bug?\n\nIt is not a bug.",
        "Das ist kein Fehler.",
        "No es un error, gracias",
        "Ce n'est pas un bug.",
        "This works as intended; see the docs",
        "Finding 2 is by design. See #77.",
        "#2, #3: won't fix",
    ],
)
def test_plain_rejection_is_recognized(body: str) -> None:
    """The reason is the reply without quoted lines."""
    assert reading.reason(body) == " ".join(row for row in body.replace("\u2019", "'").split("\n") if not row.startswith(">")).strip()  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [
        "",
        "Thanks, fixed.",
        "Is this by design?",
        "This is not by design.",
        "I don't think it works as intended.",
        "Why won't you say that it is not a bug?",
        "> won't fix\n\nI will fix it tomorrow.",
        "```\nnot a bug\n```\nPlease look again.",
        "The label `wontfix` is for issues.",
        "If that is a false positive, say so.",
        "He says it is not a bug.",
        "Is it true that this\nis not a bug,\nand since when?",
        "We have talked about this for two weeks in the other pull request and it is not a bug there",
    ],
)
def test_other_replies_are_not_rejections(body: str) -> None:
    """Questions, denials, quotes, code and other texts are not rejections."""
    assert reading.reason(body) == ""


def test_reason_is_truncated() -> None:
    """The reason is truncated to a maximum length."""
    assert len(reading.reason("Not a bug. " + "x" * 100_000)) == reading.MAX_REASON_CHARS


REVIEW = LastReview(
    PullRequest("A change", "", "a" * 40, "b" * 40, "main", "feature", "/nowhere"),
    tuple(one.finding for one in (FIRST, SECOND, THIRD)),
    {1: "f1", 2: "f2", 3: "f3"},
    (),
)


@pytest.mark.parametrize(
    ("reply", "numbers"),
    [
        ("Won't fix.", [1, 2]),
        ("By design, both of them; see the docs", [1, 2]),
        ("2 is intended", [2]),
        ("#2: won't fix", [2]),
        ("Not a bug: finding 1 is checked above.", [1]),
        ("By design. `stamp` comes from the template.", [2]),
        ("Won't fix, see #1234", None),
        ("Won't fix the first one, the other is fair", None),
        ("3 is intended", []),
    ],
)
def test_rejection_in_a_shared_thread_applies_to_the_named_finding(reply: str, numbers: list[int] | None) -> None:
    """A rejection applies to the findings it refers to, else to both. Unclear references return None."""
    found = target.rejected(reading.reason(reply), [FIRST.finding, SECOND.finding], REVIEW)
    assert (found if found is None else [finding.number for finding in found]) == numbers
