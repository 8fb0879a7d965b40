import pytest

from bot.commands import Mentions, read_mentions

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


def test_mention_of_deeprepo_counts_even_if_the_app_has_another_name() -> None:
    """Users may write `@deeprepo` even if the setup page created an App with a longer name."""
    for body in ("Is that so, @deeprepo?", "Is that so, @deeprepo-acme?", "@deeprepo-acme[bot] help"):
        assert read_mentions(body, "deeprepo-acme[bot]") == Mentions(us=True)
    assert not read_mentions("@deeprepo-fan", "deeprepo-acme[bot]").us


def test_mentions_of_others_and_at_the_start_are_recognized() -> None:
    """Teams count as other people, code doesn't count, and a mention at the start is marked as first."""
    assert read_mentions("@colleague look", LOGIN) == Mentions(others=True, first=True)
    assert read_mentions("@acme/team look", LOGIN) == Mentions(others=True, first=True)
    assert read_mentions("look, @colleague and @deeprepo", LOGIN) == Mentions(us=True, others=True)
    assert read_mentions("Why?\n\n@colleague knows", LOGIN) == Mentions(others=True)
    assert read_mentions("`@property` is `@cached`", LOGIN) == Mentions()
    assert read_mentions("@deeprepo", "") == Mentions(others=True, first=True)
