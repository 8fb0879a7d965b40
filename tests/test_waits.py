"""Tests wait for events, and must not fail because the machine is busy."""

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
SHORT = 5.0  # seconds; a shorter limit is deliberate, and expected to expire
ALLOWED = {"stored/rounds.py", "octokit.py"}  # a script that is run by hand, and a download


def limits(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield the time limits of all waits in a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            yield from (word.value for word in node.keywords if word.arg == "timeout")
            yield from node.args[:1] if name in ("timeout", "wait") else node.args[1:2] if name == "wait_for" else ()


def is_fixed(limit: ast.expr) -> bool:
    """Return whether a limit is a number of seconds that does not depend on the load."""
    if isinstance(limit, ast.Constant):
        return isinstance(limit.value, int | float) and limit.value > SHORT
    return isinstance(limit, ast.Name | ast.Attribute) and ast.unparse(limit).isupper()


def polls(tree: ast.AST) -> Iterator[int]:
    """Yield the lines of loops that sleep for a time until a condition holds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.While) and not isinstance(node.test, ast.Constant):
            calls = [ast.unparse(call) for call in ast.walk(node) if isinstance(call, ast.Call)]
            if any("sleep(" in call and "sleep(0)" not in call for call in calls):
                yield node.lineno


def test_nothing_is_polled() -> None:
    """Tests wait for events. `waits.until` is the only poll, for what sends none."""
    found = {
        path.relative_to(TESTS).as_posix(): lines
        for path in sorted(TESTS.rglob("*.py"))
        if (lines := [*polls(ast.parse(path.read_text(encoding="utf-8")))])
    }
    assert found.keys() == {"waits.py", "stored/make.py"}  # the second is a script that is run by hand


def test_waits_are_longer_on_a_busy_machine() -> None:
    """A wait that could fail its test takes its limit from `waits.patience`."""
    fixed = [
        f"{name}:{limit.lineno}"
        for path in sorted(TESTS.rglob("*.py"))
        if (name := path.relative_to(TESTS).as_posix()) not in ALLOWED
        for limit in limits(ast.parse(path.read_text(encoding="utf-8")))
        if is_fixed(limit)
    ]
    assert fixed == []
