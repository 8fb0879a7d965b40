import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.commands import Command
from bot.workflow import commands

LOGIN = "deeprepo[bot]"


def read(body: str, login: str = "") -> Command | None:
    """Return the first command of a comment."""
    return next(iter(commands.read(body, login)), None)


@pytest.mark.parametrize(
    ("body", "word", "argument"),
    [
        ("/deeprepo review", "review", ""),
        ("/deeprepo full review", "full review", ""),
        ("/DeepRepo  Review!", "review", ""),
        ("/deeprepo\treview please", "review", "please"),
        ("   /deeprepo review", "review", ""),
        ("Thanks, all done.\n/deeprepo review\n", "review", ""),
        ("/deeprepo review\r\n\r\nand more", "review", ""),
        ("/deeprepo review\n-- \nsent from my phone", "review", ""),
        ("> is it?\n\n/deeprepo explain 2", "explain", "2"),
        ("```\n/deeprepo pause\n```\n/deeprepo resume", "resume", ""),
        ("<!-- /deeprepo pause -->\n\n/deeprepo resume", "resume", ""),
        ("/deeprepo review\n/deeprepo pause", "review", ""),
        ("/deeprepo: help", "help", ""),
        ("/deeprepo", "help", ""),
        ("/deeprepo frobnicate the lot", "frobnicate", ""),
        ("/deeprepo full", "full", ""),
        ("/deeprepo ignore  by `design`, see\nnext line", "ignore", "by `design`, see"),
        ("/deeprepo ask why `x`?\n\n```py\nx = 1\n```", "ask", "why `x`?\n\n```py\nx = 1\n```"),
        ("x" * 9_000 + "\n\n/deeprepo review", "review", ""),
        ("@deeprepo review", "review", ""),
        ("\u200b/deeprepo \u2060review", "review", ""),
        ("\ufeff \u00ad@deeprepo help", "help", ""),
        ("@DeepRepo[bot], full review", "full review", ""),
        ("@deeprepo thanks\n@deeprepo help", "help", ""),
    ],
)
def test_command_is_recognized_at_the_start_of_a_line(body: str, word: str, argument: str) -> None:
    """A command is recognized at the start of a line, and text after `ask` belongs to the question."""
    assert read(body, LOGIN) == Command(word, argument)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "please /deeprepo review",
        "/deeprepository review",
        "/deeprepo/review",
        "/deeprepo-bot review",
        "> /deeprepo review",
        "- /deeprepo review",
        "`/deeprepo review`",
        "    /deeprepo review",
        "\t/deeprepo review",
        "```\n/deeprepo review\n```",
        "~~~~\n```\n/deeprepo review",
        "```\n/deeprepo review",
        "<!-- /deeprepo review -->",
        "<!--\n/deeprepo review\n-->",
        "text <!--\n/deeprepo review\n-->",
        "<!--\n/deeprepo review",
        "\\/deeprepo review",
        "&#47;deeprepo review",
        "# /deeprepo review",
        "@deeprepo thanks, fixed",
        "@deeprepo is that so?\nI doubt it.",
        "@deeprepo",
        "@deeprepo/reviewers please look?",
        "@deeprepo-fan is that so?",
        "@someone review",
        "x" * 16_000 + "\n/deeprepo review",
    ],
)
def test_quoted_or_escaped_command_does_not_count(body: str) -> None:
    """Commands in quotes, code, HTML comments, lists or after a backslash don't count."""
    assert read(body, LOGIN) is None


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.sampled_from(list("/deeprepo @`~<!->[]()*_#=\n\r\t\\&;x1\0\u2028\ud800")), max_size=60))
def test_parser_never_raises_on_any_text(text: str) -> None:
    """Any text gives no command or one of one or two words, which can be encoded as UTF-8."""
    for body in (text, f"/deeprepo {text}", f"{text}\n/deeprepo ask {text}"):
        found = read(body, LOGIN)
        assert found is None or 1 <= len(found.word.split()) <= 2
        assert found is None or f"{found.word} {found.argument}".encode()
