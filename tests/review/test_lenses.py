import pytest
from diff_rows import rows

from bot.review.lenses import LENSES
from bot.values import ChangedFile, Reference, Unit
from deeprepo.impact.values import Arguments

USE = Reference("src/a.py:f", "f", "src/b.py", 3, "f(1)", "g", (2, 4), "bound", arguments=Arguments())


def unit(diff: str, path: str = "src/a.py", *, name: str = "f", references: tuple[Reference, ...] = ()) -> Unit:
    return Unit(f"{path}:{name}", path, name, 1, 3, "head", diff, rows(diff), references)


def asked(one: Unit, *, removed: frozenset[int] = frozenset()) -> list[str]:
    file = ChangedFile(one.path, one.path, "modified", removed_lines=removed)
    return [name for name, lens in LENSES.items() if lens.wants(one, file)]


def test_simple_change_only_gets_the_correctness_question() -> None:
    """A simple change only gets the correctness question."""
    assert asked(unit("+2     return a + b")) == ["correctness"]


@pytest.mark.parametrize(
    ("line", "lens"),
    [
        ("async with self.lock:", "concurrency"),
        ("go func() { done <- true }()", "concurrency"),
        ("except ValueError:", "errors"),
        ("if err != nil {", "errors"),
        ("subprocess.run(command, shell=True)", "security"),
        ("<div v-html='text'></div>", "security"),
        ("ALTER TABLE orders DROP COLUMN total", "data"),
        ("order = pickle.loads(blob)", "data"),
    ],
)
def test_added_and_removed_lines_determine_the_questions(line: str, lens: str) -> None:
    """Added and removed lines both determine the questions about a region."""
    assert lens in asked(unit(f"+2 {line}"))
    assert lens in asked(unit(f"-2 {line}"))


def test_unchanged_lines_and_comments_add_no_question() -> None:
    """A lock on an unchanged line is no reason to ask about concurrency."""
    assert asked(unit(" 1 async with self.lock:\n+2 # takes the lock\n+3 x = 1")) == ["correctness"]


def test_definition_with_references_gets_the_contracts_question() -> None:
    """A definition with references gets the contracts question."""
    assert "contracts" in asked(unit("+2 return 1", references=(USE,)))
    assert "contracts" not in asked(unit("+2 return 1"))


def test_route_gets_the_contracts_question_only_if_lines_are_removed() -> None:
    """Adding a route breaks no caller, so the question is only asked if lines are removed."""
    line = unit('+2 @app.get("/orders")')
    assert "api" not in asked(line)
    assert "api" in asked(line, removed=frozenset({2}))


def test_migrations_get_the_stored_data_question() -> None:
    """A file in a migrations folder gets the question about stored data, whatever it contains."""
    assert "data" in asked(unit("+2 x = 1", "shop/migrations/0002_more.py"))
