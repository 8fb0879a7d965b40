import step
from fakes import Repository

from bot.values import Dependents, PullRequest
from deeprepo.impact.uses import find


def _found(pull: PullRequest) -> Dependents:
    return step.over(pull, find)


def test_common_words_are_not_searched(repository: Repository) -> None:
    """Short words, stop words and words that occur in many files are not searched."""
    many = {f"f{number}.txt.in": "some_shared_word created_at total\n" for number in range(12)}
    before = {**many, "a.yml": "some_shared_word: 1\ncreated_at: 2\ntotal: 3\n"}
    found = _found(repository.change(before, {"a.yml": "some_shared_word: 2\ncreated_at: 3\ntotal: 4\n"}))

    assert found.references == ()


def test_added_lines_are_not_dependents(repository: Repository) -> None:
    """A line that the same change adds is not a dependent of a word that it contains."""
    before = {"a.shop": "let first_thing = 1\n", "b.shop": "let b = 1\n"}
    found = _found(repository.change(before, {"a.shop": "let second_thing = 1\n", "b.shop": "let b = second_thing\n"}))

    assert found.references == ()


def test_unicode_escape_is_not_a_name(repository: Repository) -> None:
    """Unicode escapes, which translation files are full of, are not searched as names."""
    before = {"de.json": '{"a": "\\u8A9Exyz"}\n', "fr.json": '{"b": "\\u8A9Exyz"}\n'}
    assert _found(repository.change(before, {"de.json": '{"a": "\\u8A9Exyz!"}\n'})).references == ()
