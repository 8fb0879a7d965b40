import step
from fakes import Repository

from bot.values import Dependents, PullRequest
from deeprepo.impact.uses import find

UNPARSED = "func loadUserSettings(path: String) -> Settings {\n    return read(path)\n}\n"
SCREEN = "let all = loadUserSettings(path: home)\nlet none = 1\n"


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


PASSED = 'import os\n\n\ndef start(run):\n    os.environ["_SHOP_CHILD_PROCESS"] = "1"\n    run()\n'
ASKED = 'import os\n\n\ndef child():\n    return "_SHOP_CHILD_PROCESS" in os.environ\n'
TABLE = "CREATE TABLE post (\n  id INTEGER,\n  author_id INTEGER\n);\n"
QUERY = 'def author(db):\n    return db.execute("SELECT author_id FROM post")\n'
SHARED = {
    "a variable of the environment": (
        {"start.py": PASSED, "ask.py": ASKED},
        "start.py",
        "_SHOP_CHILD_PROCESS",
        "ask.py:5",
    ),
    "a column": ({"schema.sql": TABLE, "post.py": QUERY}, "schema.sql", "author_id", "post.py:2"),
    "a key of settings": (
        {"app.toml": "max_model_tokens = 3\n", "app.py": "def most(settings):\n    return settings.max_model_tokens\n"},
        "app.toml",
        "max_model_tokens",
        "app.py:2",
    ),
}


def test_unicode_escape_is_not_a_name(repository: Repository) -> None:
    """Unicode escapes, which translation files are full of, are not searched as names."""
    before = {"de.json": '{"a": "\\u8A9Exyz"}\n', "fr.json": '{"b": "\\u8A9Exyz"}\n'}
    assert _found(repository.change(before, {"de.json": '{"a": "\\u8A9Exyz!"}\n'})).references == ()
