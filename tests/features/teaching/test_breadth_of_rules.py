import pytest

from bot.features.teaching import proposing


@pytest.mark.parametrize(
    ("pattern", "phrase"),
    [
        ("=shop/rates.py", "rule_one_path"),
        ("/rates.py", "rule_one_path"),
        ("shop/rates.py", "rule_one_path"),
        ("rates.py", "rule_one_name"),
        ("shop/", "rule_pattern"),
        ("shop/*.py", "rule_pattern"),
        ("shop/rates[12].py", "rule_pattern"),
        (r"shop/\[id].py", "rule_one_path"),
        ("!shop/rates.py", "rule_pattern"),
    ],
)
def test_path_without_wildcards_matches_one_file(pattern: str, phrase: str) -> None:
    """As in .gitignore, a path with a slash matches only from the top folder, and a bare name anywhere."""
    assert proposing.scope_phrase(pattern) == phrase
