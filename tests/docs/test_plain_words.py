"""The number of discouraged words in our texts must not grow."""

import plain_words
import pytest

MOST = {
    "templates": 1,
    "messages": 8,
    "docs": 15,
    "docstrings": 160,
}  # lower a number after improving texts; never raise one
TOLD = 20  # locations listed in the error


@pytest.mark.parametrize("area", MOST)
def test_discouraged_words_never_increase(area: str) -> None:
    """No area has more discouraged words than MOST allows; the error lists where they are."""
    found = [(where, plain_words.counts(text)) for where, text in plain_words.areas()[area]]
    total = sum(sum(words.values()) for _, words in found)
    assert total <= MOST[area], [f"{where}: {words}" for where, words in found if words][:TOLD]


def test_word_is_counted_only_in_its_discouraged_sense() -> None:
    """Code spans, addresses and other senses of a word don't count."""
    assert plain_words.counts("The list holds what is left.") == {"hold": 1, "what is left": 1}
    assert plain_words.counts("See `holds` and the same line; look at the unit tests.") == {}
