"""Kotlin bodies that are written on one line."""

import pytest
from dependents_scene import find
from fakes import Repository


@pytest.mark.parametrize(
    ("line", "use"),
    [
        ("object Prices { const val MAX = 3; fun most(n: Int) = n }", "Prices.most(3)"),
        (
            'class Order(val id: Int) { companion object { fun most(n: Int): Order = Order(n) } }\nval kept = "}"',
            "Order.most(3)",
        ),
        ("interface Store { fun load(id: Int): Int }\nfun most(n: Int): Int = n", "most(3)"),
        ("sealed interface State { data object Done : State; class most(val n: Int) : State }", "State.most(3)"),
    ],
)
def test_function_removed_from_a_one_line_kotlin_body_is_reported(repository: Repository, line: str, use: str) -> None:
    """A function removed from a Kotlin body that is written on one line is reported as missing."""
    user = f"package b\n\nimport a.*\n\nval x = {use}\n"
    files: dict[str, str | bytes | None] = {"src/a/All.kt": f"package a\n\n{line}\n", "src/b/User.kt": user}
    found = find(repository.change(files, {"src/a/All.kt": f"package a\n\n{line.replace('most', 'least')}\n"}))
    assert [(row.path, row.missing) for row in found.references if row.name == "most"] == [("src/b/User.kt", True)]
