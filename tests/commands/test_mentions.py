import pytest

from bot.commands import read_mentions

LOGIN = "deeprepo[bot]"


@pytest.mark.parametrize(
    "body",
    [
        "@deeprepo",
        "Is that so, @DeepRepo?",
        "thanks @deeprepo[bot]!",
        "- one\n- two, @deeprepo",
        "# @deeprepo",
        "**@deeprepo** please",
        "> they say\n\nand you, @deeprepo?",
        "(@deeprepo)",
        "```\ncode\n```\n@deeprepo why?",
    ],
)
def test_mention_of_our_login_is_recognized(body: str) -> None:
    """Our login is recognized with and without "[bot]", in any letter case."""
    assert read_mentions(body, LOGIN).us


@pytest.mark.parametrize(
    "body",
    [
        "",
        "deeprepo",
        "`@deeprepo`",
        "```\n@deeprepo\n```",
        "    @deeprepo",
        "> @deeprepo",
        "<!-- @deeprepo -->",
        "@deeprepo-fan",
        "@deeprepo/reviewers",
        "me@deeprepo",
        "x/@deeprepo",
        "x" * 16_000 + " @deeprepo",
    ],
)
def test_mention_in_code_a_quote_or_a_longer_name_does_not_count(body: str) -> None:
    """Mentions in code, quotes, comments and longer names don't count, as on GitHub."""
    assert not read_mentions(body, LOGIN).us
