import pytest

from bot.commands import reading


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
def test_a_plain_rejection(body: str) -> None:
    """The whole reply, without quotes, is the reason."""
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
def test_everything_else_is_no_rejection(body: str) -> None:
    """Questions, denials, quotes, code and whatever begins otherwise are remarks: a model answers them."""
    assert reading.reason(body) == ""


def test_a_reason_is_bounded() -> None:
    """However long the reply is."""
    assert len(reading.reason("Not a bug. " + "x" * 100_000)) == reading.LONGEST_REASON
