import pytest
import step
from fakes import Repository

from bot.checkout import Checkout
from bot.diff import units
from bot.values import Dependents, PullRequest
from deeprepo.impact.uses import find

UNPARSED = "func loadUserSettings(path: String) -> Settings {\n    return read(path)\n}\n"
SCREEN = "let all = loadUserSettings(path: home)\nlet none = 1\n"


def _found(pull: PullRequest) -> Dependents:
    return step.over(pull, find)


def test_file_without_a_parser_is_searched_by_name(repository: Repository) -> None:
    """In files without a parser, lines that contain a distinctive changed word are listed as guesses."""
    before = {"Sources/Settings.shop": UNPARSED, "Sources/Screen.shop": SCREEN, "Tests/tests/ScreenTests.shop": SCREEN}
    found = _found(repository.change(before, {"Sources/Settings.shop": UNPARSED.replace("path: String", "url: URL")}))

    assert [(r.symbol, r.path, r.line, r.text, r.is_bound, r.missing, r.test) for r in found.references] == [
        (
            "Sources/Settings.shop:loadUserSettings",
            "Sources/Screen.shop",
            1,
            SCREEN.partition("\n")[0],
            False,
            False,
            False,
        ),
        (
            "Sources/Settings.shop:loadUserSettings",
            "Tests/tests/ScreenTests.shop",
            1,
            SCREEN.partition("\n")[0],
            False,
            False,
            True,
        ),
    ]


def test_files_searched_only_by_name_are_listed(repository: Repository) -> None:
    """One sentence lists all changed files that were only searched by name."""
    before = {
        "a.shop": "let a = 1\n",
        "deploy/run.sh": "echo a\n",
        "Makefile": "all:\n",
        "b.md": "text\n",
        "c.py": "c = 1\n",
    }
    found = _found(repository.change(before, {name: f"{text}# more\n" for name, text in before.items()}))

    assert found.cut == (
        ".sh, .shop, Makefile files are not parsed, so references to changes in Makefile, a.shop, deploy/run.sh were only searched by name",
    )


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


def test_unparsed_file_is_split_into_runs_with_their_own_references(repository: Repository) -> None:
    """A file without parsed definitions is split into runs of lines, each with its own references."""
    before = {
        "a.shop": "let first_thing = 1\n" + "\n" * 20 + "let second_thing = 2\n",
        "b.shop": "print(first_thing)\n",
    }
    pull = repository.change(before, {"a.shop": "let first_thing = 3\n" + "\n" * 20 + "let second_thing = 4\n"})

    async def run(tree: Checkout, files: step.Files) -> list[list[str]]:
        cut = units.cut(files, await find(tree, files), await step.texts(tree, files))
        return [[row.text for row in unit.references] for unit in sorted(cut, key=lambda unit: unit.start)]

    assert step.over(pull, run) == [["print(first_thing)"], []]


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


@pytest.mark.parametrize("kind", SHARED)
def test_shared_word_is_a_reference_if_one_file_drops_it(repository: Repository, kind: str) -> None:
    """No syntax connects the two files, so the line is found by the word, and is not a guess."""
    before, path, word, use = SHARED[kind]
    found = _found(repository.change(dict(before), {path: before[path].replace(word, f"{word}_new")}))
    assert [f"{row.path}:{row.line}" for row in found.references if not row.is_guessed] == [use]


def test_unicode_escape_is_not_a_name(repository: Repository) -> None:
    """Unicode escapes, which translation files are full of, are not searched as names."""
    before = {"de.json": '{"a": "\\u8A9Exyz"}\n', "fr.json": '{"b": "\\u8A9Exyz"}\n'}
    assert _found(repository.change(before, {"de.json": '{"a": "\\u8A9Exyz!"}\n'})).references == ()
